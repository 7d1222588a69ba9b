import { assert, it } from "@effect/vitest"
import { Event, Processes } from "@souffleur/domain"
import { layerHost } from "@souffleur/embed/internal"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { cli } from "../src/Cli.ts"
import { place, services, watching } from "./mcp/McpPlace.ts"

it.layer(services)((it) => {
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
