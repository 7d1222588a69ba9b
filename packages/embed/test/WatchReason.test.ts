import { assert, describe, it } from "@effect/vitest"
import { Event, exportLimits, unknownSession, type WatchEvent } from "@souffleur/domain"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { reasonOf, reasonsOf, reasonText } from "../src/explain/WatchReason.ts"
import { isNews, sentence } from "../src/explain/WatchSentence.ts"

const at = Date.UTC(2026, 2, 1, 3)
const hour = 3_600_000
const conductor = { pid: 4711, startTime: 99, bootId: "boot" }
const opened = [
  Event.WatchOpened.make({ at, project: "/p", comms: null, pid: 4711, sessionId: "s1", observe: false, kind: "agent" }),
  Event.ConductorConfirmed.make({
    at,
    conductor,
    sessionId: "s1",
    print: true,
    taskCount: 0,
    taskFingerprint: "0 head",
    conductorState: null,
    lastMessageId: 0
  })
]
const evidence = {
  process: "running",
  conductorState: null,
  heartbeat: null,
  heartbeatAge: null,
  staleAfter: 240_000,
  signs: [{ source: "processor", says: "not used", age: 420_000 }],
  contextTokens: 120_400,
  turnFinished: false,
  end: null
} as const
const died = (reason: "hang" | "pid" | "untaken") =>
  Event.ConductorDied.make({
    at: at + hour,
    watcher: 1,
    evidence,
    taskCount: 0,
    taskFingerprint: "0 head",
    reason,
    retries: 1
  })
const known = { comms: "/comms.db", kind: "agent" } as const
const recordedAs = (events: ReadonlyArray<WatchEvent>) =>
  events.map((event, n) => ({ stream: "w", revision: n + 1, position: n + 1, event }))
/** Returns the words of `why` after these events. */
const why = (...events: ReadonlyArray<WatchEvent>): string => {
  const recorded = recordedAs([...opened, ...events])
  const reason = reasonOf(recorded, recorded.length)
  const lines = reason === undefined ? [] : reasonText(reason, known)
  for (const line of lines.slice(1)) assert.isAtMost(line.length, 120, line)
  return lines.join("\n")
}
const wait = (kind: "usage-limit" | "outage" | "quiet-hours" | "pause", resetsAt: number | null) =>
  Event.WaitStarted.make({ at, watcher: 1, kind, until: at + hour, resetsAt, trigger: "limit" })

describe("behaviour#payload", () => {
  it("why and log tell which part of a payload was not understood, and the reason of a launch's permission", () => {
    const at = Date.UTC(2026, 2, 1, 3)
    const payload = (warnings: ReadonlyArray<string>) =>
      Event.StepSucceeded.make({
        at,
        cycle: 1,
        step: "0 payload",
        outcome: { messageId: 7, digest: "d", requested: "invalid", warnings }
      })
    const prepared = (requested: "invalid" | "bypassPermissions") =>
      Event.LaunchPrepared.make({
        at,
        cycle: 1,
        launchId: "w-g2-launch-1",
        digest: "d",
        requested,
        effective: "acceptEdits",
        sessionId: "s2"
      })
    const relaunched = Event.ConductorRelaunched.make({
      at,
      cycle: 1,
      conductor,
      generation: 2,
      provider: "claude_export",
      sessionId: "s2",
      awaiting: false,
      launchId: "w-g2-launch-1",
      print: true,
      exportPath: null,
      taskCount: 0,
      taskFingerprint: "0 head",
      conductorState: null,
      lastMessageId: 0
    })
    const started = Event.RecoveryStarted.make({ at, cycle: 1, purpose: "relaunch", trigger: "handoff" })
    const told = why(started, payload(["line 2 of the payload is malformed"]), prepared("invalid"), relaunched)
    assert.include(told, "  line 2 of the payload is malformed")
    assert.include(told, "  a permission was asked for that no launch may have: it gets acceptEdits")
    assert.include(
      why(started, payload([]), prepared("bypassPermissions"), relaunched),
      "bypassPermissions was asked for, acceptEdits is the ceiling"
    )
    assert.include(
      sentence(payload(["line 2 of the payload is malformed"]), known),
      ": line 2 of the payload is malformed."
    )
    assert.isTrue(isNews(payload(["line 2"])))
    assert.isFalse(isNews(payload([])))
    assert.include(sentence(prepared("invalid"), known), "a permission was asked for that no launch may have")
    assert.isTrue(isNews(prepared("invalid")))
  })
})

