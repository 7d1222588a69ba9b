import { heldBy, Processes, type Target } from "@souffleur/domain"
import { Console, Effect, Equal, Option } from "effect"
import { BadUsage } from "../Failure.ts"
import { allWatches, findWatch, type NamedWatch, unfinished } from "./FindWatch.ts"

/**
 * The watch that goes on: the one that `--resume` names, else the unfinished one of that session, or of this folder.
 */
export const knownOf = Effect.fn("knownOf")(function* (
  resume: Option.Option<string>,
  target: Option.Option<Target>,
  project: string
) {
  if (Option.isNone(resume)) {
    const of = Option.match(target, { onNone: () => ({ project }), onSome: ({ sessionId }) => ({ sessionId }) })
    return unfinished(yield* allWatches, of)
  }
  if (Option.isSome(target))
    return yield* new BadUsage({ message: "--resume names a watch, which has its Conductor: leave the other out" })
  return Option.some(yield* findWatch(resume, project))
})

/**
 * The same words again mean the same watch, also where it has moved on to a successor: a restart loop has no others.
 * Only of who lives, is not its Conductor, and holds a session that it never had, somebody else is meant.
 */
export const goesOn = Effect.fn("Known.goesOn")(function* ({ id, watch }: NamedWatch, target: Option.Option<Target>) {
  if (Option.isNone(target)) return id
  const { pid } = target.value
  const follows = watch.conductor?.pid ?? watch.pid
  const found = Option.filter(yield* (yield* Processes).find(pid), ({ condition }) => condition !== "zombie")
  const another = Option.filter(found, ({ identity }) => !Equal.equals(identity, watch.conductor))
  const held = Option.isSome(another) ? yield* heldBy(another.value.identity) : undefined
  if (held !== undefined && !watch.sessions.includes(held)) {
    return yield* new BadUsage({
      message: `process ${pid} holds session ${held}, and watch ${id} of session ${target.value.sessionId} follows pid ${follows}: name that session, or end the watch with "souffleur release ${id}"`
    })
  }
  if (pid !== follows)
    yield* Console.error(`watch ${id} follows pid ${follows}, Conductor (S${Math.max(1, watch.generation)}), by now`)
  return id
})
