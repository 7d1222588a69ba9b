import type { WatchEvent } from "@souffleur/domain"

/** The session of the agent, which each recovery resumes. */
export const sessionId = "5570b290-0000-4000-8000-000000000001"

/** A death with its evidence, about 300 bytes as a row: an event with many fields. */
export const died = (at: number): WatchEvent => ({
  _tag: "ConductorDied",
  at,
  watcher: 7,
  taskCount: 12,
  taskFingerprint: "5f0c3d1b9a7e4c26",
  evidence: {
    process: "gone",
    conductorState: "working",
    heartbeat: "2026-03-01 12:00:00",
    heartbeatAge: 61_000,
    staleAfter: 240_000,
    signs: [],
    contextTokens: null,
    turnFinished: false,
    end: null
  },
  reason: "pid",
  retries: 1
})

/** Makes the events of one recovery with its steps. A long watch repeats them. */
export const cycle = (n: number, at: number): ReadonlyArray<WatchEvent> => [
  died(at),
  { _tag: "RecoveryStarted", at, cycle: n, purpose: "relaunch", trigger: "pid" },
  {
    _tag: "StepStarted",
    at,
    cycle: n,
    step: "1 stop the old Conductor",
    kind: "act",
    attempt: 1,
    token: `watch/${n}/1/1`
  },
  {
    _tag: "StepSucceeded",
    at,
    cycle: n,
    step: "1 stop the old Conductor",
    outcome: { pids: [4711, 4712], signal: "SIGTERM" }
  },
  { _tag: "StepStarted", at, cycle: n, step: "2 export and trim", kind: "act", attempt: 1, token: `watch/${n}/2/1` },
  {
    _tag: "StepSucceeded",
    at,
    cycle: n,
    step: "2 export and trim",
    outcome: { path: "/home/someone/.local/state/souffleur/exports/a.md", bytes: 1_234_567 }
  },
  {
    _tag: "ConductorRelaunched",
    at,
    cycle: n,
    generation: n + 1,
    provider: "claude_export",
    launchId: `watch-${n}`,
    conductor: { pid: 4_180_000, startTime: 1, bootId: "bench" },
    sessionId,
    awaiting: true,
    print: true,
    exportPath: null,
    taskCount: 12,
    taskFingerprint: "5f0c3d1b9a7e4c26",
    conductorState: null,
    lastMessageId: 0
  },
  { _tag: "WatcherStarted", at, watcher: n + 1, awaiting: true, mode: "normal" },
  { _tag: "SelfMonitorStarted", at, monitor: n + 1, watcher: n + 1 },
  {
    _tag: "HandoffTaken",
    at,
    watcher: n + 1,
    launchId: `watch-${n}`,
    generation: n + 1,
    takenAt: at,
    contextTokens: 31_400,
    contextWindow: null
  }
]
