import { spawn } from "node:child_process"
import type { Socket } from "node:net"
import { ErrandFailed } from "@souffleur/domain"
import { type Duration, Effect } from "effect"
import type { Start } from "./Detached.ts"

/** UTF-16 units of an answer at most. */
const maxAnswerUnits = 4096

const gone = new ErrandFailed({ reason: "ended", message: "souffleur's own process for it has ended" })
const silent = new ErrandFailed({ reason: "silent", message: "souffleur's own process for it did not answer in time" })

/**
 * Gives one line to a process of its own, on its standard input, and returns its first line. An interruption leaves the
 * process at its work, and so does souffleur's own end. After the timeout it gets SIGKILL. Fails with `ErrandFailed`.
 */
export const post = Effect.fn("post")(function* (
  { environment, line: [program, ...args] }: Start,
  order: string,
  timeout: Duration.Input
) {
  const child = yield* Effect.try({
    try: () => spawn(program, args, { env: environment, detached: true, stdio: ["pipe", "pipe", "ignore"] }),
    catch: () => gone
  })
  const answer = Effect.callback<string, ErrandFailed>((resume) => {
    let text = ""
    const end = () =>
      resume(text.includes("\n") ? Effect.succeed(text.slice(0, text.indexOf("\n"))) : Effect.fail(gone))
    child.on("error", end)
    child.on("close", end)
    // An order that is written to a process that has just ended is lost, like its answer.
    child.stdin.on("error", () => {})
    child.stdout.setEncoding("utf8").on("data", (more: string) => {
      text += more
      if (text.includes("\n") || text.length > maxAnswerUnits) end()
    })
    child.stdin.end(`${order}\n`)
    // souffleur's own end waits for neither the process nor its answer.
    child.unref()
    for (const pipe of [child.stdin, child.stdout]) (pipe as Socket).unref()
  })
  return yield* Effect.timeoutOrElse(answer, {
    duration: timeout,
    orElse: () =>
      Effect.andThen(
        Effect.sync(() => child.kill("SIGKILL")),
        Effect.fail(silent)
      )
  })
})
