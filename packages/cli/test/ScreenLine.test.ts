import { assert, describe, it } from "@effect/vitest"
import { evolve, Event, initial, utc, type Watch, type WatchEvent } from "@souffleur/domain"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { screenLine } from "../src/explain/ScreenLine.ts"

const solo: Watch = { ...initial, comms: null, kind: "agent" }
const linesOf = (events: ReadonlyArray<WatchEvent>, from = solo) => {
  let watch = from
  return events.flatMap((event) => {
    watch = evolve(watch, event)
    const told = screenLine(event, { ...watch, comms: from.comms, kind: from.kind }, "opera-1507", utc)
    return told === undefined ? [] : [told.text]
  })
}
const relaunched = (provider: string) => ({ ...examples.ConductorRelaunched, provider })
const taken = Event.HandoffTaken.make({ ...examples.HandoffTaken, contextTokens: 31_204 })

describe("command-line#screen", () => {
  describe("the screen of run", () => {
    it("a line begins with a small letter, and each further sentence with a capital", () => {
      const [line] = linesOf([{ ...examples.WatchReleased, to: null }])
      assert.match(line ?? "", /^an operator released the watch\. The agent is left as it is/u)
      assert.match(linesOf([examples.ConductorDied])[0] ?? "", /^the agent died: /u)
    })
    it("a recovery has four lines: died and why, brought back and how, what was read, finished", () => {
      const { ConductorDied, LaunchPrepared, OwnerTook, RecoveryStarted, SelfMonitorStarted, StepStarted } = examples
      const { ConductorConfirmed, WatchSettled, WatcherStarted } = examples
      const events = [
        OwnerTook,
        ConductorConfirmed,
        WatcherStarted,
        SelfMonitorStarted,
        WatchSettled,
        ConductorDied,
        RecoveryStarted,
        StepStarted,
        { ...LaunchPrepared, requested: LaunchPrepared.effective },
        relaunched("claude_export"),
        taken,
        examples.ConductorCompleted
      ]
      assert.deepStrictEqual(linesOf(events), [
        `the agent runs (pid ${ConductorConfirmed.conductor.pid}) as opera-1507`,
        linesOf([ConductorDied])[0],
        `brought back (pid ${examples.ConductorRelaunched.conductor!.pid}): a new session reads an export of its conversation`,
        "it has read that, and goes on: 31,204 tokens of context",
        "the agent finished"
      ])
      assert.match(linesOf([ConductorDied])[0]!, /^the agent died: /u)
    })

    it("each way back is told in words, and another provider by its name", () => {
      const way = (provider: string) => linesOf([relaunched(provider)])[0]?.replace(/^.*?: /u, "")
      assert.strictEqual(way("continue_turn"), "its session goes on")
      assert.strictEqual(way("notes"), "by notes")
      assert.deepStrictEqual(linesOf([{ ...relaunched("recovery_command"), conductor: null }]), [
        "brought back: your recovery program launched it"
      ])
      assert.strictEqual(linesOf([relaunched("continue_turn"), taken])[1], "it goes on: 31,204 tokens of context")
    })

    it("a command that is given a terminal is told so", () => {
      const from: Watch = { ...solo, kind: "command" }
      const prepared = { ...examples.LaunchPrepared, requested: examples.LaunchPrepared.effective }
      assert.deepStrictEqual(linesOf([prepared], from), [])
      assert.deepStrictEqual(linesOf([{ ...prepared, pty: true }], from), ["the command gets a terminal of its own"])
    })

    it("a session that is not resumed in place is told with the reason", () => {
      const message = "its context is full: 180,001 tokens are in use, and the limit is 180,000"
      const escalated = (from: string) => ({ ...examples.RecoveryEscalated, from, message })
      assert.deepStrictEqual(linesOf([escalated("resume")]), [`its session is not resumed: ${message}`])
      assert.deepStrictEqual(linesOf([escalated("recovery_command")]), [`your recovery program: ${message}`])
      assert.deepStrictEqual(linesOf([escalated("claude_export")]), [])
    })

    it("a line has no word of the inside, whatever the event", () => {
      for (const event of Object.values(examples) as ReadonlyArray<WatchEvent>) {
        if (event._tag === "RoleGaveUp") continue
        for (const line of linesOf([event])) assert.notMatch(line, /Conductor|fence|self-monitor|\bS\d\b/u, event._tag)
        const beside: Watch = { ...solo, comms: "/p/comms.db" }
        for (const line of linesOf([event], beside))
          assert.notMatch(line, /(?<!\. )The Conductor|Conductor \(S/u, event._tag)
      }
    })

    it("a command is called so, and with comms the word Conductor stays", () => {
      const line = (from: Watch) => linesOf([examples.ConductorCompleted], from)
      assert.deepStrictEqual(line({ ...solo, kind: "command" }), ["the command finished"])
      assert.deepStrictEqual(line({ ...solo, comms: "/p/comms.db" }), ["the Conductor finished"])
    })

    it("a person is told what a person can act upon, and nothing of the routine", () => {
      const tags = (Object.values(examples) as ReadonlyArray<WatchEvent>)
        .filter((event) => linesOf([event]).length > 0)
        .map(({ _tag }) => _tag)
      assert.includeMembers(tags, [
        "PersonAwaited",
        "RecoveryFailedClosed",
        "RetriesExhausted",
        "WaitStarted",
        "HoldStarted",
        "HoldEnded",
        "EndingStarted",
        "RecoveryWithheld",
        "TurnEnded"
      ])
      assert.lengthOf(linesOf([{ ...examples.HoldStarted, byAgent: false }]), 1)
      for (const hidden of [
        "OwnerTook",
        "WatcherStarted",
        "StepStarted",
        "StepSucceeded",
        "RecoveryStarted",
        "WatchSettled"
      ])
        assert.notInclude(tags, hidden)
    })
  })
})
