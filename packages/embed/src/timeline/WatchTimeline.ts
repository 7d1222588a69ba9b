import type { Event, ProcessEnd, Recorded, Watch } from "@souffleur/domain"
import { type Recovery, recoveriesOf } from "./Recoveries.ts"
import { type Quiet, quietOf, type Stretch } from "./Stretch.ts"
import { becauseOf } from "../explain/SignReason.ts"
import { type WatchChange, watchChanges } from "./WatchChange.ts"

/** The end of a generation: the trigger of its recovery, or the end of the watch. */
export type GenerationEnd = typeof Event.RecoveryStarted.Type.trigger | NonNullable<Watch["end"]> | "replaced"

/** Says how a generation ended. */
export const endInWords = (ended: GenerationEnd): string => {
  if (ended === "replaced") return "another process took its place"
  return ended in becauseOf ? becauseOf[ended as keyof typeof becauseOf] : `the watch was over: ${ended}`
}

/** One process of the Conductor. `ended`: its end; `null`: it has none yet. */
export interface GenerationStretch extends Stretch {
  readonly generation: number
  /** The revision of the event that began it. */
  readonly revision: number
  readonly ended: GenerationEnd | null
}

/** A death of the Conductor, with the context in use where that is known. */
export interface Death {
  readonly at: number
  readonly revision: number
  readonly generation: number
  readonly cause: GenerationEnd
  /** How its process ended; `null`: that was not seen. */
  readonly end: ProcessEnd | null
  /** Deaths in a row without progress, this one included. */
  readonly retries: number
  readonly contextTokens: number | null
}

/** A stretch in which nothing was launched, or a person was awaited. */
export interface WaitStretch extends Stretch {
  readonly kind: typeof Event.WaitStarted.Type.kind | "hold" | "person" | "standby"
  readonly revision: number
}

/** The history of a watch as stretches and marks (spec: command-line#timeline). Times are epoch milliseconds. */
export interface WatchTimeline {
  readonly from: number
  /** The last event of a watch that has ended, else the time of the look. */
  readonly to: number
  readonly over: boolean
  readonly generations: ReadonlyArray<GenerationStretch>
  readonly deaths: ReadonlyArray<Death>
  readonly recoveries: ReadonlyArray<Recovery>
  readonly waits: ReadonlyArray<WaitStretch>
  readonly quiet: ReadonlyArray<Quiet>
  /** The limits that were told as coming. */
  readonly foreseen: ReadonlyArray<typeof Event.LimitForeseen.Type>
}

/** Returns how an event ends the running generation; `null`: it does not. */
const endOf = ({ after, event }: WatchChange): GenerationEnd | null => {
  switch (event._tag) {
    case "ConductorDied":
    case "EndedEarly":
      return event.reason
    case "ContextExhausted":
      return "context"
    case "ContextRecoveryRequested":
    case "HandoffRequested":
      return "handoff"
    case "TurnEnded":
      return "turn-ended"
    case "RecoveryStarted":
      return event.trigger
    case "ConductorAdopted":
    case "ConductorRelaunched":
      return "replaced"
    default:
      return after.end ?? null
  }
}

const generationsOf = (changes: ReadonlyArray<WatchChange>): ReadonlyArray<GenerationStretch> => {
  const found: Array<GenerationStretch> = []
  for (const change of changes) {
    const { after, before, event, revision } = change
    // The timeline of a part may begin within a generation.
    if (found.length === 0 && before.generation > 0 && before.recovery === undefined)
      found.push({ generation: before.generation, from: event.at, to: null, revision, ended: null })
    const running = found.at(-1)
    const ended = endOf(change)
    if (running?.to === null && ended !== null) found[found.length - 1] = { ...running, to: event.at, ended }
    if (after.generation > before.generation)
      found.push({ generation: after.generation, from: event.at, to: null, revision, ended: null })
  }
  return found
}

const deathsOf = (changes: ReadonlyArray<WatchChange>): ReadonlyArray<Death> =>
  changes.flatMap((change) => {
    const { before, event, revision } = change
    const cause = endOf(change)
    return cause !== null &&
      (event._tag === "ConductorDied" || event._tag === "EndedEarly" || event._tag === "ContextExhausted")
      ? [
          {
            at: event.at,
            revision,
            generation: Math.max(1, before.generation),
            cause,
            end: event.evidence.end,
            retries: event.retries,
            contextTokens: event.evidence.contextTokens
          }
        ]
      : []
  })

const kindsOf = {
  wait: ({ wait }: Watch) => wait?.kind,
  held: ({ held }: Watch) => held && ("hold" as const),
  person: ({ person }: Watch) => person && ("person" as const),
  standby: ({ standby }: Watch) => standby && ("standby" as const)
}

/** Returns the waits. The fold of the watch says when one begins and ends, so that no rule is said twice. */
const waitsOf = (changes: ReadonlyArray<WatchChange>): ReadonlyArray<WaitStretch> =>
  Object.values(kindsOf)
    .flatMap((kindOf) => {
      const found: Array<WaitStretch> = []
      let kindBefore: WaitStretch["kind"] | undefined
      for (const { after, event, revision } of changes) {
        const kind = after.phase === "Exited" ? undefined : kindOf(after)
        const running = found.at(-1)
        if (kind !== kindBefore && running?.to === null) found[found.length - 1] = { ...running, to: event.at }
        if (kind !== kindBefore && kind !== undefined) found.push({ kind, from: event.at, to: null, revision })
        kindBefore = kind
      }
      return found
    })
    .toSorted((a, b) => a.revision - b.revision)

/**
 * Returns the timeline of a watch from its events. `now`: epoch milliseconds of the look. `before`: the state before
 * the first event, where the events are a part of a history. An earlier generation or wait begins with that part.
 */
export const watchTimeline = (events: ReadonlyArray<Recorded>, now: number, before?: Watch): WatchTimeline => {
  const changes = watchChanges(events, before)
  const [first, last] = [changes[0], changes.at(-1)]
  const over = last?.after.phase === "Exited"
  const to = over ? last.event.at : Math.max(now, last?.event.at ?? now)
  return {
    from: first?.event.at ?? now,
    to,
    over,
    generations: generationsOf(changes),
    deaths: deathsOf(changes),
    recoveries: recoveriesOf(changes),
    waits: waitsOf(changes),
    quiet: quietOf(events, to),
    foreseen: changes.flatMap(({ event }) => (event._tag === "LimitForeseen" ? [event] : []))
  }
}
