import { assert, it } from "@effect/vitest"
import { Event } from "@souffleur/domain"
import { examples } from "../../conductor/test/fixtures/events/Examples.ts"
import { runSentence } from "../src/explain/RunTelling.ts"
import { sentence } from "../src/explain/Telling.ts"

const evil = `\u001B[2J\n2026-01-01 a line of ours\u009B\u202E${"x".repeat(10_000)}`

it("what happened is one line, plain and in short, whatever it quotes", () => {
  const lines = [
    sentence(Event.PersonAwaited.make({ at: 0, watcher: 1, for: evil })),
    sentence(Event.RecoveryFailedClosed.make({ at: 0, cycle: 1, stage: "gate", reason: evil })),
    runSentence({ ...examples.TaskEscalated, reason: evil })
  ]
  for (const line of lines) {
    assert.notMatch(line, /[\p{Cc}\u202E]/u)
    assert.include(line, "\\u001b[2J\\u000a2026-01-01")
    assert.isBelow(line.length, 2100)
  }
})
