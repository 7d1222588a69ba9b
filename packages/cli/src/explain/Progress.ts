import { plain, Words } from "@souffleur/domain"
import { Clock, Effect, Fiber, Ref, Stdio, Stream } from "effect"

/** The time after which an act is worth a line, and between two writings of it. */
const every = "1 second"

/** Erases the line that the cursor is in. */
const erased = "\r\u001B[2K"

/** Erases the line above, and goes there. */
const erasedAbove = "\u001B[1A\u001B[2K"

/** Makes lines at the end of standard error, which are written again and again until they are erased. */
export const makeErasable = Effect.gen(function* () {
  const { stderr } = yield* Stdio.Stdio
  const shown = yield* Ref.make(0)
  const write = (text: string) => Effect.ignore(Stream.run(Stream.succeed(text), stderr({ endOnDone: false })))
  const show = (...lines: ReadonlyArray<string>) =>
    Effect.flatMap(Ref.getAndSet(shown, lines.length), (before) =>
      before + lines.length === 0
        ? Effect.void
        : write(`${erased}${erasedAbove.repeat(Math.max(0, before - 1))}${lines.map((line) => plain(line)).join("\n")}`)
    )
  return { show, erase: show() }
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
