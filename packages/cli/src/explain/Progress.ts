import { plain, Words } from "@souffleur/domain"
import { Clock, Effect, Fiber, Ref, Stdio, Stream } from "effect"

/** The time after which an act is worth a line, and between two writings of it. */
const every = "1 second"

/** Erases the line that the cursor is in. */
const erased = "\r\u001B[2K"

/** Makes a line at the end of standard error, which is written again and again until it is erased. */
export const makeErasable = Effect.gen(function* () {
  const { stderr } = yield* Stdio.Stdio
  const shown = yield* Ref.make(false)
  const write = (text: string) => Effect.ignore(Stream.run(Stream.succeed(text), stderr({ endOnDone: false })))
  return {
    show: (text: string) => Effect.andThen(Ref.set(shown, true), write(erased + plain(text))),
    erase: Effect.flatMap(Ref.getAndSet(shown, false), (is) => (is ? write(erased) : Effect.void))
  }
})

/**
 * Says on standard error what takes longer than a second, with the time so far. It erases that line at the end, and
 * writes nothing where standard error is no terminal.
 */
export const withProgressLine =
  (what: string) =>
  <A, E, R>(act: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Stdio.Stdio> =>
    Effect.gen(function* () {
      const { stderrIsTerminal } = yield* Stdio.Stdio
      if (!(yield* stderrIsTerminal)) return yield* act
      const began = yield* Clock.currentTimeMillis
      const line = yield* makeErasable
      const tell = Effect.gen(function* () {
        yield* Effect.sleep(every)
        yield* line.show(`${what}: ${Words.duration((yield* Clock.currentTimeMillis) - began)}`)
      })
      const telling = yield* Effect.forkChild(Effect.forever(tell))
      return yield* Effect.onExit(act, () => Effect.andThen(Fiber.interrupt(telling), line.erase))
    })
