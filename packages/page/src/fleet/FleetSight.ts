import type { JobCounts } from "@souffleur/embed"
import type {
  CopiedRange,
  FleetEvent,
  FleetHost,
  FoundJobs,
  JobSearch,
  PersonAtHub,
  SaidWord,
  SeenJob,
  StoreOut,
  ToldWord,
  WordKept,
  WordStanding
} from "@souffleur/fleet"
import type { Effect, Option, Redacted } from "effect"

/** A person whose browser was let in. */
export type Guest = PersonAtHub["Service"]

/** A fleet, as its page asks its hub for it. */
export interface FleetSight {
  readonly find: (asked: JobSearch) => Effect.Effect<FoundJobs, StoreOut>
  readonly counts: Effect.Effect<JobCounts, StoreOut>
  readonly hosts: Effect.Effect<ReadonlyArray<FleetHost>, StoreOut>
  /** Lets a browser in by a token, and returns its word; `None`: the hub does not know the token. */
  readonly enter: (token: Redacted.Redacted) => Effect.Effect<Option.Option<Redacted.Redacted>, StoreOut>
  /** Returns the person behind the word of a browser; `None`: the token was revoked, or there never was one. */
  readonly guestOf: (word: Redacted.Redacted) => Effect.Effect<Option.Option<Guest>, StoreOut>
  /** Finds a job by its log and its stream; `None`: the hub shows none. */
  readonly job: (log: string, stream: string) => Effect.Effect<Option.Option<SeenJob>, StoreOut>
  /** Reads events of a job. It may be the first of them alone. */
  readonly events: (
    log: string,
    stream: string,
    range: CopiedRange
  ) => Effect.Effect<ReadonlyArray<FleetEvent>, StoreOut>
  /** Reads the newest words to a watch, the newest first. */
  readonly toWatch: (log: string, watch: string) => Effect.Effect<ReadonlyArray<ToldWord>, StoreOut>
  /** The clock by which a word ends, epoch ms. */
  readonly now: Effect.Effect<number, StoreOut>
  /** Says a word of an operator to the host of a watch. */
  readonly say: (id: string, person: Guest, word: SaidWord) => Effect.Effect<WordStanding, WordKept | StoreOut>
}
