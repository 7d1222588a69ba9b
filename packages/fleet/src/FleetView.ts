import { Bounds, StateWord, Words } from "@souffleur/domain"
import { isBetween } from "@souffleur/eventlog"
import { Effect, Schema } from "effect"
import { LogName } from "./FleetEvent.ts"

const wholeNumber = isBetween(0, Number.MAX_SAFE_INTEGER)
/** A text of a host, which may be anything. */
const someText = Schema.String.check(Schema.isMaxLength(10_000))

/** A watch or a run of a host, as its log says. Whether its souffleur lives is not known from afar. */
export const FleetJob = Schema.Struct({
  kind: Schema.Literals(["watch", "run"]),
  id: someText,
  project: someText,
  /** The program of its agent, by its name. `null`: it is not known, there is none, or the hub is older. */
  agent: Schema.NullOr(someText).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** What its watch was called. `null`: it was given no title, is a run, or the hub is older. */
  title: Schema.NullOr(someText).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  state: StateWord,
  standing: someText,
  need: Schema.NullOr(Schema.Struct({ why: someText, next: someText })),
  /** The generation of a watch; 0 for a run. */
  generation: wholeNumber,
  /** The revision of its last event that the hub has. A word for the job names it. */
  revision: wholeNumber,
  /** Epoch milliseconds of its last event, by the clock of its host. */
  at: isBetween(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
})
export type FleetJob = typeof FleetJob.Type

/** A log of a host, as the hub has it. `lastSeenAgo`: ms since its host last spoke, by the clock of the hub. */
export const FleetHost = Schema.Struct({
  name: Bounds.words(64),
  host: Bounds.words(256),
  log: LogName,
  lastSeenAgo: wholeNumber,
  forked: Schema.Boolean,
  revoked: Schema.Boolean,
  /** The host said goodbye with its last word. An earlier hub does not say it. */
  away: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  /** The host takes words of the operators of the fleet. */
  takesWords: Schema.Boolean,
  /** The host has shipped all that it may in this day. An earlier hub does not say it. */
  full: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  /** Milliseconds for which its oldest event that is not in the jobs yet has been at the hub; 0: all of them are. */
  behind: wholeNumber.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0)))
})
export type FleetHost = typeof FleetHost.Type

/** The most jobs of one view. */
export const maxViewed = 1000
/** The most logs of one view. */
export const maxLogsViewed = 10_000

/** The hosts of a fleet, and what lives or has ended lately there. The need of a person comes first. */
export const FleetView = Schema.Struct({
  /** Epoch ms by the clock of the hub. The end of a word is by this clock. */
  now: wholeNumber,
  hosts: Schema.Array(FleetHost).check(Schema.isMaxLength(maxLogsViewed)),
  jobs: Schema.Array(Schema.Struct({ ...FleetJob.fields, log: LogName })).check(Schema.isMaxLength(maxViewed)),
  /** The number of jobs that the view leaves out. */
  more: wholeNumber
})
export type FleetView = typeof FleetView.Type

/** A job in a list of a fleet. `host`: the name that its host was enrolled with. */
export interface SeenJob extends FleetJob, Pick<FleetHost, "away" | "log" | "takesWords"> {
  readonly host: string
  /** Milliseconds since its host last spoke, by the clock of the hub. */
  readonly lastSeenAgo: number
}

/** Which events of a job are asked for: those after a revision, up to another one. */
export interface CopiedRange {
  readonly after: number
  readonly upTo: number
  /** A place of the log behind which all of them are; 0: none is known. */
  readonly behind: number
}

/** Which jobs of a fleet are asked for. */
export interface JobSearch {
  /** Words that its host, its name, its folder or its title have, each of them. */
  readonly search: string
  /** The number of found jobs that are left out first. */
  readonly from: number
  readonly atMost: number
}

/** Some of the jobs that a search found, and the number of all. */
export interface FoundJobs {
  readonly jobs: ReadonlyArray<SeenJob>
  readonly found: number
}

/** When a host last spoke. `away`: that was a goodbye; absent: it is not known. */
export interface LastWord extends Pick<FleetHost, "lastSeenAgo"> {
  readonly away?: boolean
}

/** Milliseconds without a word after which a host is silent: three beats. Silence is not death. */
export const silentMillis = 30_000

/** Returns whether a host that does not speak has said goodbye. */
export const saidGoodbye = ({ away = false, lastSeenAgo }: LastWord): boolean => away && lastSeenAgo > silentMillis

/** Says how long a host has been silent, or away after its goodbye; `undefined`: it speaks. */
export const silenceOf = (host: LastWord): string | undefined =>
  host.lastSeenAgo > silentMillis
    ? `${saidGoodbye(host) ? "away" : "silent"} for ${Words.duration(host.lastSeenAgo)}`
    : undefined

/** Milliseconds by which the jobs of a host may be behind its events before that is told. */
const behindMillis = 5000

/** Says what is wrong with a host; `undefined`: nothing. Silence is not death. */
export const troubleOf = (
  host: LastWord & Pick<FleetHost, "behind" | "forked" | "full" | "revoked">
): string | undefined => {
  if (host.forked) return "forked: nothing more is taken of its log"
  if (host.revoked) return "revoked"
  const lags = [
    silenceOf(host),
    host.full ? "its bytes for today are used up" : undefined,
    host.behind > behindMillis ? `shown as ${Words.duration(host.behind)} ago` : undefined
  ].filter((one) => one !== undefined)
  return lags.length === 0 ? undefined : lags.join(", ")
}

/** Returns each host that was not revoked, by whichever of its logs spoke last. A renamed log has a newer one. */
export const newestLogs = (hosts: ReadonlyArray<FleetHost>): ReadonlyArray<FleetHost> =>
  Map.groupBy(
    hosts.filter(({ revoked }) => !revoked),
    ({ name }) => name
  )
    .values()
    .map((logs) => logs.reduce((newest, log) => (log.lastSeenAgo < newest.lastSeenAgo ? log : newest)))
    .toArray()
