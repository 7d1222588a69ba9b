import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"

/** How a program is started: its arguments as they are, and these variables alone. */
export interface Start {
  /** A program and its arguments. */
  readonly line: readonly [string, ...ReadonlyArray<string>]
  /** By these its process is known before it is the agent, too. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/**
 * A process in a session of its own that outlives us, its output appended to a file (0600); while we live, Node reaps it. Throws where the
 * file cannot be opened; a program that cannot be run is an `error` event.
 */
export const detached = ({ environment, line: [program, ...args] }: Start, cwd: string, output: string): ChildProcess => {
  const file = fs.openSync(output, "a", 0o600)
  try {
    const child = spawn(program, args, { cwd, env: environment, detached: true, stdio: ["ignore", file, file] })
    child.unref()
    return child
  } finally {
    fs.closeSync(file)
  }
}
