import { constants } from "node:os"
import { LaunchFailed } from "@souffleur/domain"
import { Effect } from "effect"
import { detached, type Start } from "../own/Detached.ts"

interface HeadlessOptions {
  readonly cwd: string
  /** The file of its output. */
  readonly output: string
  readonly input?: string | null
  readonly ended?: (pid: number | undefined, exitCode: number) => void
}

/**
 * Starts a command detached, with `input` to read; succeeds with its pid. It closes no scope with it; how it ended is
 * handed on. `effect/process` takes no file for output.
 */
export const startHeadless = (
  start: Start,
  { cwd, ended = () => {}, input = null, output }: HeadlessOptions
): Effect.Effect<number, LaunchFailed> =>
  Effect.callback((resume) => {
    const failed = (message = `${start.line[0]} cannot be started`) =>
      resume(Effect.fail(new LaunchFailed({ message })))
    try {
      const child = detached(start, cwd, output, input)
      child.on("error", () => failed())
      // As a shell says it: 128 and the number of the signal.
      child.on("exit", (code, signal) =>
        ended(child.pid, code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
      )
      child.on("spawn", () => resume(Effect.succeed(child.pid ?? 0)))
    } catch (error) {
      failed(error instanceof Error ? error.message : undefined)
    }
  })
