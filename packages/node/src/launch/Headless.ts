import { constants } from "node:os"
import { LaunchFailed } from "@souffleur/domain"
import { Effect } from "effect"
import { detached, type Start } from "../own/Detached.ts"
import { follow } from "../processes/ChildEnds.ts"

interface HeadlessOptions {
  readonly cwd: string
  /** Absolute path of the file that the output is appended to. */
  readonly output: string
  readonly input?: string | null
  readonly ended?: (pid: number | undefined, exitCode: number) => void
}

/**
 * Starts a detached command, with `input` to read, and succeeds with its pid. The command outlives the scope. `ended`
 * is told its exit code. `effect/process` takes no file for output. Fails with `LaunchFailed` where the command cannot
 * be started.
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
      // A signal is reported as a shell does it: 128 and the signal's number.
      child.on("exit", (code, signal) =>
        ended(child.pid, code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
      )
      // The exit code is recorded before the end is reported.
      follow(child)
      child.on("spawn", () => resume(Effect.succeed(child.pid ?? 0)))
    } catch (error) {
      failed(error instanceof Error ? error.message : undefined)
    }
  })
