import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { openTrusted } from "../files/TrustedFile.ts"

/** How a program is started: its arguments as they are, and these variables alone. */
export interface Start {
  /** A program and its arguments. */
  readonly line: readonly [string, ...ReadonlyArray<string>]
  /** By these its process is known before it is the agent, too. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/**
 * A text as an open file that has no name any more: who inherits it can read it, also when we are gone, and nobody else
 * can. A pipe would hold no more than 64 KB until somebody reads.
 */
const nameless = (folder: string, text: string): number => {
  const own = fs.mkdtempSync(join(folder, ".new-"))
  try {
    const path = join(own, "input")
    fs.writeFileSync(path, text, { flag: "wx", mode: 0o600 })
    return fs.openSync(path, "r")
  } finally {
    fs.rmSync(own, { recursive: true, force: true })
  }
}

const { O_APPEND, O_CREAT, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = fs.constants
/** What stands under the name is never written through, or waited for. */
const appending = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

/**
 * A process in a session of its own that outlives us, its output appended to a file (0600); while we live, Node reaps
 * it. `input`: what it reads. Throws where a file cannot be opened; a program that cannot be run is an `error` event.
 */
export const detached = (
  { environment, line: [program, ...args] }: Start,
  cwd: string,
  output: string,
  input: string | null = null
): ChildProcess => {
  const written = openTrusted(output, { own: true }, appending, 0o600)
  if (typeof written !== "number") throw new Error(`${output}: ${written.problem}`)
  const opened = [written]
  try {
    if (input !== null) opened.push(nameless(dirname(output), input))
    const [file = "ignore", read = "ignore"] = opened
    const child = spawn(program, args, { cwd, env: environment, detached: true, stdio: [read, file, file] })
    child.unref()
    return child
  } finally {
    for (const file of opened) fs.closeSync(file)
  }
}
