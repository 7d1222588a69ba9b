import { Clock, Effect, Ref } from "effect"
import { EventLog } from "./EventLog.ts"
import { load, type LogError, tell, type Tell } from "./Tell.ts"
import { initial, type Watch } from "./Watch.ts"
import type { Stamp } from "./WatchCommand.ts"

/** One watch as a role sees it: what it is now, and a way to speak. */
export interface WatchRef {
  readonly id: string
  /** Read from the log, never remembered. */
  readonly state: Effect.Effect<Watch, LogError>
  readonly tell: Tell
}

/** Folds each event once, however often it is asked, `from` a state that is known; every word is stamped with the Clock and `by`. */
export const makeWatchRef = Effect.fnUntraced(function* (id: string, by: Stamp["by"], from: Watch = initial) {
  const log = yield* EventLog
  const known = yield* Ref.make<Watch>(from)
  const remember = (watch: Watch) => Ref.update(known, (before) => (before.revision > watch.revision ? before : watch))
  const withLog = Effect.provideService(EventLog, log)
  const state = Ref.get(known).pipe(
    Effect.flatMap((from) => load(id, from)),
    Effect.tap(remember),
    withLog
  )
  const say: Tell = Effect.fnUntraced(function* (intent) {
    const now = yield* Clock.currentTimeMillis
    return yield* tell(id, { ...intent, now, by }, yield* Ref.get(known)).pipe(Effect.tap(remember), withLog)
  })
  return { id, state, tell: say } satisfies WatchRef
})