describe("settings#gate", () => {
  it("why tells which threshold closed the gate, and by which window", () => {
    const outcome = {
      estimated_tokens: 90_000,
      estimated_tokens_full: 90_000,
      chars_scoped: 270_000,
      chars_full: 270_000,
      start_mode: "full_file",
      start_offset: 0,
      marker_found: false,
      marker_count: 0,
      warnings: [],
      measured_tokens: null,
      ...exportLimits({ trimChars: null, forceCompactThresholdTokens: null }, 200_000)
    }
    const gated = { at, cycle: 1, step: "4 estimate" }
    const told = why(
      died("pid"),
      Event.RecoveryStarted.make({ at, cycle: 1, purpose: "relaunch", trigger: "pid" }),
      Event.StepStarted.make({ ...gated, kind: "act", attempt: 1, token: "t" }),
      Event.StepSucceeded.make({ ...gated, outcome }),
      Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "gate", message: "too large" })
    )
    assert.include(
      told.replaceAll(/\s+/gu, " "),
      "estimated at 90000 tokens (full_file); the threshold is 80000 (by the model's window of 200000 tokens)"
    )
  })
})

describe("command-line#looking", () => {
  it("why tells what is waited out, until when, and by which source", () => {
    assert.include(
      why(wait("usage-limit", at + hour)),
      "the session file states that it ends at 2026-03-01 04:00:00 UTC"
    )
    assert.include(why(wait("outage", null)), "does not state when that ends: 1 h 0 m are tried, wait 1 in a row")
    const quiet = why(died("hang"), wait("quiet-hours", at + hour))
    assert.include(quiet, "every sign says that it does nothing any more", "the death that would have been followed")
    assert.include(quiet, "The quiet hours hold a recovery back until 04:00:00 UTC")
    assert.include(
      why(wait("outage", null), Event.WaitEnded.make({ at, watcher: 2, how: "went on" })),
      "goes on by itself is left alone"
    )
  })
  it("why tells of an awaited person, a deferred kill and a ceiling, and what to do there", () => {
    const person = why(Event.PersonAwaited.make({ at, watcher: 1, for: "permission prompt" }))
    for (const part of [
      "process 4711 in session s1 waits for a person",
      "it waits for: permission prompt",
      "souffleur attach goes there"
    ])
      assert.include(person, part)
    const deferred = Event.KillDeferred.make({
      at,
      watcher: 1,
      message: "the tool Bash was called and has no result yet",
      until: at + hour
    })
    assert.include(why(deferred), "left alone until 04:00:00 UTC: the tool Bash was called and has no result yet")
    const ceiling = why(
      Event.CeilingReached.make({ at, watcher: 1, ceiling: "tokens", used: 2_000_400, limit: 2_000_000 })
    )
    assert.include(ceiling, "2,000,400 tokens were used, of 2,000,000 that are allowed (MAX_TOKENS)")
    assert.include(ceiling, "counted from 2026-03-01 03:00:00 UTC on, over 1 session")
    assert.include(ceiling, "souffleur retry allows as much again")
    const foreseen = why({
      ...examples.LimitForeseen,
      limit: "dollars",
      used: 460,
      of: 500,
      span: null,
      resetsAt: null
    })
    assert.include(foreseen, "nears its limit of dollars: $4.60 of $5.00 used, lasts 21 m 0 s (estimated)")
    assert.include(foreseen, "Nothing is stopped or launched by it.")
    const renewed = why(
      Event.CeilingReached.make({ at, watcher: 1, ceiling: "time", used: 2, limit: 1 }),
      Event.AllowanceRenewed.make({ at: at + hour })
    )
    assert.include(renewed, "an operator said souffleur retry, at the ceiling of time")
    for (const told of [person, ceiling, renewed])
      assert.match(told, /Evidence\n {2}\S.*Rule\n {2}\S.*Action\n {2}(?!nothing more)\S/su)
  })

  it("why leaves comms out of a death without comms, and gives the reason of a relaunch", () => {
    const hung = why(died("hang"))
    assert.include(hung, "it has used no processor for 7 m 0 s")
    assert.notInclude(hung, "task-00")
    assert.include(why(died("untaken")), "it was launched 1 h 0 m before")
    assert.include(why(died("untaken")), "its session s1 had no file: it never began")
    const relaunched = Event.ConductorRelaunched.make({
      at,
      cycle: 1,
      generation: 2,
      provider: "small_handoff",
      launchId: "w-g2-c1-6-launch-1",
      conductor,
      sessionId: "s2",
      awaiting: false,
      print: true,
      exportPath: "/e.md",
      taskCount: 0,
      taskFingerprint: "0 head",
      conductorState: null,
      lastMessageId: 0
    })
    const started = Event.RecoveryStarted.make({ at, cycle: 1, trigger: "context", purpose: "relaunch" })
    assert.include(why(started, relaunched), "the recovery began because its conversation no longer fitted the model")
  })

  it("why of three ends without progress says how the last process ended, and how a person starts it again", () => {
    const ended = { ...died("pid"), evidence: { ...evidence, end: { _tag: "Exited", code: 3 } } } as const
    const starts = Event.RecoveryStarted.make({ at, cycle: 1, purpose: "export", trigger: "pid" })
    const exhausted = Event.RetriesExhausted.make({ at, cycle: 1, trigger: "pid", exportPath: null })
    assert.include(why(ended, starts, exhausted), "the last one ended with exit code 3")
    assert.notInclude(why(ended, died("pid"), starts, exhausted), "exit code")
    const of = (change: Partial<typeof Event.WatchOpened.Type>) =>
      reasonsOf(recordedAs([{ ...opened[0]!, ...change } as WatchEvent, ended, starts, exhausted])).at(-1)?.act ?? ""
    assert.include(of({}), "resumes session s1")
    for (const kind of ["agent", "command"] as const)
      assert.include(of({ kind, sessionId: unknownSession }), 'type its command again after "souffleur run --"')
  })
  it("why of a wait that a request ended names the request", () => {
    const asked = why(wait("outage", null), Event.WaitEnded.make({ at, watcher: 2, how: "asked" }))
    assert.include(asked, "asked for a fresh context: the wait is over")
    assert.notInclude(asked, "by itself")
  })
})

