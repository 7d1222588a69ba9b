import { givenBy } from "@souffleur/testing"
import { Result } from "effect"
import { decide, Event, evolve, initial, type WatchCommand, type WatchEvent, type WatchIntent } from "../src/index.ts"

export const conductor = { pid: 4711, startTime: 99, bootId: "boot" }
export const owner = {
  host: "here",
  machine: "m",
  pidNamespace: "pid:[1]",
  process: { pid: 10, startTime: 5, bootId: "boot" }
}
export const baseline = { taskCount: 2, taskFingerprint: "a", conductorState: "working", lastMessageId: 7 }
export const evidence = {
  process: "gone" as const,
  conductorState: "working",
  heartbeat: null,
  heartbeatAge: null,
  staleAfter: 240_000,
  signs: [],
  contextTokens: null,
  turnFinished: false,
  end: null
}

/** A launch that cycle 1 prepares. */
export const preparation = {
  cycle: 1,
  launchId: "l1",
  digest: "d",
  sessionId: "s2",
  requested: "acceptEdits",
  effective: "acceptEdits"
} as const

const givenEvents = givenBy({ decide, evolve, initial })
/** given these events, when this is wanted, then these events (or this refusal). */
export const given = (...events: ReadonlyArray<WatchEvent>) => {
  const { state: watch, when } = givenEvents(...events)
  return {
    watch,
    when: (intent: WatchIntent, by: WatchCommand["by"] = { _tag: "Owner", fence: watch.fence }) => {
      const said = when({ ...intent, now: 1000, by })
      /** The events; none where it is refused. */
      return { ...said, granted: () => Result.getOrElse(said.decided, (): ReadonlyArray<WatchEvent> => []) }
    }
  }
}

export const at = 500
export const opened = Event.WatchOpened.make({
  at,
  project: "/p",
  comms: "/p/comms.db",
  pid: 4711,
  sessionId: "s1",
  observe: false
})
export const owned = Event.OwnerTook.make({ at, fence: 1, owner })
export const confirmed = Event.ConductorConfirmed.make({ at, conductor, sessionId: "s1", print: false, ...baseline })
export const watcher = (n: number, awaiting = false) =>
  Event.WatcherStarted.make({ at, watcher: n, awaiting, mode: "normal" })
export const monitor = (n: number, of = n) => Event.SelfMonitorStarted.make({ at, monitor: n, watcher: of })
export const settled = Event.WatchSettled.make({ at })
export const watching = [opened, owned, confirmed, watcher(1), monitor(1), settled]
export const dead = (taskCount: number | null = 2, watcher = 1, fingerprint = "a"): WatchIntent => ({
  _tag: "ReportExit",
  watcher,
  exit: { _tag: "Dead", reason: "pid" },
  tasks: taskCount === null ? null : { count: taskCount, fingerprint },
  evidence
})
export const died = (retries: number, watcher = 1) =>
  Event.ConductorDied.make({ at: 1000, watcher, reason: "pid", retries, taskCount: 2, taskFingerprint: "a", evidence })
export const started = (cycle: number, purpose: "relaunch" | "export" = "relaunch") =>
  Event.RecoveryStarted.make({ at: 1000, cycle, purpose, trigger: "pid" })
export const relaunched = (generation: number, cycle = generation - 1) =>
  Event.ConductorRelaunched.make({
    print: true,
    at,
    cycle,
    generation,
    provider: "claude_export",
    launchId: `l${cycle}`,
    conductor: { ...conductor, pid: 4711 + cycle },
    sessionId: `s${generation}`,
    awaiting: true,
    exportPath: "/e.md",
    ...baseline
  })
export const prepared = (cycle: number) =>
  Event.LaunchPrepared.make({
    at,
    cycle,
    launchId: `l${cycle}`,
    digest: "d",
    sessionId: "s2",
    requested: "acceptEdits",
    effective: "acceptEdits"
  })
