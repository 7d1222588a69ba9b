import { EventLog } from "@souffleur/domain"
import { own, supervise } from "@souffleur/supervisor"
import { Effect, Stream } from "effect"

/** The app under test: it looks after a watch to its end, and keeps a diary of its deaths and successors. */
export const nightShift = Effect.fn("nightShift")(function* (watch: string, diary: Array<string>) {
  const log = yield* EventLog
  const { fence, ref } = yield* own(watch)
  const at = (millis: number) => new Date(millis).toISOString().slice(11, 16)
  yield* log.changes(watch, 0).pipe(
    Stream.runForEach(({ event }) =>
      Effect.sync(() => {
        if (event._tag === "ConductorDied") diary.push(`${at(event.at)} died: ${event.reason}`)
        if (event._tag === "ConductorRelaunched")
          diary.push(`${at(event.at)} successor: process ${event.conductor.pid}`)
      })
    ),
    Effect.forkScoped
  )
  const { end } = yield* supervise(ref, fence)
  diary.push(`the night ended: ${end}`)
}, Effect.scoped)
