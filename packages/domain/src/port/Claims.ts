import { Context, Effect, Runtime, Schema } from "effect"
import { ProcessIdentity } from "./Process.ts"

/** A process of souffleur that owns a watch (spec: behaviour#one-owner). */
export const Owner = Schema.Struct({
  host: Schema.String,
  /** The machine's identity, whatever it is called (`Processes.host`); `null`: it has none. */
  machine: Schema.NullOr(Schema.String),
  pidNamespace: Schema.String,
  process: ProcessIdentity
})
export type Owner = typeof Owner.Type

/** Another souffleur, alive or not provably dead, watches this Conductor. Exit code 3. */
export class AlreadyWatched extends Schema.TaggedError<AlreadyWatched>()("AlreadyWatched", {
  owner: Owner,
  problem: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message(): string {
    return `already watched: ${this.problem}`
  }
}

/**
 * Nothing can be claimed: the place of the claims is somebody else's, full, or gone. `message` names it, and says what
 * to do.
 */
export class ClaimFailed extends Schema.TaggedError<ClaimFailed>()("ClaimFailed", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/**
 * What one souffleur has at a time: a Conductor, a session, or a project in which a plan is conducted, by its real
 * path.
 */
export type Claimable = ProcessIdentity | { readonly session: string } | { readonly project: string }

/**
 * Who looks after a live Conductor goes on also where nothing can be claimed: to leave it unwatched would be worse. The
 * supervisor says so, and tries again.
 */
export const claimedIfPossible = (
  claimed: Effect.Effect<void, AlreadyWatched | ClaimFailed>
): Effect.Effect<void, AlreadyWatched> => Effect.catchTag(claimed, "ClaimFailed", () => Effect.void)

/**
 * One claim a user and Conductor, session, or project, outside every state folder, so that two state folders cannot
 * watch one Conductor or session, nor conduct two plans in one project (spec: behaviour#claims). A claim whose owner is
 * provably dead is taken over.
 */
export class Claims extends Context.Service<
  Claims,
  {
    /** The owner of this process. */
    readonly self: Owner
    /**
     * Provably dead: same pid namespace, and the process is gone or from an earlier boot of this machine. Of another
     * machine, or where one has no identity, another boot proves nothing, whatever they are called.
     */
    readonly isDead: (owner: Owner) => Effect.Effect<boolean>
    readonly claim: (claimable: Claimable) => Effect.Effect<void, AlreadyWatched | ClaimFailed>
    readonly release: (claimable: Claimable) => Effect.Effect<void>
  }
>()("@souffleur/domain/Claims") {}
