import { BadTarget, heldBy, Processes, type Target } from "@souffleur/domain"
import { Effect, Equal, Option } from "effect"
import { remark } from "../Remark.ts"
import { findWatch, type NamedWatch, unfinished } from "./FindWatch.ts"

/**
 * Returns the watch that goes on: the one of `--resume`, else the unfinished one of that session or this folder.
 */
export const knownOf = Effect.fn("knownOf")(function* (
  resume: Option.Option<string>,
  target: Option.Option<Target>,
  project: string
) {
  if (Option.isNone(resume)) {
    const of = Option.match(target, { onNone: () => ({ project }), onSome: ({ sessionId }) => ({ sessionId }) })
    return yield* unfinished(of)
  }
  return Option.some(yield* findWatch(resume.value))
})

/**
 * Accepts the same arguments for the same watch, even after a hand-off, because a restart loop has no others. Returns
 * the watch's id. Fails with `BadTarget` where the pid is a live process in a session that the watch never had.
 */
export const goesOn = Effect.fn("Known.goesOn")(function* ({ id, watch }: NamedWatch, target: Option.Option<Target>) {
  if (Option.isNone(target)) return id
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
  return id
})
