import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { describeEvent, Event, nameOf, type Reader, utc, type WatchEvent } from "../src/index.ts"
import { examples } from "./fixtures/events/Examples.ts"
import { keepsQuoted, quotingEvents } from "./Quoted.ts"

const conductor: Reader["who"] = { comms: "/comms.db", kind: "agent" }
const agent: Reader["who"] = { comms: null, kind: "agent" }
const command: Reader["who"] = { comms: null, kind: "command" }
const handing: Reader["who"] = { ...agent, agent: "codex", handedFrom: "claude" }
const all = Object.values(examples) as ReadonlyArray<WatchEvent>
const textFor = (event: WatchEvent, who: Reader["who"]) => describeEvent(event, { who }).text

it("each event of a watch is described by a sentence that begins with its subject, and by the same clause", () => {
  for (const event of all)
    for (const who of [conductor, agent, command, handing]) {
      const { clause, text } = describeEvent(event, { who })
      assert.match(text, /^(?:[A-Z]|souffleur).*[.!?…]$/u, event._tag)
      assert.match(clause, /^[a-z]/u, event._tag)
      assert.include(text.toLowerCase(), clause.toLowerCase())
      assert.notInclude(text, "undefined", event._tag)
    }
})

it("a reader who is not known reads of the Conductor, in UTC", () => {
  for (const event of all)
    assert.deepStrictEqual(describeEvent(event), describeEvent(event, { who: conductor, zone: utc }), event._tag)
})

describe("behaviour#plain-words", () => {
  it("a path is printed unchanged for every reader", () => {
    const message = "/srv/the Conductor (S2)/claude: no such program"
    const closed = Event.RecoveryFailedClosed.make({ at: 0, cycle: 1, stage: "launch", message })
    for (const who of [conductor, agent, command, handing])
      assert.strictEqual(textFor(closed, who), `Recovery failed closed at launch: ${message}.`)
  })

  it.effect("the words of others stand unchanged, in any event, for any reader", () =>
    Effect.gen(function* () {
      for (const event of yield* quotingEvents(Event.WatchEvent))
        for (const who of [conductor, agent, command, handing])
          for (const zone of [utc, () => 3_600_000]) {
            const { clause, own, text } = describeEvent(event, { who, zone })
            for (const sentence of [clause, own, text]) assert.isTrue(keepsQuoted(sentence), sentence)
          }
    })
  )
})

describe("command-line#screen", () => {
  it("without comms no sentence speaks of a Conductor, and of a command none speaks of a recovery", () => {
    assert.deepStrictEqual([conductor, agent, command].map(nameOf), ["the Conductor", "the agent", "the command"])
    // Only in comms a word is refused.
    for (const event of all.filter(({ _tag }) => _tag !== "WordRefused"))
      for (const who of [agent, command])
        assert.notMatch(describeEvent(event, { who }).own, /\b(?:the|an?) Conductor\b|successor/iu, event._tag)
    const { ConductorRelaunched: back, RecoveryStarted: begins } = examples
    const relaunched = { ...back, provider: "restart", sessionId: "", generation: 2 }
    const { pid } = back.conductor!
    assert.strictEqual(textFor(relaunched, command), `The command runs again (S2, pid ${pid}).`)
    assert.strictEqual(textFor(begins, command), "souffleur starts the command again.")
    assert.strictEqual(textFor(begins, agent), "souffleur brings the agent back.")
    assert.match(textFor({ ...back, provider: "resume" }, agent), /^The agent is back .*: its session is resumed\.$/u)
  })
})

describe("behaviour#hand-over", () => {
  it("an agent that a person chose has its own name, and the agent before it keeps its name until the launch", () => {
    const handed = { ...agent, agent: "codex" }
    const { ConductorDied: died, ConductorRelaunched: back, RecoveryStarted: begins } = examples
    assert.match(textFor(died, handed), /^Codex /u)
    assert.match(textFor(died, handing), /^Claude /u)
    assert.strictEqual(textFor(begins, handing), "souffleur stops claude, and exports its conversation.")
    assert.match(
      textFor({ ...back, provider: "handover" }, handing),
      /^Codex goes on .*: it reads an export of the conversation before\.$/u
    )
    assert.strictEqual(nameOf({ ...handed, comms: "/comms.db" }), "the Conductor")
  })
})

describe("behaviour#recovery_command", () => {
  it("the program that launched a successor is named, and the process where it is known", () => {
    const back = { ...examples.ConductorRelaunched, provider: "recovery_command", generation: 2, sessionId: "s1" }
    const { pid } = back.conductor!
    assert.strictEqual(
      textFor(back, agent),
      `The agent is back (S2, pid ${pid}, session s1): your recovery program launched it.`
    )
    assert.strictEqual(
      textFor({ ...back, conductor: null }, conductor),
      "The recovery program launched a successor (S2, session s1)."
    )
  })
})

describe("behaviour#early-ends", () => {
  it("three ends without progress are told as likely done only where the agent only answered at last", () => {
    assert.include(
      describeEvent({ ...examples.EndedEarly, reason: "only-answered" }).text,
      "nothing but reading has succeeded since it was brought back"
    )
    const told = (trigger: "only-answered" | "pid") => describeEvent({ ...examples.RetriesExhausted, trigger }).text
    assert.match(
      told("only-answered"),
      /The work is likely done: "souffleur why" shows its last words, and how it goes on if they say otherwise\. Nothing/u
    )
    assert.match(told("pid"), /^Three ends without progress: nothing is launched any more\./u)
  })
})
it("a dead process is told as what it is: gone, or a zombie", () => {
  const told = (process: "gone" | "zombie") =>
    describeEvent({
      ...examples.ConductorDied,
      reason: "pid",
      evidence: { ...examples.ConductorDied.evidence, process, end: null }
    }).text
  assert.include(told("zombie"), "its process is a zombie")
  assert.include(told("gone"), "its process is gone")
})
