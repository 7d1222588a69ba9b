import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { Event } from "@souffleur/domain"
import { cli } from "../src/Cli.ts"
import { place, services, watching } from "./mcp/McpPlace.ts"

describe("command-line#report", () => {
  it.layer(services)((it) => {
    it.effect("report tells the watches that live and ended in its time, and refuses a time that is none", () =>
      Effect.gen(function* () {
        const { as, project, watch } = yield* place({ comms: false })
        const open = watching({ project, comms: null })
        yield* watch("living", open)
        yield* watch("done", [...open, Event.ConductorCompleted.make({ at: 2000, by: "agent" })])
        const said = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
          const before = (yield* TestConsole.logLines).length
          yield* as("")(cli(["report", ...flags, "--project-dir", project]))
          return (yield* TestConsole.logLines).slice(before).map(String)
        })
        const lines = yield* said("--since", "30000d")
        assert.includeMembers(lines, ["- **Done:** 1 watch", "- **Not done:** 1 watch", "- **Needs you:** 1"])
        assert.include(lines, "- living: no souffleur looks after it")
        assert.include(lines, "  souffleur resume living")
        const json = JSON.parse((yield* said("--since", "30000d", "--json")).join("\n"))
        assert.deepStrictEqual(
          json.watches.map(({ id, state }: { readonly id: string; readonly state: string }) => [id, state]),
          [
            ["living", "needs you"],
            ["done", "ended"]
          ]
        )
        const file = (yield* said("--since", "30000d", "--format", "html")).join("\n")
        assert.match(file, /^<!doctype html>[^]*<code>souffleur resume living<\/code>[^]*<\/html>\s*$/u)
        const refused = yield* Effect.exit(as("")(cli(["report", "--since", "soon", "--project-dir", project])))
        assert.strictEqual(refused._tag, "Failure")
      })
    )
  })
})
