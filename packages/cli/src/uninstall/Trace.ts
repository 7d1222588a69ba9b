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
    yield* orNotRemoved(lookTrusted(path, { own: true, ...(folder ? { folder } : {}) }))
    yield* orNotRemoved(fs.remove(path, { recursive: folder }))
  })
  return Option.some({ kind, path, remove })
})
