import { assert, describe, it } from "@effect/vitest"
import { initial, type Watch } from "@souffleur/domain"
import { UnreadableEvent } from "@souffleur/eventlog"
import { freshTask, initialRun, type Run, type Task } from "@souffleur/plan"
import { jobFacts, jobJson, jobLine, jobNote, jobWord, runJob, watchJob } from "../src/jobs/Job.ts"
import { noon, recovery } from "./AtNoon.ts"

const unreadable = new UnreadableEvent({ stream: "w", revision: 3, tag: "Died", version: 1, problem: "no JSON" })
const wait = {
  kind: "usage-limit",
  since: noon,
  until: noon + 60_000,
  trigger: "limit",
  turnAt: null,
  resetsAt: null
} as const

const ofWatch = (more: Partial<Watch>, owned = true) =>
  watchJob({ id: "w", watch: { ...initial, phase: "Watching", lastEventAt: noon, ...more } }, owned)
const ofRun = (more: Partial<Run>, owned = true) =>
  runJob({ id: "r", run: { ...initialRun, phase: "implementation", project: "/p", plan: "plan.md", ...more } }, owned)

describe("command-line#state-words", () => {
  it("a watch has one of five words, and a need of a person is more urgent than a recovery", () => {
    const person = { for: "permission prompt", since: noon }
    const idle = { since: noon }
    const held = { since: noon, byAgent: false }
    const standby = { cycle: 1, trigger: "pid", stage: "hold", message: "held", since: noon, ended: true } as const
    const ceiling = { ceiling: "tokens", used: 2, limit: 1, flag: null } as const
    for (const [given, then] of [
      [ofWatch({}), "working"],
      [ofWatch({ phase: "Settling" }), "working: settling"],
      [ofWatch({ recovery }), "recovering"],
      [ofWatch({ wait }), "recovering: waits until 12:01:00 UTC (usage limit)"],
      [ofWatch({ generation: 2, launchId: "w-g2" }), "recovering: watching, hand-off not taken yet"],
      [ofWatch({ idle }), "idle: its turn is over"],
      [ofWatch({ idle, recovery }), "recovering"],
      [ofWatch({ idle, ceiling }), "needs you: its ceiling of tokens is reached"],
      [ofWatch({ person, recovery }), "needs you: it waits for a person"],
      [ofWatch({ held, idle }), 'idle: held until "souffleur go"'],
      [ofWatch({ held, standby: { ...standby, held: true } }), "needs you: it is held, and a recovery is withheld"],
      [ofWatch({ recovery }, false), "needs you: no souffleur looks after it"],
      [ofWatch({ phase: "Exited", end: "completed" }, false), "ended: completed"]
    ] as const)
      assert.strictEqual(jobLine(given), then)
  })

  it("a run has the same words, with the command to type next where it needs a person", () => {
    const failed = { phase: "finished", finishing: "failed", finishingFailure: "exit code 1" } as const
    const pin = initialRun.pin
    for (const [given, then, next] of [
      [ofRun({}), "working: between tasks", undefined],
      [
        ofRun({ wait: { kind: "outage", since: 0, until: noon, agent: null, sessionId: "s" } }),
        "recovering: waits for the service until 2026-03-01 12:00 UTC"
      ],
      [
        ofRun({ wait: { kind: "login", since: 0, until: noon, agent: null, sessionId: "s" } }),
        "needs you: waits for a login that the service takes until 2026-03-01 12:00 UTC",
        "souffleur go r"
      ],
      [ofRun({ phase: "finished", finishing: "none" }, false), "ended: complete"],
      [ofRun({}, false), "needs you: no souffleur conducts it", "souffleur conduct plan.md --project-dir /p"],
      [
        ofRun(failed),
        "needs you: complete, but for its finishing step: exit code 1",
        "souffleur conduct status --run r"
      ],
      [
        ofRun({ paused: { reason: "dirty", files: [], message: "" } }, false),
        "needs you: paused: uncommitted changes",
        "souffleur conduct status --run r"
      ],
      [
        ofRun({ overreach: { said: pin, keys: [] } }),
        "needs you: its config file is not trusted",
        "souffleur config --trust"
      ]
    ] as const)
      assert.deepStrictEqual([jobLine(given), given.need?.next], [then, next])
  })

  it("a job whose log cannot be read needs a person, whatever was read of it", () => {
    const ended = { ...initial, phase: "Exited", end: "completed" } as const
    const watch = watchJob({ id: "w", watch: ended, unreadable }, true)
    const run = runJob({ id: "r", run: { ...initialRun, phase: "finished", finishing: "none" }, unreadable }, true)
    assert.deepStrictEqual([watch.state, run.state], ["needs you", "needs you"])
    assert.deepStrictEqual([watch.need?.next, run.need?.next], ["souffleur doctor", "souffleur doctor"])
  })

  it("a hold and a failure have words of their own, and a run says how many of its tasks are complete", () => {
    const held = { since: noon, byAgent: false }
    const failed = ofWatch({ phase: "Exited", end: "retries exhausted" })
    assert.deepStrictEqual([jobWord(failed), jobNote(failed)], ["failed", "three ends without progress"])
    assert.deepStrictEqual(jobWord(ofWatch({ held })), "held")
    assert.deepStrictEqual(jobWord(ofWatch({ held: { ...held, byAgent: true } })), "needs you")
    assert.deepStrictEqual(jobWord(ofWatch({ held, phase: "Exited", end: "completed" })), "ended")
    assert.deepStrictEqual(jobWord(ofRun({ held })), "held")
    assert.deepStrictEqual(jobWord(ofRun({ held, phase: "finished", finishing: "none" })), "ended")
    const tasks = ["completed", "pending", "escalated"].map(
      (status, n) => ({ ...freshTask({ id: `t${n}`, title: "", dependsOn: [] }), status }) as Task
    )
    assert.deepStrictEqual(jobFacts(ofRun({ tasks, used: { tokens: 1200, dollars: 42 } })), [
      "1 of 3 tasks",
      "1,200 tokens, $0.42"
    ])
    assert.deepStrictEqual(jobFacts(ofWatch({ generation: 3, retries: 2 })), ["S3", "2 of 3 without progress"])
  })

  it("a state has the time since when it is so, where the log tells it", () => {
    const held = { since: noon - 3, byAgent: false }
    const person = { for: "a permission", since: noon - 2 }
    for (const [given, then] of [
      [ofWatch({ launchedAt: noon - 9 }), noon - 9],
      [ofWatch({ openedAt: noon - 10 }), noon - 10],
      [ofWatch({ idle: { since: noon - 1 } }), noon - 1],
      [ofWatch({ held, idle: { since: noon - 1 } }), noon - 3],
      [ofWatch({ recovery, held }), recovery.since],
      [ofWatch({ person, held }), noon - 2],
      [ofWatch({ held }, false), null],
      [ofWatch({ phase: "Exited", end: "completed" }, false), noon],
      [ofRun({ lastEventAt: noon }), noon],
      [ofRun({ lastEventAt: noon, held }), noon - 3],
      [ofRun({ lastEventAt: noon, held, stop: { since: noon - 1, now: true } }), noon - 1],
      [ofRun({}, false), null],
      [ofRun({ lastEventAt: noon - 5, paused: { reason: "dirty", files: [], message: "" } }, false), noon - 5],
      [ofRun({ wait: { kind: "outage", since: noon - 4, until: noon, agent: null, sessionId: "s" } }), noon - 4]
    ] as const)
      assert.strictEqual(given.since, then)
  })

  it("a job is read by programs with its time in UTC", () => {
    assert.deepStrictEqual(jobJson(ofWatch({ project: "/p", firstAgent: "pi" })), {
      kind: "watch",
      id: "w",
      title: null,
      labels: {},
      project: "/p",
      agent: "pi",
      state: "working",
      standing: "watching",
      need: null,
      held: false,
      generation: 1,
      retries: 0,
      tasks: null,
      used: null,
      state_since: "1970-01-01T00:00:00.000Z",
      begun_at: "1970-01-01T00:00:00.000Z",
      last_event_at: "2026-03-01T12:00:00.000Z"
    })
  })
})
