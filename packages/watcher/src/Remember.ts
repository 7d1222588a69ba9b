import {
  brokenOff,
  type CommsSnapshot,
  type HeartbeatSeen,
  isRest,
  judge,
  type Moment,
  type ProcessInfo,
  see,
  type Signs,
  type Verdict,
  type Watch,
  workingShare
} from "@souffleur/domain"
import { Option } from "effect"
import { type Excuse, excuseOf } from "./Excuse.ts"

/** The memory of a watcher from poll to poll. Times are epoch ms. */
export interface Memory {
  /** When the last poll ended. */
  readonly last: Moment
  readonly heartbeat: HeartbeatSeen | undefined
  /** No sign of life is expected before this time. */
  readonly notBefore: number
  /** A state other than `context_recovery` was seen in this generation. */
  readonly otherStateSeen: boolean
  readonly commsOut: boolean
  /** The processor time that the process has used, and since when no poll saw it grow. */
  readonly still: { readonly used: number; readonly since: number } | undefined
  /** The same, up to the timers of a process that waits. `first`: what it had used by `since`. */
  readonly rest: { readonly used: number; readonly first: number; readonly since: number } | undefined
  /** The processes of the running tool; `undefined`: no tool ran. `at`: when a poll last saw that they had worked. */
  readonly tool: { readonly tree: ReadonlyArray<ProcessInfo>; readonly at: number | undefined } | undefined
  /**
   * The time of the turn that last excused a silent heartbeat. `undefined`: there is none since, or it had time to beat
   * again.
   */
  readonly excused: number | undefined
  /** It waited for a person at the last poll. */
  readonly waiting: boolean
  /** Since when it no longer waits for a person; 0: no poll saw it wait. */
  readonly answeredAt: number
}

/** The readings of one poll. */
export interface PollReading {
  readonly begun: Moment
  readonly ended: Moment
  /** It is the second one, as the first was interrupted. */
  readonly stoodStill?: true
  /** The time within which this poll was due, ms. */
  readonly due: number
  /** `undefined`: comms is out. */
  readonly comms: CommsSnapshot | undefined
  /** `undefined`: not known. */
  readonly processorTime: number | undefined
  /** Until when a question before its first turn excuses a silent heartbeat, epoch ms; `undefined`: it asks none. */
  readonly asksUntil?: number | undefined
  /** The processes of a tool that runs. */
  readonly tree?: ReadonlyArray<ProcessInfo> | undefined
  readonly signs: Omit<Signs, "since" | "stillSince" | "restsSince" | "workedAt">
}

/** The result of a reading, compared with the memory of the polls before it. */
export interface Remembered {
  readonly memory: Memory
  readonly signs: Signs
  readonly verdict: Verdict
  readonly excuse: Excuse | undefined
}

/** The longest time of a healthy poll, ms, the time limit of comms included. */
const maxPollMillis = 5_000

/** Returns the Conductor's row; `undefined`: comms was out, or has none. */
export const conductorOf = (comms: CommsSnapshot | undefined) =>
  Option.getOrUndefined(comms?.conductor ?? Option.none())

/** A request that follows another state belongs to this generation. */
const isOther = (state: string | null | undefined) =>
  state !== null && state !== undefined && state !== "context_recovery"

/** Returns the memory of a watcher that has seen nothing. No sign of life is expected before `notBefore`, epoch ms. */
export const freshMemory = (now: Moment, notBefore: number): Memory => ({
  last: now,
  heartbeat: undefined,
  notBefore,
  otherStateSeen: false,
  commsOut: true,
  still: undefined,
  rest: undefined,
  tool: undefined,
  excused: undefined,
  waiting: false,
  answeredAt: 0
})

/** Makes the memory for the first poll. It decides nothing. `interval`: the time between polls, ms. */
export const firstMemory = (watch: Watch, comms: CommsSnapshot | undefined, now: Moment, interval: number): Memory => ({
  // A watcher that starts long after its event belongs to a souffleur that was away. A time in the future comes from
  // another clock.
  ...freshMemory(
    now,
    Math.min(
      now.wall,
      Math.max(watch.launchedAt, watch.brokenOffAt, now.wall - watch.watcher!.since > interval ? now.wall : 0)
    )
  ),
  heartbeat: comms === undefined ? undefined : see(undefined, conductorOf(comms)?.lastHeartbeat ?? null, now.wall),
  otherStateSeen: isOther(watch.baseline.conductorState) || isOther(conductorOf(comms)?.state),
  commsOut: comms === undefined
})

/**
 * Notes the state that comms shows between polls. A short-lived state would otherwise hide that the next request is
 * new.
 */
