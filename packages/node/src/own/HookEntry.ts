import type { HookReader } from "@souffleur/domain"
import { isAbsolute, join, resolve } from "node:path"
import { addAbortSignal } from "node:stream"
import { ownFolder } from "../files/Folder.ts"
import { stat } from "../processes/Proc.ts"
import { appendSign, pruneSigns } from "../files/SignFile.ts"

/** Bytes of standard input that are looked at; the rest is read too, as who writes it must not fail, but not kept. */
const looked = 65_536
/** … as far as an agent's own input may go. What goes on beyond it would hold up the tool that waits. */
const most = 8_388_608

/** Milliseconds in which standard input has to end. The agent, or one of its tools, waits for this. */
const patience = 2000

/** What was said on standard input, as much of it as is looked at. */
const input = async (): Promise<string> => {
  const parts: Array<Buffer> = []
  let bytes = 0
  if (process.stdin.isTTY) return ""
  try {
    for await (const part of addAbortSignal(AbortSignal.timeout(patience), process.stdin)) {
      if (bytes < looked) parts.push(part)
      bytes += part.length
      if (bytes > most) break
    }
  } catch {
    // What came in time may be enough.
  }
  return Buffer.concat(parts).toString("utf8", 0, looked)
}

/** As the settings have it (spec: settings#folders); `undefined` where there is none. */
const stateDir = ({ HOME, SOUFFLEUR_STATE_DIR, XDG_STATE_HOME }: NodeJS.ProcessEnv): string | undefined => {
  if (SOUFFLEUR_STATE_DIR) return resolve(SOUFFLEUR_STATE_DIR)
  if (XDG_STATE_HOME && isAbsolute(XDG_STATE_HOME)) return join(XDG_STATE_HOME, "souffleur")
  return HOME && isAbsolute(HOME) ? join(HOME, ".local", "state", "souffleur") : undefined
}

/**
 * Writes down what an agent's hook says on standard input: one line in `<state dir>/hooks/<session id>.jsonl` (0600).
 * `reader` makes what is kept of it. Never fails, and says nothing: an agent waits for it, and must not be disturbed.
 */
export const keepSign = async (reader: HookReader): Promise<void> => {
  try {
    const call = reader.call(await input())
    const state = stateDir(process.env)
    if (call === undefined || state === undefined) return
    const pid = reader.pid(process.env) ?? null
    const startTime = pid === null ? null : (stat(pid)?.startTime ?? null)
    // The moment that this process began is the event's, nearer than any later look at a clock.
    const line = JSON.stringify({ at: Math.round(performance.timeOrigin), ...call, pid, startTime })
    const folder = join(state, "hooks")
    if (ownFolder(state) !== undefined || ownFolder(folder) !== undefined) return
    const path = join(folder, `${call.sessionId}.jsonl`)
    appendSign(path, `${line}\n`)
    if (call.holding === "began" || call.holding === "goes on") pruneSigns(folder)
  } catch {
    // Less is known then, and that is all.
  }
}
