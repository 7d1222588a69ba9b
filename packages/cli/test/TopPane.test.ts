import { assert, describe, it } from "@effect/vitest"
import { layerAgentFiles, layerLaunches, layerSouffleur, settingsOf } from "@souffleur/embed/internal"
import { Effect, Layer, Stream } from "effect"
import { paneLines } from "../src/top/TopPane.ts"
import { place, services, watching } from "./mcp/McpPlace.ts"
import { jobOf } from "./TopStage.ts"

const hostile = "sung\u001B]0;title\u0007 \u001B[2Jout\r\n\u202Eagain"
const answer = (text: string) =>
  `${JSON.stringify({ type: "assistant", sessionId: "s1", timestamp: "2026-03-01T22:00:00.000Z", message: { role: "assistant", model: "m", content: [{ type: "text", text }] } })}\n`

describe("command-line#top", () => {
  it.layer(services)((it) => {
    it.effect(
      "an agent that prints into no file is shown by the words of its session, and no terminal obeys them",
      () =>
        Effect.gen(function* () {
          const { as, comms, project, session, watch } = yield* place()
          yield* session("s1", answer(hostile))
          yield* watch("w", watching({ project, comms }))
          const settings = yield* as("", {})(settingsOf(project))
          const found = yield* paneLines(jobOf("w")).pipe(
            Stream.take(1),
            Stream.runCollect,
            Effect.provide(
              Layer.mergeAll(layerAgentFiles(settings), layerLaunches(settings)).pipe(
                Layer.provideMerge(layerSouffleur(settings))
              )
            ),
            as("", {})
          )
          assert.deepStrictEqual(found, [["sung out", "\\u202eagain"]])
        })
    )
  })
})
