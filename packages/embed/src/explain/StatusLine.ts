import {
  failedAtPrompt,
  failedHandover,
  failedTurn,
  iso,
  isServiceWait,
  mendedBy,
  type StateWord,
  type TurnState,
  type Watch,
  type WatchEvent,
  Words,
  type Zone
} from "@souffleur/domain"
import { Match, Schema, Struct } from "effect"
import type { EndedWatch } from "../watching/FindWatch.ts"

type Wait = Extract<WatchEvent, { readonly _tag: "WaitStarted" }>["kind"]

/** The kinds of wait, in a word or two. */
const waits: Readonly<Record<Wait, string>> = {
  "usage-limit": "usage limit",
  outage: "outage",
  "unknown-error": "unknown error of the service",
  "quiet-hours": "quiet hours",
  pause: "a pause before the next try"
}

/** The ends of a watch, in a word or two. */
const ends: Readonly<Record<NonNullable<Watch["end"]>, string>> = {
  completed: "completed",
  unconfirmed: "stopped; nothing confirms that it is done",
  released: "released",
  stopped: "stopped",
  "limit reached": "its limit is reached",
  "retries exhausted": `failed: ${Words.threeEnds}`,
  "validation exhausted": "failed: validation"
}

/** Returns whether a successor was launched with souffleur's prompt and has not answered it yet. */
export const isUntaken = ({ generation, kind, launchId, taken }: Watch): boolean =>
  kind === "agent" && generation > 1 && launchId !== undefined && taken === undefined

/** Returns a watch whose turn failed at its prompt, as its watcher will tell it. */
export const withFailed = (watch: Watch, turn: TurnState | undefined): Watch => {
  const { person, recovery, standby, wait } = watch
  if (turn === undefined || isUntaken(watch) || (person ?? recovery ?? standby ?? wait) !== undefined) return watch
  return failedAtPrompt(watch, turn) ? { ...watch, person: { for: failedTurn, since: turn.at } } : watch
}

/**
 * Returns the state of a watch in a few words, the most urgent first. `silent`: the heartbeat is too old now.
 */
export const statusLine = (watch: Watch | EndedWatch, silent = false, zone?: Zone): string =>
  // Most watches have ended, and nothing else is said of them.
  watch.phase === "Exited" ? ends[watch.end ?? "released"] : living(watch, silent, zone)

const living = (watch: Watch, silent: boolean, zone: Zone | undefined): string =>
  Match.value(watch).pipe(
    Match.when(
      { recovery: Match.defined },
      ({ recovery }) =>
        ({
          check: "checking the work",
          export: "saving what can be saved",
          relaunch: "recovering",
          stop: "stopping",
          end: "ending its process"
        })[recovery.purpose]
    ),
    Match.when({ held: Match.defined }, () => 'held until "souffleur go"'),
    Match.when(
      { wait: Match.defined },
      ({ wait }) => `waits until ${Words.deadline(wait.until, wait.since, zone)} (${waits[wait.kind]})`
    ),
    Match.when({ standby: Match.defined }, ({ standby }) => `standing by (${standby.stage})`),
    Match.when({ person: Match.defined }, () => "waits for a person"),
    Match.when({ idle: Match.defined }, () => "its turn is over"),
    Match.when({ deferred: Match.defined }, ({ deferred, lastEventAt }) =>
      silent ? `silent, spared until ${Words.deadline(deferred.until, lastEventAt, zone)}` : "watching"
    ),
    Match.when({ ceiling: Match.defined }, () => "watching, at its ceiling"),
    Match.when({ overreach: Match.defined }, () => "watching, config not trusted"),
    Match.when(isUntaken, () => "watching, hand-off not taken yet"),
    Match.orElse(({ phase }) => phase.toLowerCase())
  )

