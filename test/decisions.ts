import { decide, Event, evolve, initial, type Watch, type WatchEvent, type WatchIntent } from "@souffleur/domain"
import { Result } from "effect"

/**
 * `pnpm decisions` prints what follows in each state of a watch from what its watcher reports, and from a person's word.
 * The table in `docs/architecture.md` is this one.
 */

const at = 1000
const owner = {
  host: "here",
  machine: "m",
  pidNamespace: "pid:[1]",
  process: { pid: 10, startTime: 5, bootId: "boot" }
}
const conductor = { pid: 4711, startTime: 99, bootId: "boot" }
const baseline = { taskCount: 2, taskFingerprint: "a", conductorState: "working", lastMessageId: 7 }
const evidence = {
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

const opened: ReadonlyArray<WatchEvent> = [
  Event.WatchOpened.make({ at, project: "/p", comms: null, pid: 4711, sessionId: "s1", observe: false }),
  Event.OwnerTook.make({ at, fence: 1, owner })
]
const watching = [
  ...opened,
  Event.ConductorConfirmed.make({ at, conductor, sessionId: "s1", print: false, ...baseline }),
  Event.WatcherStarted.make({ at, watcher: 1, awaiting: false, mode: "normal" }),
  Event.SelfMonitorStarted.make({ at, monitor: 1, watcher: 1 }),
  Event.WatchSettled.make({ at })
]

/** Returns a watch after these words to it. */
const after = (events: ReadonlyArray<WatchEvent>, ...intents: ReadonlyArray<WatchIntent>): Watch =>
  intents.reduce(
    (watch, intent) => Result.getOrThrow(said(watch, intent)).reduce(evolve, watch),
    events.reduce(evolve, initial)
  )
const said = (watch: Watch, intent: WatchIntent) =>
  decide(watch, {
    ...intent,
    ...("watcher" in intent ? { watcher: watch.watcher?.watcher ?? 0 } : {}),
    now: at + 1,
    by: words.has(intent._tag) ? { _tag: "Operator" } : { _tag: "Owner", fence: watch.fence }
  } as Parameters<typeof decide>[1])
const words: ReadonlySet<WatchIntent["_tag"]> = new Set(["Finish", "Go", "Hold", "Release", "Retry", "Stop"])

type Exit = Extract<WatchIntent, { readonly _tag: "ReportExit" }>["exit"]
const reports = (exit: Exit): WatchIntent => ({ _tag: "ReportExit", watcher: 1, exit, tasks: null, evidence })
const dead = reports({ _tag: "Dead", reason: "pid" })
const limited = reports({ _tag: "Limited", kind: "usage-limit", turnAt: at, resetsAt: at + 60_000 } as Exit)
const failed: WatchIntent = { _tag: "FailClosed", cycle: 1, stage: "launch", message: "there is no such agent" }

const states: Readonly<Record<string, Watch>> = {
  watching: after(watching),
  held: after(watching, { _tag: "Hold" }),
  waiting: after(watching, limited),
  recovering: after(watching, dead),
  standby: after(watching, dead, failed)
}
const intents: Readonly<Record<string, WatchIntent>> = {
  "it died": dead,
  "it is limited": limited,
  "wait is over": reports({ _tag: "WaitOver", how: "over" }),
  "context is full": reports({ _tag: "ContextExhausted" }),
  "it ends": reports({ _tag: "Complete" }),
  hold: { _tag: "Hold" },
  go: { _tag: "Go" },
  retry: { _tag: "Retry" } as WatchIntent,
  done: { _tag: "Finish", saidBy: "operator" },
  stop: { _tag: "Stop" },
  release: { _tag: "Release" }
}

/** What a watcher never reports in a state: it waits for the end of the wait. */
const silent: Readonly<Record<string, ReadonlyArray<string>>> = { waiting: ["it died", "context is full"] }

/** Names the state of a watch. */
const nameOf = ({ end, held, recovery, standby, wait }: Watch): string => {
  if (recovery !== undefined) return recovery.purpose === "stop" ? "stops" : "recovers"
  return (
    end ?? (held !== undefined ? "held" : standby !== undefined ? "standby" : wait !== undefined ? "waits" : "watches")
  )
}

/** The table, a line for each event. */
export const table = (): ReadonlyArray<string> => {
  const cell = (watch: Watch, intent: WatchIntent) =>
    Result.match(said(watch, intent), {
      onFailure: () => "refused",
      onSuccess: (events) => (events.length === 0 ? "nothing" : nameOf(events.reduce(evolve, watch)))
    })
  const rows = [
    ["", ...Object.keys(states)],
    ...Object.entries(intents).map(([name, intent]) => [
      name,
      ...Object.entries(states).map(([state, watch]) => (silent[state]?.includes(name) ? "-" : cell(watch, intent)))
    ])
  ]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((one, column) => one.padEnd(widths[column]!))
      .join("  ")
      .trimEnd()
  )
}

if (import.meta.main) console.log(table().join("\n"))
