import { existsSync } from "node:fs"
import { Option } from "effect"
import { launchVariable, readLaunch } from "./LaunchFile.ts"
import * as Proc from "../processes/Proc.ts"
import { claimReceipt, receiptBeside } from "./Receipt.ts"

/** Never the content of a launch: this goes to a terminal or the agent's output. */
const refuse = (why: string): number => {
  process.stderr.write(`souffleur: not launched: ${why}\n`)
  return 1
}

/**
 * Becomes the agent of a launch file, at most once for that file (spec: behaviour#launch-at-most-once): takes the
 * receipt, then `execve`, so that the receipt's process is the agent. Returns only when it did not: 0 where the receipt
 * was taken before or the launch was cancelled, 1 where the file or its folder cannot be used.
 */
export const becomeAgent = (path: string): number => {
  const read = readLaunch(path)
  // Of a launch that is decided there is no file any more.
  if (Option.isNone(read) && existsSync(receiptBeside(path))) return 0
  if (Option.isNone(read)) return refuse("the launch file is missing or damaged, or not ours alone")
  const launch = read.value
  try {
    process.chdir(launch.cwd)
  } catch {
    return refuse("its folder cannot be entered")
  }
  const own = Proc.stat(process.pid)
  if (own === undefined || process.execve === undefined) return refuse("this system cannot do it")
  const identity = { pid: own.pid, startTime: own.startTime, bootId: Proc.bootId() }
  if (!claimReceipt(receiptBeside(path), { _tag: "Taken", process: identity })) return 0
  // Node ignores these two, and what is ignored stays so in the agent and its tools; what is handled becomes the
  // default again.
  for (const signal of ["SIGPIPE", "SIGXFSZ"] as const) process.on(signal, () => {})
  return process.execve(launch.program, [launch.program, ...launch.args], {
    ...launch.environment,
    [launchVariable]: launch.id
  })
}
