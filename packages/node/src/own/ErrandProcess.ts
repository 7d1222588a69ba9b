import { type ChildProcess, spawn } from "node:child_process"
import { ErrandFailed, Errands } from "@souffleur/domain"
import { Clock, Deferred, Duration, Effect, Fiber, Layer, Option, Semaphore } from "effect"
import type { Start } from "./Detached.ts"

/** The process that answers errands, and the times that it has. */
export interface ErrandOptions {
  /** Program and arguments of the process that answers errands, asked for when it is started. */
  readonly line: () => Start["line"]
  /** Time for one errand, 2 seconds by default. */
  readonly errandTimeout?: Duration.Input
  /** Time for a process to begin, 20 seconds by default. Files of others have no effect on it. */
  readonly startTimeout?: Duration.Input
  /** Time without questions about a subject after it took too long, 10 seconds by default. */
  readonly pause?: Duration.Input
  /** Time without an errand until the process is ended, 5 seconds by default. A watch asks a few times a minute. */
  readonly idle?: Duration.Input
}

/** Characters of an answer at most: far more than any real answer. */
const maxAnswerLength = 64_000_000

/** A process that answers errands. */
interface Answering {
  readonly child: ChildProcess
  /** Reads its next line. Fails with `ErrandFailed` when it has ended. */
  readonly next: Effect.Effect<string, ErrandFailed>
  readonly exited: Deferred.Deferred<void>
}

const gone = new ErrandFailed({ reason: "ended", message: "souffleur's own process for it has ended" })

/**
 * Starts the process in its own session, so that Ctrl-C in a terminal does not end it. It gets an empty environment.
 */
const start = ([program, ...args]: Start["line"]): Answering => {
  const child = spawn(program, args, { env: {}, detached: true, stdio: ["pipe", "pipe", "ignore"] })
  const exited = Deferred.makeUnsafe<void>()
  let text = ""
  let [ended, wake] = [false, () => {}]
  const end = () => {
    ended = true
    wake()
    Deferred.doneUnsafe(exited, Effect.void)
  }
  child.on("error", end)
  child.on("exit", end)
  // Text that is written to a process that has just ended is lost, like its answer.
  child.stdin.on("error", () => {})
  child.stdout.setEncoding("utf8").on("data", (more: string) => {
    text += more
    if (text.length > maxAnswerLength) child.kill("SIGKILL")
    wake()
  })
  const next = Effect.callback<string, ErrandFailed>((resume) => {
    wake = () => {
      const at = text.indexOf("\n")
      if (at === -1 && !ended) return
      wake = () => {}
      if (at === -1) return resume(Effect.fail(gone))
      const line = text.slice(0, at)
      text = text.slice(at + 1)
      resume(Effect.succeed(line))
    }
    wake()
  })
  return { child, next, exited }
}

/**
 * {@link Errands} by a child process, started with the first question. SIGKILL ends it when it takes too long or is
 * idle. No other child is started before it is gone. It ends with souffleur, even if souffleur is killed.
 */
export const layer = ({
  startTimeout = "20 seconds",
  idle = "5 seconds",
  line,
  pause = "10 seconds",
  errandTimeout = "2 seconds"
}: ErrandOptions): Layer.Layer<Errands> =>
  Layer.effect(
    Errands,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const turn = yield* Semaphore.make(1)
      let answering: Answering | undefined
      let leaving: Answering | undefined
      let resting: Fiber.Fiber<void> | undefined
      /** Monotonic nanoseconds until which a subject that took too long is not asked about. */
      const spared = new Map<string, bigint>()
      const silent = new ErrandFailed({
        reason: "silent",
        message: `it did not answer within ${Duration.format(Duration.fromInputUnsafe(errandTimeout))}: something in it does not end, or is too large`
      })

      const end = Effect.sync(() => {
        answering?.child.kill("SIGKILL")
        leaving = answering ?? leaving
        answering = undefined
      })
      yield* Effect.addFinalizer(() => end)

      const begun = Effect.fnUntraced(function* () {
        if (answering !== undefined) return answering
        // A process that hangs in the kernel is not replaced by another.
        if (
          leaving !== undefined &&
          Option.isNone(yield* Effect.timeoutOption(Deferred.await(leaving.exited), "1 second"))
        )
          return yield* silent
        leaving = undefined
        const one = yield* Effect.try({ try: () => start(line()), catch: () => gone })
        answering = one
        yield* Effect.timeoutOrElse(one.next, { duration: startTimeout, orElse: () => Effect.fail(gone) })
        return one
      })

      const exchange = Effect.fnUntraced(function* (about: string, question: string) {
        if ((yield* Clock.monotonicTimeNanos) < (spared.get(about) ?? 0n)) return yield* silent
        const { child, next } = yield* begun()
        child.stdin?.write(`${question}\n`)
        return yield* Effect.timeoutOrElse(next, {
          duration: errandTimeout,
          orElse: () =>
            Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
              spared.set(about, now + Duration.toNanosUnsafe(Duration.fromInputUnsafe(pause)))
              return Effect.fail(silent)
            })
        })
      })

      const rest = Effect.suspend(() => Effect.forkIn(Effect.andThen(Effect.sleep(idle), end), scope))
      return Errands.of({
        ask: (about, question) =>
          Effect.gen(function* () {
            if (resting !== undefined) yield* Fiber.interrupt(resting)
            const answer = yield* exchange(about, question)
            resting = yield* rest
            return answer
          }).pipe(
            // A late answer would be taken for the next one's.
            Effect.onExit((exit) => (exit._tag === "Success" ? Effect.void : end)),
            turn.withPermits(1)
          )
      })
    })
  )