/** Returns the state of a watch as {@link statusLine} does. `owned`: a live souffleur looks after it. */
export const standingOf = (watch: Watch | EndedWatch, owned: boolean, silent = false, zone?: Zone): string =>
  owned || watch.phase === "Exited" ? statusLine(watch, silent, zone) : "unwatched: its souffleur is gone"

/** Says what an agent waits for, without its own words. */
const promptIn = (what: string): string =>
  what === failedTurn
    ? 'its turn has failed: it waits for your words, or for "souffleur done"'
    : "it waits for a person"

/** The reason why a watch needs a person, and the command to type next. */
export interface Need {
  readonly why: string
  readonly next: string
}

const isMendable = Schema.is(Schema.Literals(Struct.keys(mendedBy)))

type Needing = Pick<
  Watch,
  | "agent"
  | "ceiling"
  | "end"
  | "failures"
  | "handedFrom"
  | "held"
  | "overreach"
  | "person"
  | "phase"
  | "standby"
  | "wait"
>

/**
 * Returns what a watch needs from a person, the most urgent first; `null`: nothing. `owned`: a live souffleur looks
 * after it.
 */
export const needOf = (id: string, watch: Needing | EndedWatch, owned: boolean): Need | null => {
  const { end } = watch
  if (end === "retries exhausted" || end === "validation exhausted")
    return { why: ends[end], next: `souffleur why ${id}` }
  if (watch.phase === "Exited") return null
  const { agent, ceiling, failures, held, overreach, person, standby, wait } = watch
  if (!owned) return { why: "no souffleur looks after it", next: `souffleur resume ${id}` }
  const failure = watch.phase === "Validating" ? failures.at(-1) : undefined
  if (failure !== undefined) return { why: `its validation failed at "${failure.check}"`, next: `souffleur why ${id}` }
  if (person !== undefined)
    return {
      why: promptIn(person.for),
      next: `souffleur attach ${id}`
    }
  // A limit of weeks may be lifted before its end, by the person's plan.
  if (wait !== undefined && wait.resetsAt !== null && wait.resetsAt > wait.until && isServiceWait(wait.kind))
    return {
      why: `its ${waits[wait.kind]} lasts until ${iso(wait.resetsAt).slice(0, 10)}, and it is tried once a day`,
      next: `souffleur go ${id}`
    }
  if (held?.byAgent === true) return { why: "a session of an agent holds it", next: `souffleur go ${id}` }
  // A person who holds a watch knows of it. What the hold keeps from being done is news.
  if (held !== undefined && standby?.held === true)
    return { why: "it is held, and a recovery is withheld", next: `souffleur go ${id}` }
  const failed = failedHandover(watch, id)
  if (failed !== undefined)
    return {
      why: failed.unfit ? `${agent} cannot take its conversation over` : `its hand-over to ${agent} failed`,
      next: failed.back
    }
  if (standby !== undefined && isMendable(standby.stage))
    return { why: `it stopped at ${standby.message}`, next: `souffleur retry ${id}` }
  if (standby !== undefined && (standby.stage !== "ceiling" || ceiling === undefined))
    return { why: `it stands by (${standby.stage})`, next: `souffleur why ${id}` }
  if (ceiling !== undefined)
    return {
      why:
        ceiling.flag === null
          ? `its ceiling of ${ceiling.ceiling} is reached`
          : `its cap of ${ceiling.ceiling} is used up`,
      next: `souffleur retry ${id}`
    }
  if (overreach !== undefined) return { why: "its config file is not trusted", next: "souffleur config --trust" }
  return null
}

/** Returns the state word of a watch with this need. A hand-off is a part of its recovery until it is taken. */
export const watchState = (watch: Watch | EndedWatch, need: Need | null): StateWord => {
  if (watch.phase === "Exited") return "ended"
  if (need !== null) return "needs you"
  if (watch.recovery !== undefined || watch.wait !== undefined || isUntaken(watch)) return "recovering"
  return watch.idle === undefined ? "working" : "idle"
}
