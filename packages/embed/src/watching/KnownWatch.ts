import { BadTarget, heldBy, Processes, type Target } from "@souffleur/domain"
import { Effect, Equal, Option, Runtime, Schema } from "effect"
import { remark } from "../Remark.ts"
import type { NamedWatch } from "./FindWatch.ts"

/** A watch goes on as it was opened, and another comms or `force` was asked for. `message` says what to do. */
export class OpenedOtherwise extends Schema.TaggedError<OpenedOtherwise>()("OpenedOtherwise", {
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
}

/**
 * Refuses what a watch that goes on cannot take any more. Fails with `OpenedOtherwise`. `comms`: the database that was
 * named; `undefined`: none was.
 */
export const refuseChange = Effect.fnUntraced(function* (
  { id, watch }: NamedWatch,
  { comms, force }: { readonly comms: string | null | undefined; readonly force: boolean }
) {
  if (force)
    return yield* new OpenedOtherwise({
      message: `watch ${id} goes on as it was opened: end it with "souffleur release ${id}", then say --force`
    })
  if (comms !== undefined && comms !== watch.comms)
    return yield* new OpenedOtherwise({
      message: `watch ${id} goes on with ${watch.comms ?? "no comms"}: leave --comms out`
    })
})

/**
 * Accepts the same arguments for the same watch, even after a hand-off, because a restart loop has no others. Fails
 * with `BadTarget` where the pid is a live process in a session that the watch never had.
 */
export const goesOn = Effect.fn("Known.goesOn")(function* ({ id, watch }: NamedWatch, target: Option.Option<Target>) {
  if (Option.isNone(target)) return
  const { pid } = target.value
  const follows = watch.conductor?.pid ?? watch.pid
  const found = Option.filter(yield* (yield* Processes).find(pid), ({ condition }) => condition !== "zombie")
  const another = Option.filter(found, ({ identity }) => !Equal.equals(identity, watch.conductor))
  const held = Option.isSome(another) ? yield* heldBy(another.value.identity) : undefined
  if (held !== undefined && !watch.sessions.includes(held)) {
    return yield* new BadTarget({
      message: `process ${pid} holds session ${held}, and watch ${id} of session ${target.value.sessionId} follows pid ${follows}: name that session, or end the watch with "souffleur release ${id}"`
    })
  }
  if (pid !== follows)
    yield* remark("info", `watch ${id} follows pid ${follows}, Conductor (S${Math.max(1, watch.generation)}), by now`)
})
