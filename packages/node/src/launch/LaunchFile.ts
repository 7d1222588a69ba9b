import { basename } from "node:path"
import type { LaunchTerminal, Terminal, Until } from "@souffleur/domain"
import { readTrustedText } from "../files/TrustedFile.ts"

/** Content of `launches/<id>.json`: one whole launch (spec: behaviour#launch-at-most-once). */
export interface Launch {
  readonly version: 1
  /** An idempotency token that is also the name of a file. */
  readonly id: string
  /** Absolute. */
  readonly program: string
  readonly args: ReadonlyArray<string>
  /**
   * Text that the agent reads on standard input; `null`: nothing. The launcher is started with it, and `execve` keeps
   * it.
   */
  readonly input: string | null
  /** The agent's whole environment, except {@link launchVariable} and `PWD`, which is `cwd`. */
  readonly environment: Readonly<Record<string, string>>
  /** Absolute. */
  readonly cwd: string
  /** File that the output is appended to. Absolute. `null`: an agent in a window has none. */
  readonly output: string | null
  readonly title: string
  readonly terminal: LaunchTerminal
  /** The terminal that it gets. A launch without a window is `headless`, wherever souffleur runs. */
  readonly place: Terminal
  /** The words that a person typed to begin it. Absent: no person did, or an older souffleur wrote the file. */
  readonly words?: ReadonlyArray<string>
  /** The prompt of an agent among those words. Absent: there is none, or an older souffleur wrote the file. */
  readonly prompt?: string
  /** See `LaunchOrder`. */
  readonly until?: Until
}

/** The kernel accepts no NUL in an argument or a variable. */
const isText = (value: unknown): value is string => typeof value === "string" && !value.includes("\0")
const isAbsolute = (value: unknown): boolean => isText(value) && value.startsWith("/")
/** Returns whether a value can be the id of a launch, which becomes the name of a file. */
export const isLaunchId = (value: unknown): boolean => typeof value === "string" && /^[A-Za-z0-9-]{1,200}$/u.test(value)
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const isEnvironment = (value: unknown): boolean =>
  isRecord(value) && Object.entries(value).every(([name, one]) => /^[^=\0]+$/u.test(name) && isText(one))

const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)

/** Tests the value of each field. It is no schema, because a recovery waits until the modules of a launch are there. */
const fields: { readonly [Name in keyof Omit<Launch, "prompt" | "until" | "words">]: (value: unknown) => boolean } = {
  version: (value) => value === 1,
  id: isLaunchId,
  program: isAbsolute,
  args: areTexts,
  input: (value) => value === null || typeof value === "string",
  environment: isEnvironment,
  cwd: isAbsolute,
  output: (value) => value === null || isAbsolute(value),
  title: isText,
  terminal: (value) => value === "shared" || value === "none" || value === "own",
  place: (value) => value === "headless" || value === "tmux" || value === "kitty" || value === "window"
}

/** Returns whether a value is a launch, with each field as it must be and no other. */
export const isLaunch = (value: unknown): value is Launch => {
  if (!isRecord(value)) return false
  const { prompt = "", until = { words: [], rounds: 0 }, words = [], ...rest } = value
  return (
    areTexts(words) &&
    isText(prompt) &&
    isRecord(until) &&
    areTexts(until["words"]) &&
    Number.isInteger(until["rounds"]) &&
    Object.keys(rest).length === Object.keys(fields).length &&
    Object.entries(fields).every(([name, isSo]) => Object.hasOwn(rest, name) && isSo(rest[name]))
  )
}

/** Writes a launch as the text whose digest the log has. */
export const encodeLaunch = (launch: Launch): string => JSON.stringify(launch)

/** Parses a text as a launch. `undefined`: it is none. */
const decodeLaunch = (text: string): Launch | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isLaunch(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Exit code of a launcher that did not become the agent, since the receipt was taken before. With a terminal of its
 * own, the code of a launcher is told as the agent's.
 */
export const lateCode = 119

/** Variable that every process of a launch has in its environment, with the launch's id. */
export const launchVariable = "SOUFFLEUR_LAUNCH_ID"

/** Bytes at most: more than the kernel accepts as arguments and environment. */
const maxBytes = 16_000_000

/**
 * Reads a launch file. `undefined`: it is missing, damaged, written by others, or has another id than its name or `id`.
 * The reason is not given, because the file may hold secrets.
 */
export const readLaunch = (path: string, id = basename(path, ".json")): Launch | undefined => {
  const read = readTrustedText(path, { own: true, others: "nothing", atMost: maxBytes })
  const launch = "text" in read ? decodeLaunch(read.text) : undefined
  return launch?.id === id ? launch : undefined
}