export const rememberState = (before: Memory, comms: CommsSnapshot | undefined): Memory =>
  isOther(conductorOf(comms)?.state) ? { ...before, otherStateSeen: true } : before

/** Notes that comms did not take a beat: in an outage between two polls the Conductor's beats are lost too. */
export const rememberOutage = (before: Memory): Memory => ({ ...before, commsOut: true })

/**
 * Returns whether a reading was interrupted, and so compares old signs with a new time, or new signs with an old one.
 */
export const isInterrupted = ({
  begun,
  ended,
  stoodStill
}: Pick<PollReading, "begun" | "ended" | "stoodStill">): boolean =>
  stoodStill === true || brokenOff(begun, ended, maxPollMillis)

/** Returns the processor time in ms that the processes of a tree have used since an earlier look at it. */
const usedSince = (before: ReadonlyArray<ProcessInfo>, tree: ReadonlyArray<ProcessInfo>): number => {
  const then = new Map(
    before.map(({ identity, processor = 0 }) => [`${identity.pid}/${identity.startTime}`, processor])
  )
  return tree.reduce(
    (sum, { identity, processor = 0 }) =>
      sum + 10 * Math.max(0, processor - (then.get(`${identity.pid}/${identity.startTime}`) ?? 0)),
    0
  )
}

/** Returns the running tool with its newest work. Work before the first look counts, since its time is not known. */
const toolNow = ({ last, tool }: Memory, tree: ReadonlyArray<ProcessInfo> | undefined, now: number): Memory["tool"] => {
  if (tree === undefined) return undefined
  const used = usedSince(tool?.tree ?? [], tree)
  return { tree, at: used > 0 && used >= workingShare * (now - last.wall) ? now : tool?.at }
}

/** Returns since when the process rests. */
const restNow = ({ last, rest }: Memory, used: number, now: number): NonNullable<Memory["rest"]> =>
  rest !== undefined && isRest(used - rest.used, now - last.wall) && isRest(used - rest.first, now - rest.since)
    ? { ...rest, used }
    : { used, first: used, since: now }

/**
 * Compares a reading with the memory of the polls before it (spec: behaviour#heartbeat-age, behaviour#excuses).
 * `stallAfter` is the agent's own stall time, ms.
 */
export const remember = (before: Memory, read: PollReading, stallAfter: number): Remembered => {
  const { begun, comms, due, ended, processorTime: used } = read
  const now = begun.wall
  const broken = isInterrupted(read) || brokenOff(before.last, begun, due) || (before.commsOut && comms !== undefined)
  const heartbeat =
    comms === undefined
      ? before.heartbeat
      : see(broken ? undefined : before.heartbeat, conductorOf(comms)?.lastHeartbeat ?? null, now)
  const since = broken ? ended.wall : before.notBefore
  const still =
    used === undefined ? undefined : !broken && before.still?.used === used ? before.still : { used, since: now }
  // An agent that waits for its tools does not rest.
  const waits = (read.signs.left ?? 0) > 0
  const restBefore = broken || waits ? { ...before, rest: undefined } : before
  const rest = used === undefined ? undefined : restNow(restBefore, used, now)
  const tool = toolNow(before, read.tree, now)
  const signs = { ...read.signs, stillSince: still?.since, restsSince: rest?.since, workedAt: tool?.at, since }
  const verdict = judge(signs, stallAfter)
  const asks = read.asksUntil !== undefined && read.asksUntil > now
  const waiting = verdict._tag === "Waiting" || asks
  // One that still asks when its excuse is over has had no answer.
  const answered = before.waiting && !waiting && read.asksUntil === undefined
  const answeredAt = answered ? now : before.answeredAt
  const excuse = asks
    ? { because: "it may ask something before its first turn", until: read.asksUntil }
    : excuseOf({ answeredAt, now, process: signs.process, signs, stallAfter, verdict })
  const turnAt = signs.session?.turn?.at ?? 0
  // The Conductor could not beat during the excuse, so it has the whole time again. A person's answer is in no record
  // before the tool ends.
  const goesOn = excuse === undefined && before.excused !== undefined && (answered || turnAt > before.excused)
  const memory: Memory = {
    last: ended,
    heartbeat,
    notBefore: goesOn ? now : since,
    otherStateSeen: before.otherStateSeen || isOther(conductorOf(comms)?.state),
    commsOut: comms === undefined,
    still,
    rest,
    tool,
    excused: excuse !== undefined ? turnAt : goesOn ? undefined : before.excused,
    waiting,
    answeredAt
  }
  return { memory, signs, verdict, excuse }
}
