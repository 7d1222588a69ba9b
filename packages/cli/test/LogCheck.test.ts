import { assert, describe, it } from "@effect/vitest"
import { Event, Processes } from "@souffleur/domain"
import { layerHost } from "@souffleur/embed/internal"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { cli } from "../src/Cli.ts"
import { place, services, watching } from "./mcp/McpPlace.ts"
it.layer(services)((it) => {
  describe("behaviour#one-owner", () => {
    it.effect("doctor tells a watch that was left on another machine, and how it ends here", () =>
      Effect.gen(function* () {
        const { as, project, watch } = yield* place({ comms: false })
        yield* watch("w", [...watching({ project, comms: null }), Event.OwnerLeft.make({ at: 2000, fence: 1 })])
        yield* Effect.ignore(as("")(cli(["doctor", "--json", "--project-dir", project])))
        const said = (yield* TestConsole.logLines).map(String).join("\n")
        const { machine } = yield* Effect.provide(
          Processes.use(({ host }) => Effect.succeed(host)),
          layerHost
        )
        // A machine without an identity proves nothing.
        if (machine === null) assert.include(said, "its souffleur left")
        else {
          assert.include(said, "it was left on another machine (here), and this state folder is a copy")
          assert.include(said, "go on with it there, or souffleur release w")
        }
      })
    )
  })

  describe("command-line#doctor", () => {
    it.effect(
      "doctor notes a row of comms that souffleur has not told everything yet, and finds another one wrong",
      () =>
        Effect.gen(function* () {
          const { as, comms, project, told, watch } = yield* place()
          const events = watching({ project, comms })
          yield* watch("w", events)
          const state = Effect.gen(function* () {
            const before = (yield* TestConsole.logLines).length
            yield* Effect.ignore(as("")(cli(["doctor", "--json", "--project-dir", project])))
            const said = (yield* TestConsole.logLines).slice(before).map(String).join("\n")
            const findings = JSON.parse(said) as ReadonlyArray<Readonly<Record<"check" | "level" | "detail", string>>>
            return findings.find(({ check }) => check === "comms state")
          })
          assert.deepInclude(yield* state, {
            level: "note",
            detail: "row souffleur is watching: comms was not told everything yet"
          })
          yield* told("w", events.length)
          assert.deepInclude(yield* state, {
            level: "wrong",
            detail: "row souffleur is watching, the watch says confirmed"
          })
        })
    )
  })
})
