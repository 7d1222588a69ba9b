import * as fs from "node:fs"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { addAbortSignal } from "node:stream"
import { hasCode, stat } from "./Proc.ts"

/** Bytes of standard input that are looked at; the rest is read too, as who writes it must not fail, but not kept. */
const looked = 65_536

/** Milliseconds in which standard input has to end. The agent, or one of its tools, waits for this. */
const patience = 2000

/** Bytes of a file of signs, and to how many it is cut when it has more. */
const most = 262_144
const kept = 131_072

/** Files of signs, and how many are left when there are more. */
const mostFiles = 500
const keptFiles = 400

/** Milliseconds after which a draft was left behind by a process that died. */
const abandoned = 60_000

/** What was said on standard input, as much of it as is looked at. */
const input = async (): Promise<string> => {
  const parts: Array<Buffer> = []
  let bytes = 0
  if (process.stdin.isTTY) return ""
  try {
    for await (const part of addAbortSignal(AbortSignal.timeout(patience), process.stdin)) {
      if (bytes < looked) parts.push(part)
      bytes += part.length
    }
  } catch {
    // What came in time may be enough.
  }
  return Buffer.concat(parts).toString("utf8", 0, looked)
}

/** As the settings have it (cli.md); `undefined` where there is none. */
const stateDir = ({ HOME, SOUFFLEUR_STATE_DIR, XDG_STATE_HOME }: NodeJS.ProcessEnv): string | undefined => {
  if (SOUFFLEUR_STATE_DIR) return resolve(SOUFFLEUR_STATE_DIR)
  if (XDG_STATE_HOME && isAbsolute(XDG_STATE_HOME)) return join(XDG_STATE_HOME, "souffleur")
  return HOME && isAbsolute(HOME) ? join(HOME, ".local", "state", "souffleur") : undefined
}

/** Folders, one by one: asked for all at once, Node never returns where one cannot be made in a folder that is there, as in `/proc`. */
const makeFolder = (folder: string): void => {
  try {
    fs.mkdirSync(folder, 0o700)
  } catch (error) {
    if (hasCode(error, "EEXIST")) return
    if (!hasCode(error, "ENOENT") || dirname(folder) === folder) throw error
    makeFolder(dirname(folder))
    fs.mkdirSync(folder, 0o700)
  }
}

/** One write at the end of the file that has this name: once more where that file was replaced meanwhile. */
const append = (path: string, line: string): number => {
  for (;;) {
    const file = fs.openSync(path, fs.constants.O_APPEND | fs.constants.O_CREAT | fs.constants.O_WRONLY | fs.constants.O_NOFOLLOW, 0o600)
    try {
      fs.writeSync(file, line)
      const written = fs.fstatSync(file)
      if (fs.statSync(path, { throwIfNoEntry: false })?.ino === written.ino) return written.size
    } finally {
      fs.closeSync(file)
    }
  }
}

const readFrom = (file: number, position: number): Buffer => {
  const bytes = Buffer.alloc(Math.max(0, fs.fstatSync(file).size - position))
  return bytes.subarray(0, fs.readSync(file, bytes, 0, bytes.length, position))
}

/**
 * Leaves the newest lines. Whoever appends meanwhile finds out that the file was replaced and says it again, or was read here
 * after the replacement: a line may be there twice, and none is lost. The draft's name is the lock.
 */
const cut = (path: string): void => {
  const draft = `${path}.cut`
  let next: number
  try {
    next = fs.openSync(draft, "ax", 0o600)
  } catch (error) {
    const left = hasCode(error, "EEXIST") ? fs.statSync(draft, { throwIfNoEntry: false }) : undefined
    if (left !== undefined && left.mtimeMs + abandoned < performance.timeOrigin) fs.rmSync(draft, { force: true })
    return
  }
  const whole = fs.openSync(path, "r")
  try {
    const end = fs.fstatSync(whole).size
    const tail = end > most ? readFrom(whole, end - kept) : Buffer.alloc(0)
    if (tail.length === 0) return fs.rmSync(draft, { force: true })
    fs.writeSync(next, tail.subarray(tail.indexOf(10) + 1))
    fs.renameSync(draft, path)
    fs.writeSync(next, readFrom(whole, end - kept + tail.length))
  } finally {
    fs.closeSync(whole)
    fs.closeSync(next)
  }
}

/** Sessions come and go for months: the files that were longest not written to go. */
const prune = (folder: string): void => {
  const names = fs.readdirSync(folder)
  if (names.length <= mostFiles) return
  const files = names.map((name) => ({ path: join(folder, name), at: fs.statSync(join(folder, name)).mtimeMs }))
  for (const { path } of files.toSorted((a, b) => b.at - a.at).slice(keptFiles)) fs.rmSync(path, { force: true })
}

/**
 * Writes down what an agent's hook says on standard input: one line in `<state dir>/hooks/<session id>.jsonl` (0600). `read` makes
 * what is kept of it. Never fails, and says nothing: an agent waits for it, and must not be disturbed.
 */
export const keepSign = async (
  read: (input: string) => { readonly event: string; readonly sessionId: string } | undefined
): Promise<void> => {
  try {
    const call = read(await input())
    const state = stateDir(process.env)
    if (call === undefined || state === undefined) return
    const told = process.env["CLAUDE_PID"] ?? ""
    const pid = /^[1-9][0-9]{0,6}$/.test(told) ? Number(told) : null
    const startTime = pid === null ? null : (stat(pid)?.startTime ?? null)
    // The moment that this process began is the event's, nearer than any later look at a clock.
    const line = JSON.stringify({ at: Math.round(performance.timeOrigin), ...call, pid, startTime })
    const folder = join(state, "hooks")
    makeFolder(folder)
    const path = join(folder, `${call.sessionId}.jsonl`)
    if (append(path, `${line}\n`) > most) cut(path)
    if (call.event === "SessionStart") prune(folder)
  } catch {
    // Less is known then, and that is all.
  }
}
