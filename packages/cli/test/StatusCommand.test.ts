import { assert, describe, it } from "@effect/vitest"
import { Event } from "@souffleur/domain"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { cli } from "../src/Cli.ts"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { place, services, watching } from "./mcp/McpPlace.ts"

const completed = Event.ConductorCompleted.make({ at: 2000, by: "agent" })

/** Makes a store with one living watch, and with so many that have ended. */
const stage = Effect.fnUntraced(function* (ended: number) {
  const { as, project, watch } = yield* place({ comms: false })
  const open = watching({ project, comms: null })
  for (let n = 0; n < ended; n++) yield* watch(`w-${n}`, [...open, completed])
  yield* watch("living", open)
  /** Returns the facts that `status` prints, and the rest. */
  const statusOn = Effect.fnUntraced(function* (columns: number | undefined, ...flags: ReadonlyArray<string>) {
    const before = [(yield* TestConsole.logLines).length, (yield* TestConsole.errorLines).length] as const
    yield* as("", {}, undefined, columns)(cli(["status", ...flags, "--project-dir", project]))
    return {
      facts: (yield* TestConsole.logLines).slice(before[0]).map(String),
      rest: (yield* TestConsole.errorLines).slice(before[1]).map(String)
    }
  })
  const status = (...flags: ReadonlyArray<string>) => statusOn(200, ...flags)
  const json = (...flags: ReadonlyArray<string>) =>
    Effect.map(status("--json", ...flags), ({ facts, rest }) => ({
      ids: (JSON.parse(facts.join("\n")) as ReadonlyArray<{ readonly watch: string }>).map((one) => one.watch),
      rest
    }))
  return { status, piped: statusOn(undefined), json, watch }
})
const rows = (facts: ReadonlyArray<string>) => facts.slice(1, facts.includes("") ? facts.indexOf("") : undefined)

describe("command-line#status", () => {
  it.layer(services)((it) => {
    it.effect("status lists what lives and what ended since the last look, and says how many more have ended", () =>
      Effect.gen(function* () {
        const { json, piped, status, watch } = yield* stage(2)
        // Nobody has looked at what went into a pipe, or to a program that polls.
        assert.include((yield* piped).facts.join("\n"), "SINCE YOU LAST LOOKED")
        assert.deepStrictEqual(yield* json(), { ids: ["living", "w-1", "w-0"], rest: [] })
        const first = yield* status()
        assert.match(first.facts[0]!, /^NAME +STATE +AGENT +GEN /u)
        assert.match(rows(first.facts)[0]!, /^living .* claude +S1 /u)
        assert.lengthOf(rows(first.facts), 3)
        assert.deepStrictEqual(first.rest, [])
        const more = "2 more watches have ended: souffleur status --all"
        const second = yield* status()
        assert.deepStrictEqual([rows(second.facts).length, second.rest], [1, [more]])
        assert.notInclude(second.facts.join("\n"), "SINCE YOU LAST LOOKED", "nothing has happened since")
        assert.deepStrictEqual(yield* json(), { ids: ["living"], rest: [more] })
        assert.deepStrictEqual(yield* json("--all"), { ids: ["living", "w-1", "w-0"], rest: [] })
        assert.lengthOf(rows((yield* status("--all")).facts), 3)
        assert.deepStrictEqual(yield* json("w-0"), { ids: ["w-0"], rest: [] })
        yield* watch("living", [completed])
        assert.deepStrictEqual((yield* json()).ids, ["living"], "it ended since")
        yield* status()
        const { facts, rest } = yield* status()
        assert.deepStrictEqual(facts, ["Nothing is watched now, and there is no news."])
        assert.deepStrictEqual(rest, ["3 more watches have ended: souffleur status --all"])
      })
    )

    it.effect("status --all says of a watch that has ended what status says of it alone", () =>
      Effect.gen(function* () {
        const { status, watch } = yield* stage(1)
        const { AgentChosen, ConductorDied, ConfigOverreached, RetriesExhausted } = examples
        yield* watch("w-0", [AgentChosen])
        yield* watch("failed", [
          ...watching({ project: "/opera", comms: null }),
          ConfigOverreached,
          { ...ConductorDied, retries: 2 },
          RetriesExhausted
        ])
        // The first look keeps the ends, and the second one reads what it kept.
        yield* status()
        const { facts, rest } = yield* status("--all")
        assert.lengthOf(rows(facts), 3)
        const cells = (row = "") => row.split(/ {2,}/u)
        for (const id of ["failed", "w-0"]) {
          const alone = yield* status(id)
          assert.deepStrictEqual(cells(rows(facts).find((row) => row.startsWith(id))), cells(rows(alone.facts)[0]))
          assert.deepStrictEqual(
            rest.filter((line) => line.includes(id)),
            alone.rest.filter((line) => line.includes(id))
          )
        }
        assert.match(rows(facts).join("\n"), /failed +✗ failed .* three ends without progress/u)
        assert.include(rest.join("\n"), "warning: failed: the config file of /opera asks for another")
      })
    )

    it.effect("status says how long a limit of a living watch lasts", () =>
      Effect.gen(function* () {
        const { status, watch } = yield* stage(0)
        assert.notInclude((yield* status("living")).facts.join("\n"), "LIMITS OF")
        const limits = { time: 3_600_000, tokens: null, dollars: null, then: "stop" } as const
        const [opened, ...rest] = watching({ project: "/p", comms: null })
        yield* watch("limited", [
          Event.WatchOpened.make({ ...(opened as typeof Event.WatchOpened.Type), limits }),
          ...rest
        ])
        const { facts } = yield* status("limited")
        assert.match(facts.join("\n"), /LIMITS OF limited\nlimit of time: .+ of 1 h 0 m used, lasts .+ \(exact\)/u)
        const json = JSON.parse((yield* status("limited", "--json")).facts.join("\n"))
        assert.deepInclude(json[0].limits[0], { limit: "time", of: 3_600_000, basis: "exact", resets_at: null })
      })
    )
    it.effect("status lists the last twenty of many that have ended", () =>
      Effect.gen(function* () {
        const { json } = yield* stage(23)
        const { ids, rest } = yield* json()
        assert.deepStrictEqual(ids, ["living", ...Array.from({ length: 20 }, (_, n) => `w-${22 - n}`)])
        assert.deepStrictEqual(rest, ["3 more watches have ended: souffleur status --all"])
      })
    )
  })
})
