import { AlreadyWatched, Claims, isOver, Processes, type Watch } from "@souffleur/domain"
import { Effect, FileSystem, Option } from "effect"
import { unfinishedWatches } from "./FindWatch.ts"

/** Returns whether two paths lead to one file. A file that is gone is the same by its path alone. */
const isSameFile = Effect.fnUntraced(function* (one: string, other: string) {
  if (one === other) return true
  const fs = yield* FileSystem.FileSystem
  const [a, b] = yield* Effect.all([Effect.option(fs.stat(one)), Effect.option(fs.stat(other))])
  return Option.isSome(a) && Option.isSome(b) && a.value.dev === b.value.dev && Option.isSome(a.value.ino)
    ? Option.contains(b.value.ino, a.value.ino.value)
    : false
})

/** Returns whether the Conductor is provably gone, and no launch of a successor is under way. */
const isConductorGone = Effect.fnUntraced(function* ({ conductor, mode, named, recovery }: Watch) {
  const processes = yield* Processes
  if (mode === "heartbeat-only" || recovery?.launch !== undefined) return false
  const known = conductor ?? named
  return known === null || isOver(yield* processes.condition(known))
})

/**
 * Returns the unfinished watches of a comms file that yield to another one: their Conductor and their souffleur are
 * gone (spec: behaviour#claims). Fails with `AlreadyWatched` where one of them is not.
 */
export const yieldingIn = Effect.fn("yieldingIn")(function* (comms: string) {
  const claims = yield* Claims
  const yielding: Array<string> = []
  for (const { id, watch } of yield* unfinishedWatches) {
    if (watch.comms === null || !(yield* isSameFile(watch.comms, comms))) continue
    const { left, owner } = watch
    const isOwned = owner !== undefined && !(yield* claims.isDead(owner))
    if (!isOwned && (yield* isConductorGone(watch))) {
      yielding.push(id)
      continue
    }
    const { pid } = owner?.process ?? { pid: 0 }
    const who = isOwned
      ? `souffleur (pid ${pid}) lives`
      : watch.conductor === undefined
        ? "Conductor may live"
        : `Conductor (pid ${watch.conductor.pid}) lives`
    return yield* new AlreadyWatched({
      owner: owner ?? left ?? claims.self,
      problem: `${comms} belongs to watch ${id}, whose ${who}: "souffleur release ${id}" frees it`
    })
  }
  return yielding
})
