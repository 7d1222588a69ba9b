import { assert, describe, it } from "@effect/vitest"
import { layerAgentFiles, layerHost, settingsOf, trustNow } from "@souffleur/embed/internal"
import { Effect, Layer, Option } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { hookedSession } from "../src/watching/HookedSession.ts"
import { place, services } from "./mcp/McpPlace.ts"

interface Case {
  readonly comms?: boolean
  /** The environment that the agent was started with. */
  readonly env?: Readonly<Record<string, string>>
  readonly session?: string
  readonly trusted?: boolean
}

describe("behaviour#hooks-of-the-agent", () => {
  it.layer(services)((it) => {
    it.effect.each<readonly [what: string, of: Case, watched: boolean]>([
      ["in a trusted folder", {}, true],
      ["in a folder that nobody has trusted", { trusted: false }, false],
      ["in a folder with comms", { comms: true }, false],
      ["started by another agent", { env: { CLAUDECODE: "1" } }, false],
      ["launched by souffleur", { env: { SOUFFLEUR_LAUNCH_ID: "w-g2" } }, false],
      ["without its id", { session: "" }, false]
    ])("which session is watched by its hook: one %s", ([, of, watched]) =>
      Effect.gen(function* () {
        const { comms = false, env = {}, session = "s-1", trusted = true } = of
        const folder = yield* place({ comms })
        yield* folder.session("s-1", "{}\n")
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const { pid } = yield* spawner.spawn(ChildProcess.make("sleep", ["60"], { env, extendEnv: false }))
        const found = yield* Effect.gen(function* () {
          if (trusted) yield* Effect.scoped(trustNow(folder.project))
          const files = layerAgentFiles(yield* settingsOf(folder.project))
          return yield* Effect.provide(hookedSession(folder.project), Layer.provideMerge(files, layerHost))
        }).pipe(folder.as(session, { CLAUDE_PID: String(pid) }))
        assert.deepStrictEqual(found, watched ? Option.some({ pid: Number(pid), sessionId: "s-1" }) : Option.none())
      }).pipe(Effect.scoped)
    )
  })
})