describe("behaviour#solo", () => {
  it("why tells of a hold and its end, of a wait that an operator ended, and of a command's end and pause", () => {
    const held = Event.HoldStarted.make({ at })
    const ended = (end: Event.Evidence["end"]) => {
      const death = died("pid")
      return { ...death, evidence: { ...death.evidence, end } }
    }
    assert.include(why(held), "souffleur go ends it")
    assert.include(why(held, Event.HoldEnded.make({ at: at + hour })), "it was held for 1 h 0 m")
    assert.include(why(held, Event.HoldEnded.make({ at })), "nothing was held back")
    assert.include(why(wait("outage", null), Event.WaitEnded.make({ at, watcher: 2, how: "go" })), "done now, once")
    const paused = why(ended({ _tag: "Exited", code: 3 }), wait("pause", at + hour))
    assert.include(paused, "The Conductor is dead: it ended with exit code 3")
    assert.include(paused, "it is brought back at 04:00:00 UTC, after a pause of 1 h 0 m")
    assert.include(why(ended({ _tag: "Killed", signal: "SIGKILL" })), "it ended by SIGKILL")
  })
})

describe("behaviour#standby", () => {
  it("log and why tell which process a person named against the evidence", () => {
    const adopted = (forced: boolean) =>
      Event.ConductorAdopted.make({
        at,
        by: "operator",
        generation: 2,
        conductor,
        sessionId: "s2",
        print: false,
        forced,
        taskCount: 0,
        taskFingerprint: "0 head",
        conductorState: null,
        lastMessageId: 0
      })
    assert.include(sentence(adopted(true), known), "an operator adopted it, against the evidence")
    assert.include(why(adopted(true)), "evidence said that it is another: the operator knew better (--force)")
    assert.include(
      sentence({ ...(opened[0] as typeof Event.WatchOpened.Type), forced: true }, known),
      "against the evidence"
    )
    for (const told of [sentence(adopted(false), known), why(adopted(false)), sentence(opened[0]!, known)])
      assert.notInclude(told, "evidence")
  })
})

