import type { HookCall, HookReader } from "@souffleur/domain"
import { existsSync, readFileSync } from "node:fs"
import { isAbsolute, join, resolve } from "node:path"
import { addAbortSignal } from "node:stream"
import { ownFolder } from "../files/Folder.ts"
import { hostSource } from "../processes/HostSource.ts"
import { appendSign } from "../files/SignFile.ts"
import { agentAbove, type ProcessAbove } from "../processes/AgentAbove.ts"

export { ownWords } from "./OwnProgram.ts"

/** A program and its arguments. */
type CommandWords = readonly [string, ...ReadonlyArray<string>]

/** Bytes of standard input that are parsed. The rest is read and dropped, so that the writer does not fail. */
const parsedBytes = 65_536
/**
 * Bytes of standard input that are read: as much as an agent's own input may have. Reading more would delay the tool
 * that waits.
 */
const maxBytes = 8_388_608

/** Milliseconds until standard input must end: the agent or one of its tools waits for this. */
const inputTimeoutMillis = 2000

/** Reads the beginning of standard input as text. */
const input = async (): Promise<string> => {
  const parts: Array<Buffer> = []
  let bytes = 0
  if (process.stdin.isTTY) return ""
  try {
    for await (const part of addAbortSignal(AbortSignal.timeout(inputTimeoutMillis), process.stdin)) {
      if (bytes < parsedBytes) parts.push(part)
      bytes += part.length
      if (bytes > maxBytes) break
    }
  } catch {
    // The part that arrived in time may be enough.
  }
  return Buffer.concat(parts).toString("utf8", 0, parsedBytes)
}

/** Returns the state folder of the settings (spec: settings#folders). `undefined`: there is none. */
const stateDir = ({ HOME, SOUFFLEUR_STATE_DIR, XDG_STATE_HOME }: NodeJS.ProcessEnv): string | undefined => {
  if (SOUFFLEUR_STATE_DIR) return resolve(SOUFFLEUR_STATE_DIR)
  if (XDG_STATE_HOME && isAbsolute(XDG_STATE_HOME)) return join(XDG_STATE_HOME, "souffleur")
  return HOME && isAbsolute(HOME) ? join(HOME, ".local", "state", "souffleur") : undefined
}

/** Yields the processes above this one. Each is looked at when it is asked for. */
const above = function* (): Generator<ProcessAbove> {
  for (let pid = process.ppid; pid > 1; pid = hostSource?.stat(pid)?.parent ?? 0)
    yield { pid, words: hostSource?.commandLine(pid) ?? [] }
}

/** Bytes at the end of a file of signs that are searched. No prompt is far behind the beginning of its session. */
const searchedBytes = 16_384

/** Returns whether a prompt is the first of its session in this process, by the signs before it. */
const isFirstPrompt = (path: string, { event }: HookCall): boolean => {
  if (event !== "UserPromptSubmit" || !existsSync(path)) return false
  const lines = readFileSync(path).subarray(-searchedBytes).toString().split("\n")
  const began = lines.findLastIndex((line) => line.includes('"holding":"began"'))
  return began !== -1 && !lines.slice(began).some((line) => line.includes(`"event":"${event}"`))
}

/** Starts a command that the agent does not wait for. */
const leave = ([program, ...args]: CommandWords): void => {
  const { spawn } = process.getBuiltinModule("node:child_process")
  spawn(program, args, { detached: true, stdio: "ignore" })
    .on("error", () => {})
    .unref()
}

/**
 * Records a call of an agent's hook on standard input, as one line of `<state dir>/hooks/<session id>.jsonl` (0600).
 * `reader` makes that line from the call. `words` are those behind `hook`. The program that they name is the agent's,
 * whose process is above the hook; without one the environment names the process. With `--watch` the first prompt of a
 * session starts `watching`, unless souffleur itself has launched the agent. It never fails and prints nothing: an
 * agent waits for it, and must not be disturbed.
 */
export const keepSign = async (
  reader: HookReader,
  words: ReadonlyArray<string>,
  watching?: CommandWords
): Promise<void> => {
  try {
    const agent = words.find((word) => word !== "--watch")
    const call = reader.call(await input())
    const state = stateDir(process.env)
    if (call === undefined || state === undefined) return
    const pid = (agent === undefined ? reader.pid(process.env) : agentAbove(agent, above())) ?? null
    const startTime = pid === null ? null : (hostSource?.stat(pid)?.startTime ?? null)
    // The start of this process is closer to the event than the clock is now.
    const line = JSON.stringify({ at: Math.round(performance.timeOrigin), ...call, pid, startTime })
    const folder = join(state, "hooks")
    if (ownFolder(state) !== undefined || ownFolder(folder) !== undefined) return
    const path = join(folder, `${call.sessionId}.jsonl`)
    const watched = watching !== undefined && words.includes("--watch") && !process.env["SOUFFLEUR_LAUNCH_ID"]
    const begins = watched && isFirstPrompt(path, call)
    appendSign(path, `${line}\n`)
    if (begins) leave(watching)
  } catch {
    // A sign that cannot be recorded is lost, and nothing more.
  }
}
