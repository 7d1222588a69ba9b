import { lookTrusted } from "@souffleur/process"
import { Effect, FileSystem, Option, Schema } from "effect"

/** A trace that stays on the machine. `message` says why. */
export class NotRemoved extends Schema.TaggedError<NotRemoved>()("NotRemoved", { message: Schema.String }) {}

/** Something that souffleur has left on this machine, and how it goes. */
export interface Trace<R> {
  readonly kind:
    | "hooks"
    | "plugin"
    | "service"
    | "completion"
    | "trust"
    | "guardian"
    | "hook signs"
    | "page"
    | "fleet"
    | "compiled code"
    | "state"
  /** Absolute. */
  readonly path: string
  /** Fails with `NotRemoved`, and changes nothing then. */
  readonly remove: Effect.Effect<void, NotRemoved, R>
}

/** Turns any error of a removal into its sentence. */
export const orNotRemoved = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.asVoid(Effect.mapError(effect, ({ message }) => new NotRemoved({ message })))

/**
 * Finds a file or folder of souffleur's own. It is removed whole, unless it is a link or belongs to another user.
 * `None`: nothing is there.
 */
export const ownTrace = Effect.fn("ownTrace")(function* (kind: Trace<never>["kind"], path: string) {
  const fs = yield* FileSystem.FileSystem
  const link = Option.isSome(yield* Effect.option(fs.readLink(path)))
  const found = yield* Effect.option(fs.stat(path))
  if (!link && Option.isNone(found)) return Option.none()
  const folder = Option.exists(found, ({ type }) => type === "Directory")
  const remove = Effect.gen(function* () {
    if (link) return yield* new NotRemoved({ message: "it is a link, and souffleur makes none" })
    const looked = lookTrusted(path, { own: true, ...(folder ? { folder } : {}) })
    const removed = Effect.andThen(looked, fs.remove(path, { recursive: folder, force: true }))
    // What goes by itself meanwhile is gone, as a file beside a database is that its last user closes.
    const isGone = (error: Effect.Error<typeof removed>) => error._tag === "FileRefused" && error.missing
    yield* orNotRemoved(Effect.catchIf(removed, isGone, () => Effect.void))
  })
  return Option.some({ kind, path, remove })
})