describe("behaviour#hand-over", () => {
  it("why of a hand-over that failed names both ways on, and a person's word as the cause of what follows", () => {
    const chosen = (agent: string) => Event.AgentChosen.make({ at, from: "pi", agent })
    const began = (cycle: number) => Event.RecoveryStarted.make({ at, cycle, purpose: "relaunch", trigger: "handover" })
    const closed = (stage: string) => Event.RecoveryFailedClosed.make({ at, cycle: 1, stage, message: "no window" })
    const unfit = why(chosen("codex"), began(1), closed("hand-over"))
    assert.include(unfit, "nothing was stopped")
    assert.include(unfit, '"souffleur retry --agent pi" has pi go on')
    assert.include(unfit, '"souffleur retry --agent codex" tries again')
    assert.notInclude(why(chosen("codex"), began(1), closed("export")), "nothing was stopped")
    assert.notInclude(why(began(1), closed("export")), "--agent")
    const back = why(chosen("codex"), began(1), closed("export"), chosen("pi"))
    assert.include(back, "A person has pi go on with its own conversation")
    assert.notInclude(back, "is stopped, and")
    const relaunched = Event.ConductorRelaunched.make({
      at,
      cycle: 2,
      generation: 2,
      provider: "resume",
      launchId: "w-g2",
      conductor,
      sessionId: "s1",
      awaiting: false,
      print: true,
      exportPath: null,
      taskCount: 0,
      taskFingerprint: "0 head",
      conductorState: null,
      lastMessageId: 0
    })
    assert.include(why(chosen("codex"), began(2), relaunched), "because a person handed the conversation over")
    const afterDeath = { ...began(2), trigger: "pid" } as const
    assert.include(why(chosen("codex"), afterDeath, relaunched), "because a person handed the conversation over")
    assert.include(
      why(chosen("codex"), began(1), closed("export"), chosen("pi"), began(2), relaunched),
      "because a person took a failed hand-over back"
    )
  })
})

describe("command-line#page", () => {
  it("every decision is explained in the words of its watch: without comms of an agent, or of a command", () => {
    const left = [wait("outage", null), Event.WaitEnded.make({ at, watcher: 1, how: "went on" })]
    const rule = (change: Partial<typeof Event.WatchOpened.Type>) =>
      reasonsOf(recordedAs([{ ...opened[0]!, ...change } as WatchEvent, ...left])).at(-1)?.rule
    assert.strictEqual(rule({}), "An agent that goes on by itself is left alone.")
    assert.strictEqual(rule({ kind: "command" }), "A command that goes on by itself is left alone.")
    assert.strictEqual(rule({ comms: "/comms.db" }), "A Conductor that goes on by itself is left alone.")
  })
})
