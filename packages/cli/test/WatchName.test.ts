import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { cli } from "../src/Cli.ts"
import { handedOn, place, recovering, relaunched, services, watching } from "./mcp/McpPlace.ts"

describe("command-line#watch", () => {
  it.layer(services)((it) => {
    it.effect(
      "a command takes the id of a watch or a session of any of its generations, else the folder's newest",
      () =>
        Effect.gen(function* () {
          const { as, project, watch } = yield* place({ comms: false })
          const another = "/another"
          yield* watch("opera-0001", [...watching({ project, comms: null }), handedOn, recovering, relaunched])
          for (const [id, session, folder] of [
            ["opera-0002", "s3", project],
            ["another-0001", "s4", another]
          ] as const)
            yield* watch(
              id,
              watching({ project: folder, comms: null }).map((event) =>
                "sessionId" in event ? { ...event, sessionId: session } : event
              )
            )
          const found = Effect.fnUntraced(function* (...name: ReadonlyArray<string>) {
            const before = (yield* TestConsole.logLines).length
            yield* cli(["state", ...name, "--json", "--project-dir", project]).pipe(as(""))
            return JSON.parse((yield* TestConsole.logLines).slice(before).join("\n")).watch
          })
          assert.deepStrictEqual(
            yield* Effect.forEach([["opera-0001"], ["s1"], ["s2"], ["another-0001"], ["s4"], []], (name) =>
              found(...name)
            ),
            ["opera-0001", "opera-0001", "opera-0001", "another-0001", "another-0001", "opera-0002"]
          )
        })
    )
  })
})
