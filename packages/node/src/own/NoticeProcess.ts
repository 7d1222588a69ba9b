import { type ChildProcess, spawn } from "node:child_process"
import type { Socket } from "node:net"
import { ErrandFailed } from "@souffleur/domain"
import { type Duration, Effect } from "effect"
import type { Start } from "./Detached.ts"

/** UTF-16 units of an answer at most. */
const maxAnswerUnits = 4096

const gone = new ErrandFailed({ reason: "ended", message: "souffleur's own process for it has ended" })
const silent = new ErrandFailed({ reason: "silent", message: "souffleur's own process for it did not answer in time" })

/** Starts a process in its own session, so that it outlives souffleur. */
const begin = ({ environment, line: [program, ...args] }: Start, stdout: "ignore" | "pipe") =>
  spawn(program, args, { env: environment, detached: true, stdio: ["pipe", stdout, "ignore"] })

/** Writes the order. Neither the process nor its pipes keep souffleur. */
const give = (child: ChildProcess, order: string): void => {
  // An order that is written to a process that has just ended is lost, like its answer.
  child.stdin?.on("error", () => {})
  child.stdin?.end(`${order}\n`)
  child.unref()
  for (const pipe of [child.stdin, child.stdout]) (pipe as Socket | null)?.unref()
}

/**
 * Makes an effect that gives one line to a process of its own, on its standard input, and leaves it. The next one ends
 * the process before it, with what that one started: many notices leave one process. Where it cannot run, nothing
 * happens.
 */
export const leaveLast = () => {
  let last: ChildProcess | undefined
  return (start: Start, order: string): Effect.Effect<void> =>
    Effect.ignore(
      Effect.try(() => {
        // It leads a group of its own. No other process has its number while its end is not taken.
        const number = last?.exitCode === null && last.signalCode === null ? last.pid : undefined
        last = begin(start, "ignore").on("error", () => {})
        give(last, order)
        if (number !== undefined) process.kill(-number, "SIGTERM")
      })
    )
}

/** Gives one line to a process of its own, and waits for its first line. See `post` and `ask`. */
const answered = Effect.fnUntraced(function* (start: Start, order: string, timeout: Duration.Input, outlives: boolean) {
  const child = yield* Effect.try({ try: () => begin(start, "pipe"), catch: () => gone })
  const kill = Effect.sync(() => child.kill("SIGKILL"))
  const answer = Effect.callback<string, ErrandFailed>((resume) => {
    let text = ""
    const end = () =>
      resume(text.includes("\n") ? Effect.succeed(text.slice(0, text.indexOf("\n"))) : Effect.fail(gone))
    child.on("error", end)
    child.on("close", end)
    child.stdout?.setEncoding("utf8").on("data", (more: string) => {
      text += more
      if (text.includes("\n") || text.length > maxAnswerUnits) end()
    })
    // souffleur's own end waits for neither the process nor its answer.
    give(child, order)
  })
  return yield* Effect.timeoutOrElse(outlives ? answer : Effect.onInterrupt(answer, () => kill), {
    duration: timeout,
    orElse: () => Effect.andThen(kill, Effect.fail(silent))
  })
})

/**
 * Gives one line to a process of its own, on its standard input, and returns its first line. An interruption leaves the
 * process at its work, and so does souffleur's own end. After the timeout it gets SIGKILL. Fails with `ErrandFailed`.
 */
export const post = Effect.fn("post")((start: Start, order: string, timeout: Duration.Input) =>
  answered(start, order, timeout, true)
)

/** The same for a process that an interruption ends. */
export const ask = Effect.fn("ask")((start: Start, order: string, timeout: Duration.Input) =>
  answered(start, order, timeout, false)
)
