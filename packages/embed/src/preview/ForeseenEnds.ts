import {
  attempts,
  type Baseline,
  decide,
  describeEvent,
  evolve,
  pauseUntil,
  type ProcessIdentity,
  type Watch,
  type WatchEvent,
  type WatcherExit,
  type WatchIntent,
  Words,
  type Zone
} from "@souffleur/domain"
import { Result } from "effect"

/** The kinds of end that a preview tells of. */
export type EndKind = "killed" | "hung" | "context full" | "usage limit" | "finished" | "third end without progress"

/** An end, and all that the rules would make of it. */
export interface ForeseenEnd {
  readonly kind: EndKind
  /** A sentence for each event that they would append. */
  readonly says: ReadonlyArray<string>
  /** The watch after those events. It has a recovery where one would begin. */
  readonly after: Watch
}

/** The moment and the place of a preview. */
export interface Foreseeing {
  /** Epoch ms. */
  readonly now: number
  /** The end of the user's quiet hours, epoch ms; `null`: no quiet hours now. */
  readonly quietUntil: number | null
  /** Milliseconds of the first pause of a command. */
  readonly pause: number
  /** The zone of the times. */
  readonly zone: Zone
  /** The path of the export that would be made. */
  readonly exported: string
  /** Milliseconds of `HEARTBEAT_STALE_AFTER`. */
  readonly staleAfter: number
}

interface Foreseen {
  readonly watch: Watch
  readonly events: ReadonlyArray<WatchEvent>
}

/** Decides an intent as a watch would, and folds what follows. A refusal changes nothing. */
const follow = ({ events, watch }: Foreseen, intent: WatchIntent, now: number): Foreseen => {
  const decided = Result.getOrElse(
    decide(watch, { ...intent, now, by: { _tag: "Operator" } }),
    (): ReadonlyArray<WatchEvent> => []
  )
  return { watch: decided.reduce(evolve, watch), events: [...events, ...decided] }
}

const evidence = (staleAfter: number) =>
  ({
    process: "gone",
    conductorState: null,
    heartbeat: null,
    heartbeatAge: staleAfter,
    staleAfter,
    signs: [],
    contextTokens: null,
    turnFinished: false,
    end: null
  }) as const

const exits: Readonly<Record<EndKind, (watch: Watch) => ReadonlyArray<WatcherExit>>> = {
  killed: ({ kind }) => [
    { _tag: "Dead", reason: "pid" },
    // A command has a pause first.
    ...(kind === "command" ? [{ _tag: "WaitOver", how: "over" } as const] : [])
  ],
  // With comms a hang is seen by its heartbeat.
  hung: ({ comms }) => [{ _tag: "Dead", reason: comms === null ? "hang" : "heartbeat" }],
  "context full": () => [{ _tag: "ContextExhausted" }],
  "usage limit": ({ launchedAt }) => [
    { _tag: "Limited", kind: "usage-limit", resetsAt: null, turnAt: launchedAt },
    { _tag: "WaitOver", how: "over" }
  ],
  finished: () => [{ _tag: "Complete" }],
  "third end without progress": () => [{ _tag: "Dead", reason: "pid" }]
}

/** The ends of a plain command. It has no session, so nothing tells of a hang, a full context or a limit. */
const ofCommand: ReadonlyArray<EndKind> = ["killed", "finished", "third end without progress"]
const ofAgent: ReadonlyArray<EndKind> = ["killed", "hung", "context full", "usage limit", ...ofCommand.slice(1)]

/** Says how long the pause is after a second death. */
const longer = (kind: EndKind, { kind: of, retries }: Watch, pause: number): ReadonlyArray<string> =>
  kind === "killed" && of === "command" && pause > 0
    ? [`After another end without progress the pause is ${Words.duration(pauseUntil(0, retries + 1, pause))}.`]
    : []

const foreseen = (
  kind: EndKind,
  watch: Watch,
  { exported, now, pause, quietUntil, staleAfter, zone }: Foreseeing
): ForeseenEnd => {
  const before = kind === "third end without progress" ? { ...watch, retries: attempts - 1 } : watch
  const reported = exits[kind](before).reduce(
    (chain: Foreseen, exit) =>
      follow(
        chain,
        {
          _tag: "ReportExit",
          watcher: chain.watch.watcher?.watcher ?? 0,
          exit,
          tasks: null,
          evidence: evidence(staleAfter),
          quietUntil,
          pause
        },
        now
      ),
    { watch: before, events: [] }
  )
  const { recovery } = reported.watch
  const exportPath = watch.kind === "agent" ? exported : null
  const outcome =
    recovery?.purpose === "export"
      ? follow(reported, { _tag: "ExhaustRetries", cycle: recovery.cycle, exportPath }, now)
      : reported
  // A new watcher is souffleur's own routine.
  const news = outcome.events
    .map((event) => describeEvent(event, { who: watch, zone }))
    .filter(({ severity }) => severity !== "detail")
  return { kind, says: [...news.map(({ text }) => text), ...longer(kind, outcome.watch, pause)], after: outcome.watch }
}

/**
 * Foresees what follows from each kind of end, by the rules of the watch themselves. A watch that is not confirmed yet
 * is taken for confirmed, with this process.
 */
export const foreseenEnds = (
  watch: Watch,
  conductor: ProcessIdentity,
  seeing: Foreseeing
): ReadonlyArray<ForeseenEnd> => {
  const baseline: Baseline = { ...watch.baseline }
  const confirmed: Watch =
    watch.phase === "Validating"
      ? follow(
          { watch, events: [] },
          { _tag: "Confirm", conductor, sessionId: watch.sessionId, print: watch.print, agent: null, baseline },
          seeing.now
        ).watch
      : watch
  // A watch in the middle of a recovery has no watcher.
  const watched =
    confirmed.watcher === undefined
      ? { ...confirmed, recovery: undefined, watcher: { watcher: confirmed.watchersStarted, since: seeing.now } }
      : confirmed
  return (watched.kind === "command" ? ofCommand : ofAgent).map((kind) => foreseen(kind, watched, seeing))
}
