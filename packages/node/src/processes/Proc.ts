import * as fs from "node:fs"
import type { Condition } from "@souffleur/domain"

/** What `/proc/<pid>/stat` says of a process. */
export interface Stat {
  readonly pid: number
  readonly name: string
  /** One letter, such as `S`; proc_pid_stat(5). */
  readonly state: string
  readonly parent: number
  /** Clock ticks that its threads used, in user and kernel mode; its children's are counted apart. */
  readonly processor: number
  readonly threads: number
  /** Clock ticks since boot. */
  readonly startTime: number
}

/** A program's name may hold spaces and parentheses, so the fields are counted from the last one on. */
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

/** A main thread that ended while others run on is shown as `Z` too: that process lives. */
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

export const hasCode = (error: unknown, ...codes: ReadonlyArray<string>): boolean =>
  error instanceof Error && "code" in error && codes.includes(String(error.code))

/**
 * Only these two mean that there is no such process: that we ran out of descriptors, say, must never look like a death.
 */
export const isGone = (error: unknown): boolean => hasCode(error, "ENOENT", "ESRCH")

const readOf = (pid: number, file: string): Buffer | undefined => {
  try {
    return fs.readFileSync(`/proc/${pid}/${file}`)
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

/** `undefined` where there is no such process. */
export const stat = (pid: number): Stat | undefined => {
  const text = readOf(pid, "stat")
  return text === undefined ? undefined : parseStat(text.toString())
}

/** The real user id. The owner of `/proc/<pid>` would be root for a process that may not be traced. */
export const uid = (pid: number): number | undefined => {
  const line = readOf(pid, "status")
    ?.toString()
    .match(/^Uid:\t(\d+)/m)
  return line === null || line === undefined ? undefined : Number(line[1])
}

/** Every process there is. */
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
 * Whether every variable has its value in the environment that the process was started with. What cannot be read is not
 * tagged.
 */
export const carries = (pid: number, environment: Readonly<Record<string, string>>): boolean => {
  try {
    const entries = `\0${readOf(pid, "environ")?.toString() ?? ""}`
    const wanted = Object.entries(environment)
    return wanted.length > 0 && wanted.every(([name, value]) => entries.includes(`\0${name}=${value}\0`))
  } catch (error) {
    if (hasCode(error, "EACCES", "EPERM")) return false
    throw error
  }
}

export const commandLine = (pid: number): ReadonlyArray<string> => {
  try {
    return readOf(pid, "cmdline")?.toString().split("\0").slice(0, -1) ?? []
  } catch (error) {
    if (hasCode(error, "EACCES", "EPERM")) return []
    throw error
  }
}

/** The file that a process runs, and whose it is. */
export interface Executable {
  readonly path: string
  readonly uid: number
}

/** `undefined` where it may not be seen, or the process has ended. */
export const executable = (pid: number): Executable | undefined => {
  try {
    const link = `/proc/${pid}/exe`
    // Of the file itself, also where its name is gone by now.
    return { path: fs.readlinkSync(link), uid: fs.statSync(link).uid }
  } catch (error) {
    if (isGone(error) || hasCode(error, "EACCES", "EPERM")) return undefined
    throw error
  }
}

export const bootId = (): string => fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()

export const pidNamespace = (): string => fs.readlinkSync("/proc/self/ns/pid")

/** How many files this process may have open. */
export const openFilesLimit = (): number =>
  Number(/^Max open files\s+(\d+)/m.exec(fs.readFileSync("/proc/self/limits", "utf8"))?.[1] ?? 1024)
