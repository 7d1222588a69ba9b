import { Context, Effect, Runtime, Schema } from "effect"
import { ProcessIdentity } from "./Process.ts"

/** A process of souffleur that owns a watch (spec: behaviour#one-owner). */
export const Owner = Schema.Struct({
  host: Schema.String,
  /** The machine's identity, apart from its name (`Processes.host`); `null`: it has none. */
  machine: Schema.NullOr(Schema.String),
  pidNamespace: Schema.String,
  process: ProcessIdentity
})
export type Owner = typeof Owner.Type

/**
 * Returns whether two owners are known to be on different machines. A machine without an identity proves nothing,
 * because a container without one has a new name at each start.
 */
export const isOfAnotherMachine = ({ machine }: Owner, self: Owner): boolean =>
  machine !== null && self.machine !== null && machine !== self.machine

/** Returns whether the process of an owner could be seen from here: it is of this boot and pid namespace. */
export const isSeen = ({ pidNamespace, process }: Owner, self: Owner): boolean =>
  pidNamespace === self.pidNamespace && process.bootId === self.process.bootId

/** Another souffleur watches this Conductor, and lives or is not provably dead. Exit code 3. */
export class AlreadyWatched extends Schema.TaggedError<AlreadyWatched>()("AlreadyWatched", {
  owner: Owner,
  problem: Schema.String,
  /** The id of the watch that it has. */
  watch: Schema.optionalKey(Schema.String),
  /** Nothing of the owner is seen from here, such as on another machine. */
  unseen: Schema.optionalKey(Schema.Literal(true))
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message(): string {
    return `already watched: ${this.problem}`
  }
}

/**
 * No claim is possible, because the folder of the claims belongs to another user, is full, or is gone. `message` names
 * the folder, and says what to do.
 */
export class ClaimFailed extends Schema.TaggedError<ClaimFailed>()("ClaimFailed", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/**
 * A Conductor, a session, a comms file (by its absolute path), or a project (by its real path) in which a plan is
 * conducted. One souffleur has it at a time.
 */
export type Claimable =
  | ProcessIdentity
  | { readonly session: string }
  | { readonly comms: string }
  | { readonly project: string }

/**
 * Continues without a claim if none is possible, because leaving a living Conductor unwatched would be worse. The
 * supervisor says so, and tries again.
 */
export const claimedIfPossible = (
  claimed: Effect.Effect<unknown, AlreadyWatched | ClaimFailed>
): Effect.Effect<void, AlreadyWatched> => Effect.asVoid(Effect.catchTag(claimed, "ClaimFailed", () => Effect.void))

/** Tries a claim, and leaves everything as it was: what was claimed here before stays claimed. */
export const claimTried = ({ claim, release }: Claims["Service"], claimable: Claimable) =>
  Effect.flatMap(claim(claimable), (isNew) => (isNew ? release(claimable) : Effect.void))

/**
 * Keeps one claim for each user and Conductor, session, comms file or project, outside every state folder, so that two
 * state folders can neither watch one Conductor or session nor conduct two plans in one project (spec:
 * behaviour#claims). The claim of a provably dead owner is taken over.
 */
export class Claims extends Context.Service<
  Claims,
  {
    /** The owner of this process. */
    readonly self: Owner
    /**
     * Returns whether the owner is provably dead: its process, in the same pid namespace, is gone or from an earlier
     * boot of this machine. Another boot proves nothing about another machine, or about one without an identity, even
     * under the same name.
     */
    readonly isDead: (owner: Owner) => Effect.Effect<boolean>
    /**
     * Claims, and returns whether that is new: `false`, it was claimed here already. Another layer of this very process
     * is another claimer, and is refused as another process is.
     */
    readonly claim: (claimable: Claimable) => Effect.Effect<boolean, AlreadyWatched | ClaimFailed>
    /** Frees what this layer has claimed, and nothing else. */
    readonly release: (claimable: Claimable) => Effect.Effect<void>
    /** Removes the claims of an owner that a person says is gone. One that cannot be removed stays in force. */
    readonly forget: (owner: Owner) => Effect.Effect<void>
  }
>()("@souffleur/domain/Claims") {}
