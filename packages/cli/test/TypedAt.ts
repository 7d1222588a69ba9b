import { type Cause, Effect, Option, Queue, Terminal } from "effect"

/** A key as a terminal reads it. */
const inputOf = (name: string): Terminal.UserInput => ({
  input: name.length === 1 ? Option.some(name) : Option.none(),
  key: { name, ctrl: false, meta: false, shift: false }
})

/** Gives an effect a terminal at which a person types these keys, and keeps what it shows. */
export const typedAt =
  (keys: ReadonlyArray<string>, shown: Array<string>, meanwhile: Effect.Effect<void> = Effect.void) =>
  <A, E, R>(does: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const queue = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
      yield* Queue.offerAll(queue, keys.map(inputOf))
      yield* Queue.end(queue)
      const terminal = Terminal.make({
        columns: Effect.succeed(200),
        rows: Effect.succeed(50),
        size: Queue.unbounded(),
        readInput: Effect.as(meanwhile, queue),
        readLine: Effect.succeed(""),
        display: (text) => Effect.sync(() => void shown.push(text))
      })
      return yield* Effect.provideService(does, Terminal.Terminal, terminal)
    })
