import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { openTrusted } from "../files/TrustedFile.ts"

/** How a program is started: with exactly these arguments and variables. */
export interface Start {
  /** A program and its arguments. */
  readonly line: readonly [string, ...ReadonlyArray<string>]
  /** By these variables its process is recognised before it becomes the agent, too. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/**
 * Opens a text as a file without a name. Only processes that inherit the descriptor can read it, also after souffleur
 * has ended. A pipe would hold only 64 KB until it is read.
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
/** A link or pipe under that name is never written through, or waited for. */
const appending = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

/** What a detached process prints to, and reads. Paths are absolute. */
interface Streams {
  readonly output: string
  /** The file of its standard error; absent: the file of its standard output. */
  readonly errors?: string | undefined
  readonly input?: string | null
}

/**
 * Starts a process in its own session that outlives souffleur, with its output appended to files (0600). Node reaps it
 * while souffleur lives. `input` is its standard input. Throws where a file cannot be opened. A program that cannot be
 * run is an `error` event.
 */
export const detached = (
  { environment, line: [program, ...args] }: Start,
  cwd: string,
  { errors, input = null, output }: Streams
): ChildProcess => {
  const opened: Array<number> = []
  const open = (path: string): number => {
    const file = openTrusted(path, { own: true }, appending, 0o600)
    if (typeof file !== "number") throw new Error(`${path}: ${file.problem}`)
    opened.push(file)
    return file
  }
  try {
    const stdout = open(output)
    const stderr = errors === undefined ? stdout : open(errors)
    let stdin: number | "ignore" = "ignore"
    if (input !== null) opened.push((stdin = nameless(dirname(output), input)))
    const child = spawn(program, args, { cwd, env: environment, detached: true, stdio: [stdin, stdout, stderr] })
    child.unref()
    return child
  } finally {
    for (const file of opened) fs.closeSync(file)
  }
}
