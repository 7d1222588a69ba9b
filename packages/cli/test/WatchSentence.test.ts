import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { describeRunEvent, foldRun, type RunEvent, runNoticeOf } from "@souffleur/plan"
import { describeEvent, Event, initial, type Recorded, utc, type WatchEvent } from "@souffleur/domain"
import { noticeOf, publicationOf, noEpisode } from "@souffleur/supervisor"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { examples as watchExamples } from "../../domain/test/fixtures/events/Examples.ts"
import { reasonOf, reasonText, runReasonLines, runReasonOf, runSentence, sentence } from "@souffleur/embed/internal"
import { reasonsOf } from "@souffleur/embed"
import { keepsQuoted, quotingEvents } from "../../domain/test/Quoted.ts"
import { runLine } from "../src/conducting/RunLine.ts"
import { screenLine } from "../src/explain/ScreenLine.ts"
import { watchLines } from "../src/explain/WatchLine.ts"

const recordedOf = <E>(event: E) => ({ position: 1, stream: "w", revision: 1, event })
const tokyo = () => 32_400_000
const known = { ...initial, comms: "/comms.db", generation: 1 }
const evil = `\u001B[2J\n2026-01-01 a line of ours\u009B\u202E${"x".repeat(10_000)}`

describe("behaviour#plain-words", () => {
  it("the sentence of an event is one short line without control characters, whatever it quotes", () => {
    const lines = [
      sentence(Event.PersonAwaited.make({ at: 0, watcher: 1, for: evil }), known),
      sentence(Event.RecoveryFailedClosed.make({ at: 0, cycle: 1, stage: "gate", message: evil }), known),
      runSentence({ ...examples.TaskEscalated, message: evil })
    ]
    for (const line of lines) {
      assert.notMatch(line, /[\p{Cc}\u202E]/u)
      assert.include(line, "\\u001b[2J\\u000a2026-01-01")
      assert.isBelow(line.length, 2100)
    }
  })

  it.effect("the words of others stand unchanged on every screen, and in the reasons", () =>
    Effect.gen(function* () {
      for (const event of yield* quotingEvents(Event.WatchEvent))
        for (const watch of [known, { ...initial, kind: "command" as const }, { ...initial, agent: "codex" }]) {
          const [reason] = reasonsOf([recordedOf(event)], watch, tokyo)
          for (const line of [
            screenLine(event, watch, "w", tokyo)?.text ?? "",
            sentence(event, watch, tokyo),
            ...(reason === undefined ? [] : [...reason.seen, reason.rule, reason.act ?? ""])
          ])
            assert.isTrue(keepsQuoted(line), line)
        }
    })
  )
})

const unpainted = (_: string, text: string) => text
const options = { watch: known, brush: unpainted, columns: undefined, zone: utc }

describe("behaviour#notices", () => {
  it("each event of a watch has one description for log, why, comms and the notify command", () => {
    for (const event of Object.values(watchExamples) as ReadonlyArray<WatchEvent>) {
      const { message, notice, own, text, words } = describeEvent(event)
      const recorded: Recorded = recordedOf(event)
      assert.include(watchLines(recorded, options)[0], text, event._tag)
      const reason = reasonOf([recorded], 1)
      if (reason !== undefined) assert.include(reasonText(reason, known)[0], text, event._tag)
      const telling = publicationOf(event)
      assert.strictEqual(telling.message?.kind, message, event._tag)
      if (message !== undefined) assert.include(telling.message?.text, text, event._tag)
      assert.isTrue(text.startsWith(words === null ? text : own.slice(0, -1)), event._tag)
      const told = noticeOf("w", event, { ...noEpisode, watch: known })
      if (told === undefined) continue
      assert.strictEqual(told.kind, notice, event._tag)
      assert.deepStrictEqual([told.text, told.words], [own, words], event._tag)
    }
  })

  it("each event of a run has one description for log, why and its notice", () => {
    for (const event of Object.values(examples) as ReadonlyArray<RunEvent>) {
      const { notice, own, text } = describeRunEvent(event)
      const recorded = recordedOf(event)
      assert.include(runLine(recorded, unpainted), text, event._tag)
      const reason = runReasonOf([recorded], 1)
      if (reason !== undefined) assert.include(runReasonLines(reason)[0], text, event._tag)
      const told = runNoticeOf(event, foldRun([]))
      if (told === undefined) continue
      assert.strictEqual(told.kind, notice, event._tag)
      assert.isTrue(told.text.startsWith(own), event._tag)
    }
  })
})
