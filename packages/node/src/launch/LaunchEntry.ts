import { existsSync } from "node:fs"
import { lateCode, launchVariable, readLaunch } from "./LaunchFile.ts"
import { ownIdentity } from "../processes/HostSource.ts"
import { claimReceipt, receiptBeside } from "./ReceiptClaim.ts"

/**
 * Says why nothing was launched, and returns the exit code. It never quotes the launch: it writes to a terminal or to
 * the agent's output.
 */
const refuse = (why: string, code = 1): number => {
  process.stderr.write(`souffleur: not launched: ${why}\n`)
  return code
}

/** What an update of the program, or a machine without room, says for a moment. */
const momentary: ReadonlySet<string> = new Set(["EAGAIN", "ENOENT", "ENOMEM", "ETXTBSY"])
/** Milliseconds before the second try, and before the last: each pause is twice the one before, 25 s in all. */
const [firstPause, lastPause] = [100, 12_800]

/** The exit code of a program that the system cannot run, as a shell reports it. */
const unrunnableCode = 126

/**
 * Becomes the agent of a launch file, at most once for that file (spec: behaviour#launch-at-most-once). It takes the
 * receipt and then calls `execve`, so the receipt's process is the agent. Returns only if it did not become the agent.
 * `lateCode`: the receipt was taken before, or the launch was cancelled. 1: the file or its folder cannot be used. 126:
 * the system cannot run the program.
 */
export const becomeAgent = (path: string): number => {
  const launch = readLaunch(path)
  // The file of a decided launch is removed.
  if (launch === undefined && existsSync(receiptBeside(path))) return lateCode
  if (launch === undefined) return refuse("the launch file is missing or damaged, or not ours alone")
  try {
    process.chdir(launch.cwd)
  } catch {
    return refuse("its folder cannot be entered")
  }
  const own = ownIdentity()
  if (own === undefined || process.execve === undefined) return refuse("this system cannot do it")
  if (!claimReceipt(receiptBeside(path), { _tag: "Taken", process: own })) return lateCode
  // Node ignores these two signals, and the agent and its tools would inherit that. `execve` resets a handled signal to
  // its default.
  for (const signal of ["SIGPIPE", "SIGXFSZ"] as const) process.on(signal, () => {})
  // Node warns of `execve` itself, and would print that beside the sentence of a failure.
  process.removeAllListeners("warning")
  for (let pause = firstPause; ; pause *= 2) {
    try {
      return process.execve(launch.program, [launch.program, ...launch.args], {
        ...launch.environment,
        // By it an agent is known to live here, once nobody watches it any more.
        PWD: launch.cwd,
        [launchVariable]: launch.id
      })
    } catch (error) {
      if (!(error instanceof Error && "syscall" in error && "code" in error)) throw error
      const code = String(error.code)
      if (pause > lastPause || !momentary.has(code))
        return refuse(`the system cannot run its program (${code})`, unrunnableCode)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause)
    }
  }
}
