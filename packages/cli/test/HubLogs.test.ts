import { assert, describe, it } from "@effect/vitest"
import { noMark } from "@souffleur/fleet"
import type { LogStanding } from "@souffleur/hub"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { printLogs } from "../src/fleet/HubLogs.ts"

const one: LogStanding = {
  enrolledHost: "one",
  revoked: false,
  log: "0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1",
  host: "h",
  machine: null,
  mark: noMark,
  lastSeenAgo: 2000,
  skew: -5,
  forked: false,
  away: false,
  takesWords: true,
  full: false
}
const two: LogStanding = { ...one, enrolledHost: "two", forked: true, lastSeenAgo: 40_000, takesWords: false }

describe("command-line#fleet", () => {
  it.effect("each log is one line, whatever its host calls itself", () =>
    Effect.gen(function* () {
      yield* printLogs([{ ...one, host: "h\nbuild9  h\u001B[2J" }, two], { asJson: false })
      assert.deepStrictEqual(yield* TestConsole.logLines, [
        String.raw`one  h\u000abuild9  h\u001b[2J  ${one.log}  position 0  2 s ago`,
        `two  h  ${one.log}  position 0  40 s ago  takes no words  silent  forked`
      ])
      yield* printLogs([{ ...two, away: true }], { asJson: false })
      assert.include(String((yield* TestConsole.logLines).at(-1)), "takes no words  away  forked")
    })
  )

  it.effect("a program reads the same, and a hub without logs says so", () =>
    Effect.gen(function* () {
      yield* printLogs([two], { asJson: true })
      yield* printLogs([], { asJson: false })
      const [json, none] = yield* TestConsole.logLines
      assert.deepStrictEqual(JSON.parse(String(json)), [
        {
          name: "two",
          revoked: false,
          log: one.log,
          host: "h",
          position: 0,
          last_seen_ms: 40_000,
          silent: true,
          away: false,
          skew_ms: -5,
          forked: true,
          takes_words: false
        }
      ])
      assert.strictEqual(none, "No host has shipped yet.")
    })
  )
})
