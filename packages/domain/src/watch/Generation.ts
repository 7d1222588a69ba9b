import type { ConductorAdopted, ConductorRelaunched, WatchEvent } from "../event/WatchEvent.ts"
import type { Baseline } from "../port/Comms.ts"
import type { TurnState } from "../evidence/Signs.ts"
import { isSameProcess } from "../port/Process.ts"
import type { Watch } from "./Watch.ts"
import { isSessionKnown } from "./Target.ts"

/** The fields of a watch that one event changes. */
export type Change = { readonly [K in keyof Watch]?: Watch[K] }

/** The change that each event makes, by its tag. */
export type Changes = {
  readonly [T in WatchEvent["_tag"]]: (event: Extract<WatchEvent, { readonly _tag: T }>, watch: Watch) => Change
}

/** Returns the sessions of the watch with one more. An empty id names none. */
export const withSession = (watch: Watch, sessionId: string): ReadonlyArray<string> =>
  !isSessionKnown(sessionId) || watch.sessions.includes(sessionId) ? watch.sessions : [...watch.sessions, sessionId]

/** Returns a baseline without the other fields of its event. */
export const pickBaseline = ({ conductorState, lastMessageId, taskCount, taskFingerprint }: Baseline): Baseline => ({
  conductorState,
  lastMessageId,
  taskCount,
  taskFingerprint
})

type Begun = Baseline &
  Pick<typeof ConductorAdopted.Type, "at" | "generation" | "print" | "sessionId"> &
  Pick<typeof ConductorRelaunched.Type, "conductor">

/**
 * Returns the newest turn of the session if this generation took it. A resumed session begins with the last turn of the
 * generation before, which the launch recorded. Being older than the launch proves nothing: the clock may have been set
 * back since. An agent without a key even fails before its launch is confirmed.
 */
export const ownTurn = (
  { launchedAt, preparedAt, turnBefore }: Pick<Watch, "launchedAt" | "preparedAt" | "turnBefore">,
  turn: TurnState | undefined
): TurnState | undefined =>
  turn !== undefined && (preparedAt === 0 ? turn.at >= launchedAt : Math.round(turn.at) !== turnBefore)
    ? turn
    : undefined

/** Returns whether the user's program has found the work undone, and the agent has begun no turn since. */
export const isUnconfirmed = ({ unconfirmed }: Pick<Watch, "unconfirmed">, turn: TurnState | undefined): boolean =>
  unconfirmed !== undefined && (turn === undefined || turn.at <= unconfirmed.at)

/**
 * Returns the program that each launch takes after an adoption, since the adopted process may be of another agent
 * (spec: behaviour#adopt). A hand-over that did not come to its launch is off.
 */
export const agentOfAdopted = (
  { agent, firstAgent, handedFrom }: Watch,
  adopted: Pick<typeof ConductorAdopted.Type, "agent">
): string | undefined => {
  const before = handedFrom ?? agent
  return adopted.agent === null || adopted.agent === (before ?? firstAgent) ? before : adopted.agent
}

/** Begins a generation: facts about the process before do not hold for the new one. */
export const generationOf = (watch: Watch, event: Begun): Change => ({
  conductor: event.conductor ?? undefined,
  pid: event.conductor?.pid ?? watch.pid,
  sessionId: event.sessionId,
  sessions: withSession(watch, event.sessionId),
  generation: event.generation,
  handedFrom: undefined,
  undecided: undefined,
  launchedAt: event.at,
  preparedAt: 0,
  turnBefore: null,
  given: undefined,
  print: event.print,
  baseline: pickBaseline(event),
  lastTasks: undefined,
  muteFor: undefined,
  recovery: undefined,
  brokenOffAt: 0,
  deferred: undefined,
  person: undefined,
  idle: undefined,
  idledAt: 0,
  refused: [],
  wait: undefined,
  taken: undefined,
  handoff: undefined,
  failing: {},
  unconfirmed: undefined,
  lingered: undefined
})

/**
 * Says which facts of the last launch hold for an adopted Conductor. A Conductor that came back by itself may differ
 * from the launched process, and an operator who names another process leaves the launched one alone. An operator may
 * also name what a launch has just started, before its outcome is in the log.
 */
export const launchOf = (watch: Watch, { by, conductor, launchId }: typeof ConductorAdopted.Type): Change =>
  isSameProcess(conductor, watch.launched)
    ? { preparedAt: watch.preparedAt, turnBefore: watch.turnBefore }
    : {
        provider: undefined,
        launchedFor: undefined,
        launchId: launchId ?? undefined,
        launched: launchId !== null ? conductor : by === "heartbeat" ? watch.launched : undefined
      }
