import * as fs from "node:fs"
import { hasCode, meansGone } from "../files/SystemError.ts"
import { machineIdentity } from "./Machine.ts"
import { type Carries, type Executable, hasOneOf, type ProcessSource, type Stat } from "./ProcessSource.ts"
import { StatCache } from "./StatCache.ts"

/** Names a file of the kernel about processes. */
const pathOf = (...names: ReadonlyArray<string | number>): string => ["/proc", ...names].join("/")

/** Parses a stat. A program's name may hold spaces and parentheses, so fields are counted from the last parenthesis. */
export const parseStat = (text: string): Stat => {
  const end = text.lastIndexOf(")")
  const fields = text.slice(end + 2).split(" ", 20)
  return {
    pid: Number.parseInt(text, 10),
    name: text.slice(text.indexOf("(") + 1, end),
    state: fields[0] ?? "",
    parent: Number(fields[1]),
    group: Number(fields[2]),
    hasTerminal: fields[4] !== "0",
    processor: Number(fields[11]) + Number(fields[12]),
    ofChildren: Number(fields[13]) + Number(fields[14]),
    threads: Number(fields[17]),
    startTime: Number(fields[19])
  }
}

const readOf = (pid: number, file: string): Buffer | undefined => {
  try {
    return fs.readFileSync(pathOf(pid, file))
  } catch (error) {
    if (meansGone(error)) return undefined
    throw error
  }
}

const stat = (pid: number): Stat | undefined => {
  const text = readOf(pid, "stat")
  return text === undefined ? undefined : parseStat(text.toString())
}

/** Reads the owner from the status. The folder of a process that may not be traced belongs to root. */
const uid: ProcessSource["uid"] = ({ pid }): number | undefined => {
  const line = readOf(pid, "status")
    ?.toString()
    .match(/^Uid:\t(\d+)/m)
  return line === null || line === undefined ? undefined : Number(line[1])
}

const pids = (): ReadonlyArray<number> =>
  fs
    .readdirSync(pathOf())
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)

/** Runs a look. Returns `otherwise` where this user may not look. */
const unlessRefused = <A>(otherwise: A, look: () => A): A => {
  try {
    return look()
  } catch (error) {
    if (hasCode(error, "EACCES", "EPERM")) return otherwise
    throw error
  }
}

/** Returns the variables of a process, each with a NUL before and after it. Empty: they cannot be read. */
const variablesOf = (pid: number): string => unlessRefused("", () => `\0${readOf(pid, "environ")?.toString() ?? ""}`)

/** Each environment is read once, however many ask. */
const environments = (): Carries => {
  const read = new Map<number, string>()
  return (pid, wanted) => {
    if (wanted.length === 0) return false
    const entries = read.get(pid) ?? variablesOf(pid)
    read.set(pid, entries)
    return hasOneOf(wanted, (name, value) => entries.includes(`\0${name}=${value}\0`))
  }
}

const valueOf = (pid: number, name: string): string | undefined => {
  const entries = variablesOf(pid)
  const at = entries.indexOf(`\0${name}=`)
  const from = at + name.length + 2
  return at === -1 ? undefined : entries.slice(from, entries.indexOf("\0", from))
}

const executable = (pid: number): Executable | undefined => {
  try {
    const link = pathOf(pid, "exe")
    // This is the file itself, even if its name is gone.
    return { path: fs.readlinkSync(link), uid: fs.statSync(link).uid }
  } catch (error) {
    if (meansGone(error) || hasCode(error, "EACCES", "EPERM")) return undefined
    throw error
  }
}

/** Returns what a look finds, or `otherwise` where a file or a process is gone, or may not be seen. */
const quietly = <A>(otherwise: A, look: () => A): A => {
  try {
    return look()
  } catch {
    return otherwise
  }
}

/** Looks at a file. Two file systems may use one inode, so its device belongs to it. */
const fileAt = (path: string) => quietly(undefined, () => fs.statSync(path, { bigint: true, throwIfNoEntry: false }))
const keyOf = (path: string): string | undefined => {
  const file = fileAt(path)
  return file && `${file.dev}/${file.ino}`
}

const opens = (pid: number, files: ReadonlySet<string>): boolean =>
  quietly([], () => fs.readdirSync(pathOf(pid, "fd"))).some((descriptor) =>
    files.has(keyOf(pathOf(pid, "fd", descriptor)) ?? "")
  )

/** Matches a lock on a whole file by flock(2): its pid and the file's inode (proc_locks(5)). */
const wholeLock = /^\d+: FLOCK +\w+ +\w+ (\d+) [\da-f]+:[\da-f]+:(\d+) 0 EOF$/gmu

/** Returns the pids that lock the whole of a file with that inode, by the kernel's list of locks. */
export const lockersIn = (text: string, inode: string): ReadonlyArray<number> => [
  ...new Set([...text.matchAll(wholeLock)].filter(([, , one]) => one === inode).map(([, pid]) => Number(pid)))
]

const lockers = (path: string): ReadonlyArray<number> => {
  const file = fileAt(path)
  if (file === undefined) return []
  const locks = quietly("", () => fs.readFileSync(pathOf("locks"), "utf8"))
  return lockersIn(locks, String(file.ino)).filter((pid) => opens(pid, new Set([`${file.dev}/${file.ino}`])))
}

const holders = (paths: ReadonlyArray<string>): ReadonlyArray<number> => {
  const files = new Set(paths.map(keyOf).filter((file) => file !== undefined))
  return pids().filter((pid) => opens(pid, files))
}

/** Processes as the kernel of Linux shows them in files (proc(5)). */
export const proc: ProcessSource = {
  bootId: () => fs.readFileSync(pathOf("sys/kernel/random/boot_id"), "utf8").trim(),
  pidNamespace: () => fs.readlinkSync(pathOf("self/ns/pid")),
  machine: () => machineIdentity(),
  // USER_HZ is 100 on every platform that Node runs on.
  tickMillis: 10,
  openFilesLimit: () =>
    Number(/^Max open files\s+(\d+)/m.exec(fs.readFileSync(pathOf("self/limits"), "utf8"))?.[1] ?? 1024),
  stat,
  table: () =>
    new Map(
      pids().flatMap((pid) => {
        const one = stat(pid)
        return one === undefined ? [] : [[pid, one]]
      })
    ),
  uid,
  environments,
  variable: (name) => (pid) => valueOf(pid, name),
  commandLine: (pid) =>
    unlessRefused<ReadonlyArray<string>>([], () => readOf(pid, "cmdline")?.toString().split("\0").slice(0, -1) ?? []),
  executable,
  lockers,
  holders,
  reader: (limit) => new StatCache(limit, { parse: parseStat, pathOf: (pid) => pathOf(pid, "stat") })
}

/** The file with the table of mounted file systems (proc_pid_mountinfo(5)). It is there on Linux alone. */
export const mountTable = pathOf("self/mountinfo")
