import * as fs from "node:fs"
import type { Condition } from "@souffleur/domain"

/** Fields of `/proc/<pid>/stat`. */
export interface Stat {
  readonly pid: number
  readonly name: string
  /** One letter, such as `S`; proc_pid_stat(5). */
  readonly state: string
  readonly parent: number
  /** Clock ticks that its threads used, in user and kernel mode, without its children. */
  readonly processor: number
  readonly threads: number
  /** Clock ticks since boot. */
  readonly startTime: number
}

/** Parses a stat. A program's name may hold spaces and parentheses, so fields are counted from the last parenthesis. */
export const parseStat = (text: string): Stat => {
  const end = text.lastIndexOf(")")
  const fields = text.slice(end + 2).split(" ", 20)
  return {
    pid: Number.parseInt(text, 10),
    name: text.slice(text.indexOf("(") + 1, end),
    state: fields[0] ?? "",
    parent: Number(fields[1]),
    processor: Number(fields[11]) + Number(fields[12]),
    threads: Number(fields[17]),
    startTime: Number(fields[19])
  }
}

/**
 * Returns the condition of a process. A process whose main thread has ended shows as `Z`, but lives if other threads
 * run.
 */
export const conditionOf = (stat: Stat): Exclude<Condition, "gone"> => {
  switch (stat.state) {
    case "Z":
    case "X":
    case "x":
      return stat.threads > 1 ? "running" : "zombie"
    case "T":
    case "t":
      return "stopped"
    default:
      return "running"
  }
}

/** Holds if an error of Node has one of these codes. */
export const hasCode = (error: unknown, ...codes: ReadonlyArray<string>): boolean =>
  error instanceof Error && "code" in error && codes.includes(String(error.code))

/**
 * Holds if an error means that there is no such process. Only these two codes do: running out of descriptors must never
 * look like a death.
 */
export const meansGone = (error: unknown): boolean => hasCode(error, "ENOENT", "ESRCH")

const readOf = (pid: number, file: string): Buffer | undefined => {
  try {
    return fs.readFileSync(`/proc/${pid}/${file}`)
  } catch (error) {
    if (meansGone(error)) return undefined
    throw error
  }
}

/** Reads the stat of a process. `undefined`: there is no such process. */
export const stat = (pid: number): Stat | undefined => {
  const text = readOf(pid, "stat")
  return text === undefined ? undefined : parseStat(text.toString())
}

/**
 * Returns the real user id; `undefined`: there is no such process. `/proc/<pid>` belongs to root for a process that may
 * not be traced.
 */
export const uid = (pid: number): number | undefined => {
  const line = readOf(pid, "status")
    ?.toString()
    .match(/^Uid:\t(\d+)/m)
  return line === null || line === undefined ? undefined : Number(line[1])
}

/** Reads the stat of every process. */
export const table = (): ReadonlyMap<number, Stat> => {
  const found = new Map<number, Stat>()
  for (const name of fs.readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    const one = stat(Number(name))
    if (one !== undefined) found.set(one.pid, one)
  }
  return found
}

/**
 * Holds if a process was started with all variables of one of these environments. An environment that cannot be read
 * has none of them.
 */
export const carries = (pid: number, environments: ReadonlyArray<Readonly<Record<string, string>>>): boolean => {
  if (environments.length === 0) return false
  try {
    const entries = `\0${readOf(pid, "environ")?.toString() ?? ""}`
    return environments.some((environment) => {
      const wanted = Object.entries(environment)
      return wanted.length > 0 && wanted.every(([name, value]) => entries.includes(`\0${name}=${value}\0`))
    })
  } catch (error) {
    if (hasCode(error, "EACCES", "EPERM")) return false
    throw error
  }
}

/** Reads the words of a process. Of a process that is gone, or may not be read, there are none. */
export const commandLine = (pid: number): ReadonlyArray<string> => {
  try {
    return readOf(pid, "cmdline")?.toString().split("\0").slice(0, -1) ?? []
  } catch (error) {
    if (hasCode(error, "EACCES", "EPERM")) return []
    throw error
  }
}

/** The file that a process runs, and the uid of the file's owner. */
export interface Executable {
  readonly path: string
  readonly uid: number
}

/** Returns the file that a process runs. `undefined`: it may not be seen, or the process has ended. */
export const executable = (pid: number): Executable | undefined => {
  try {
    const link = `/proc/${pid}/exe`
    // This is the file itself, even if its name is gone.
    return { path: fs.readlinkSync(link), uid: fs.statSync(link).uid }
  } catch (error) {
    if (meansGone(error) || hasCode(error, "EACCES", "EPERM")) return undefined
    throw error
  }
}

/** Reads the id of this boot of the machine. */
export const bootId = (): string => fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()

/** Reads the namespace in which this process's pids count. */
export const pidNamespace = (): string => fs.readlinkSync("/proc/self/ns/pid")

/** Files that this process may have open at once. */
export const openFilesLimit = (): number =>
  Number(/^Max open files\s+(\d+)/m.exec(fs.readFileSync("/proc/self/limits", "utf8"))?.[1] ?? 1024)
