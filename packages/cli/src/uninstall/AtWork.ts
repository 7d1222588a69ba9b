import { Claims, guardianOf, isOver, type Owner, Processes } from "@souffleur/domain"
import type { NamedWatch } from "@souffleur/embed"
import { unfinishedWatches } from "@souffleur/embed/internal"
import { Beats } from "@souffleur/eventlog"
import { guardianNamed } from "@souffleur/node"
import { unfinishedRuns } from "@souffleur/plan"
import { Effect, Option, Runtime, Schema } from "effect"

/** A watch or a run is at work, so nothing is removed. Exit code 3. */
export class StillAtWork extends Schema.TaggedError<StillAtWork>()("StillAtWork", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 3
}

const isAlive = Effect.fnUntraced(function* (owner: Owner | undefined | null) {
  return owner !== undefined && owner !== null && !(yield* (yield* Claims).isDead(owner))
})

/** A guardian that lives would bring the watch back. */
const isGuarded = Effect.fnUntraced(function* ({ id }: NamedWatch) {
  const processes = yield* Processes
  const beat = yield* (yield* Beats).last(guardianOf(id))
  const guardian = Option.isSome(beat) ? guardianNamed(beat.value.by) : undefined
  return guardian !== undefined && !isOver(yield* processes.condition(guardian))
})

/** Fails with `StillAtWork` where a souffleur or a guardian of this state folder is alive, and says what to do. */
export const unlessAtWork = Effect.fn("unlessAtWork")(function* () {
  const watches = yield* Effect.filter(
    yield* unfinishedWatches,
    Effect.fnUntraced(function* (one) {
      return (yield* isAlive(one.watch.owner)) || (yield* isGuarded(one))
    })
  )
  const runs = yield* Effect.filter(yield* unfinishedRuns, ({ run }) => isAlive(run.owner))
  const lines = [
    ...watches.map(({ id }) => `watch ${id} is alive: souffleur release ${id}`),
    ...runs.map(({ id, run }) => `run ${id} is at work: end its conductor, pid ${run.owner?.process.pid}`)
  ]
  if (lines.length > 0)
    return yield* new StillAtWork({ message: `nothing is removed while souffleur is at work: ${lines.join("; ")}` })
})
