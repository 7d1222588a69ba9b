import { plain, Words } from "@souffleur/domain"
import { Clock, Effect, Fiber, Stdio, Stream } from "effect"

/** The time after which an act is worth a line, and between two writings of it. */
const every = "1 second"

/** Erases the line that the cursor is in. */
const erased = "\r\u001B[2K"

/**
 * Says on standard error what takes longer than a second, with the time so far. It erases that line at the end, and
 * writes nothing where standard error is no terminal.
 */
export const withProgressLine =
  (what: string) =>
  <A, E, R>(act: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Stdio.Stdio> =>
    Effect.gen(function* () {
      const { stderr, stderrIsTerminal } = yield* Stdio.Stdio
      if (!(yield* stderrIsTerminal)) return yield* act
      const began = yield* Clock.currentTimeMillis
      const write = (text: string) => Effect.ignore(Stream.run(Stream.succeed(text), stderr({ endOnDone: false })))
      let shown = false
      const tell = Effect.gen(function* () {
        yield* Effect.sleep(every)
        shown = true
        yield* write(`${erased}${plain(what)}: ${Words.duration((yield* Clock.currentTimeMillis) - began)}`)
      })
      const telling = yield* Effect.forkChild(Effect.forever(tell))
      return yield* Effect.onExit(act, () =>
        Effect.andThen(
          Fiber.interrupt(telling),
          Effect.suspend(() => (shown ? write(erased) : Effect.void))
        )
      )
    })
