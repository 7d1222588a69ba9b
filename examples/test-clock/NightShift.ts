import { Souffleur, type WatchOptions } from "@souffleur/embed"
import { Effect, Stream } from "effect"

const at = (millis: number) => new Date(millis).toISOString().slice(11, 16)

/** The app under test: it looks after an agent to its end. It keeps a diary of deaths and successors. */
export const nightShift = Effect.fn("nightShift")(function* (agent: WatchOptions, diary: Array<string>) {
  const souffleur = yield* Souffleur
  const watch = yield* souffleur.watch(agent)
  yield* watch.events.pipe(
    Stream.runForEach(({ event }) =>
      Effect.sync(() => {
        if (event._tag === "ConductorDied") diary.push(`${at(event.at)} died: ${event.reason}`)
        if (event._tag === "ConductorRelaunched")
          diary.push(`${at(event.at)} successor: process ${event.conductor?.pid}`)
      })
    ),
    Effect.forkScoped
  )
  const { end } = yield* watch.awaitEnd
  diary.push(`the night ended: ${end}`)
}, Effect.scoped)
