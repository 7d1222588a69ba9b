import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { constants } from "node:os"
import { LaunchFailed } from "@souffleur/domain"
import { Effect } from "effect"

/** How a launch entry is started in any terminal. */
export interface Start {
  /** A program and its arguments. */
  readonly line: readonly [string, ...ReadonlyArray<string>]
  /** By these its process is known before it is the agent, too. */
  readonly environment: Readonly<Record<string, string>>
}

/**
 * Starts a command detached, its output appended to a file (0600); succeeds with its pid. It outlives us, and closes no
 * scope with it; while we live, Node reaps it, and how it ended is handed on. `effect/process` takes no file for output.
 */
export const startHeadless = (
  { environment, line }: Start,
  cwd: string,
  output: string,
  ended: (pid: number | undefined, exitCode: number) => void
): Effect.Effect<number, LaunchFailed> =>
  Effect.callback((resume) => {
    const failed = () => resume(Effect.fail(new LaunchFailed({ why: `${line[0]} cannot be started` })))
    let file: number | undefined
    try {
      file = fs.openSync(output, "a", 0o600)
      const [program, ...args] = line
      const child = spawn(program, args, { cwd, env: environment, detached: true, stdio: ["ignore", file, file] })
      child.unref()
      child.on("error", failed)
      // As a shell says it: 128 and the number of the signal.
      child.on("exit", (code, signal) => ended(child.pid, code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
      child.on("spawn", () => resume(Effect.succeed(child.pid ?? 0)))
    } catch {
      failed()
    } finally {
      if (file !== undefined) fs.closeSync(file)
    }
  })
