import type { ConductorAdopted, WatchEvent } from "../event/WatchEvent.ts"
import type { Baseline } from "../port/Comms.ts"
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

type Begun = Baseline & Pick<typeof ConductorAdopted.Type, "at" | "conductor" | "generation" | "print" | "sessionId">

/**
 * Returns the time since which a turn belongs to this generation. A turn may be over before its launch is confirmed, as
 * for an agent whose key is missing.
 */
export const turnsSince = ({ launchedAt, preparedAt }: Pick<Watch, "launchedAt" | "preparedAt">): number =>
  preparedAt === 0 ? launchedAt : preparedAt

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
  conductor: event.conductor,
  pid: event.conductor.pid,
  sessionId: event.sessionId,
  sessions: withSession(watch, event.sessionId),
  generation: event.generation,
  handedFrom: undefined,
  undecided: undefined,
  launchedAt: event.at,
  preparedAt: 0,
  print: event.print,
  baseline: pickBaseline(event),
  lastTasks: undefined,
  muteFor: undefined,
  recovery: undefined,
  brokenOffAt: 0,
  deferred: undefined,
  person: undefined,
  refused: [],
  wait: undefined,
  taken: undefined,
  handoff: undefined,
  failing: {}
})

/**
 * Says which facts of the last launch hold for an adopted Conductor. A Conductor that came back by itself may differ
 * from the launched process, and an operator who names another process leaves the launched one alone.
 */
export const launchOf = (watch: Watch, { by, conductor }: typeof ConductorAdopted.Type): Change =>
  isSameProcess(conductor, watch.launched)
    ? {}
    : {
        provider: undefined,
        launchedFor: undefined,
        launchId: undefined,
        launched: by === "heartbeat" ? watch.launched : undefined
      }
