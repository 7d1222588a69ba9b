import { LaunchFailed, type ProcessEnd } from "@souffleur/domain"
import { Effect } from "effect"
import { detached, type Start } from "../own/Detached.ts"
import { follow } from "../processes/ChildEnds.ts"

interface HeadlessOptions {
  readonly cwd: string
  /** Absolute path of the file that the output is appended to. */
  readonly output: string
  readonly input?: string | null
  readonly ended?: (pid: number | undefined, end: ProcessEnd) => void
}

/**
 * Starts a detached command, with `input` to read, and succeeds with its pid. The command outlives the scope. `ended`
 * is told how it ended. `effect/process` takes no file for output. Fails with `LaunchFailed` where the command cannot
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
      child.on("exit", (code, signal) =>
        ended(child.pid, signal === null ? { _tag: "Exited", code: code ?? 0 } : { _tag: "Killed", signal })
      )
      // How it ended is recorded before the end is reported.
      follow(child)
      child.on("spawn", () => resume(Effect.succeed(child.pid ?? 0)))
    } catch (error) {
      failed(error instanceof Error ? error.message : undefined)
    }
  })
