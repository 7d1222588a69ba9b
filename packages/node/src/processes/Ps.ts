import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { isAbsolute } from "node:path"
import { machineHash } from "./Machine.ts"
import { type Carries, hasOneOf, type ProcessSource, type Stat } from "./ProcessSource.ts"

/** The programs by which a system tells what POSIX leaves open. */
export interface PsDialect {
  readonly ps: string
  /** Column of `ps` with the path of the file that a process runs. */
  readonly executable: string
  /** Flag of `ps` that appends the environment to the arguments. */
  readonly environment: string
  /** Command that prints the id of this boot. */
  readonly bootId: Command
  /** Command that prints the id of the hardware, as a UUID somewhere in its output. */
  readonly hardware: Command
  readonly lsof: string
}
type Command = readonly [program: string, ...args: ReadonlyArray<string>]

/** The programs of macOS (ps(1), sysctl(8), ioreg(8), lsof(8)). */
export const macOs: PsDialect = {
  ps: "/bin/ps",
  executable: "comm",
  environment: "-E",
  bootId: ["/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"],
  hardware: ["/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice"],
  lsof: "/usr/sbin/lsof"
}

/** Bytes of output at most. A table of ten thousand processes with their environments has about 40 MB. */
const maxBytes = 268_435_456

/** Milliseconds until a program that does not end is given up. */
const timeoutMillis = 20_000

/**
 * Runs a program of the system, and returns its output. An exit code that is not 0 means that nothing was found.
 * Throws where the program does not run, is killed, complains, or succeeds without a word: that is no answer. Its
 * environment is fixed, so it carries no tag of ours.
 */
const outputOf = ([program, ...args]: Command): string => {
  const { error, signal, status, stderr, stdout } = spawnSync(program, args, {
    encoding: "utf8",
    env: { LC_ALL: "C", TZ: "UTC0" },
    maxBuffer: maxBytes,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutMillis
  })
  if (error !== undefined) throw error
  if (signal !== null || (status === 0 ? stdout === "" : stderr !== ""))
    throw new Error(`${program} failed with ${signal ?? `exit code ${status}`}`)
  return stdout
}

/** The columns of a stat. The name is last, because it may hold spaces. */
const columns = ["pid", "ppid", "pgid", "uid", "state", "tty", "lstart", "time", "ucomm"].flatMap((name) => [
  "-o",
  `${name}=`
])

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
const started = /^\w{3} (\w{3}) +(\d+) (\d+):(\d+):(\d+) (\d+)$/u

/** Parses the start of a process as `ps` prints it in UTC, such as `Mon Nov 23 04:46:09 2026`. Returns Unix seconds. */
export const parseStarted = (text: string): number | undefined => {
  const [, month = "", ...numbers] = started.exec(text.trim()) ?? []
  const [day = NaN, hour, minute, second, year = NaN] = numbers.map(Number)
  const at = Date.UTC(year, months.indexOf(month), day, hour, minute, second) / 1000
  return Number.isNaN(at) || !months.includes(month) ? undefined : at
}

/** Parses a processor time such as `1-02:03:04` or `12:34.56`, in hundredths of a second. */
const parseProcessor = (text: string): number => {
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = /^(?:(\d+)-)?(?:(\d+):)?(\d+):([\d.]+)$/u.exec(text) ?? []
  return Math.round((((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 100)
}

const line = /^ *(\d+) +(\d+) +(\d+) +(-?\d+) +(\S)\S* +(\S+) +(\w{3} \w{3} +\d+ [\d:]+ \d+) +(\S+) ?(.*)$/u

/** Parses one line of `ps` with our columns. `undefined`: it is none. */
export const parseLine = (text: string): Stat | undefined => {
  const [, pid, parent, group, uid, state = "", tty = "", start = "", time = "", name = ""] = line.exec(text) ?? []
  const startTime = parseStarted(start)
  if (startTime === undefined) return undefined
  return {
    pid: Number(pid),
    name: name.trim(),
    state,
    parent: Number(parent),
    group: Number(group),
    // `??` on macOS, `?` on Linux, `-` by POSIX.
    hasTerminal: !/^(?:\?+|-)$/u.test(tty),
    processor: parseProcessor(time),
    threads: 1,
    startTime,
    uid: Number(uid)
  }
}

/** Returns each line that begins with a pid, without it, by pid. */
const byPid = (text: string): ReadonlyMap<number, string> =>
  new Map(
    text.split("\n").flatMap((line) => {
      const [, pid, rest = ""] = /^ *(\d+) (.*)$/u.exec(line) ?? []
      return pid === undefined ? [] : [[Number(pid), rest]]
    })
  )

/** Parses the fields that lsof prints: each process that has a file open, and what is said of its files. */
const openersIn = (text: string): ReadonlyArray<readonly [pid: number, fields: ReadonlyArray<string>]> =>
  text
    .split(/^p/mu)
    .slice(1)
    .map((one) => one.split("\n"))
    .map(([pid, ...fields]) => [Number(pid), fields])

/** Returns the pids that lock the whole of a file: lsof shows that by a capital letter (lsof(8), LOCK STATUS). */
export const wholeLockersIn = (text: string): ReadonlyArray<number> =>
  openersIn(text)
    .filter(([, fields]) => fields.some((field) => /^l[RWUX]$/u.test(field)))
    .map(([pid]) => pid)

/**
 * Processes as `ps` prints them (POSIX, ps(1)), for a system without `/proc`. A start is known to the second alone: a
 * pid that is reused within its second looks the same. `ps` joins words by spaces, so a word with a space comes apart.
 * A system may hide the environment of its own programs.
 */
export const psSource = (dialect: PsDialect): ProcessSource => {
  const ps = (...args: ReadonlyArray<string>) => outputOf([dialect.ps, ...args])
  const read = (text: string): Stat => {
    const one = parseLine(text)
    if (one === undefined) throw new Error(`${dialect.ps} printed a line that cannot be read`)
    return one
  }
  // The name of a program may continue in a line of its own.
  const linesOf = (text: string) => text.split("\n").filter((line) => /^ *\d+ +\d+ +\d+ /u.test(line))
  const stat = (pid: number) => {
    const [first] = ps("-p", String(pid), ...columns).split("\n")
    return first === undefined || first === "" ? undefined : read(first)
  }
  const oneOf = (pid: number, column: string) => ps("-ww", "-p", String(pid), "-o", `${column}=`).trimEnd()
  // It complains about a file that is gone.
  const lsof = (...paths: ReadonlyArray<string>) => {
    const there = paths.filter((path) => fs.existsSync(path))
    return there.length === 0 ? "" : outputOf([dialect.lsof, "-w", "-F", "pl", "--", ...there])
  }

  /** Looks at the environments of all processes: texts with a space before and after each variable. */
  const entriesByPid = () => {
    const words = byPid(ps("-A", "-ww", "-o", "pid=", "-o", "args="))
    const all = byPid(ps("-A", "-ww", dialect.environment, "-o", "pid=", "-o", "args="))
    return (pid: number): string => {
      const [before, whole] = [words.get(pid), all.get(pid)]
      // It became another program between the two looks, or is younger.
      return before === undefined || whole?.startsWith(before) !== true ? "" : `${whole.slice(before.length)} `
    }
  }
  const environments = (): Carries => {
    const entriesOf = entriesByPid()
    return (pid, environments) => {
      const entries = entriesOf(pid)
      return hasOneOf(environments, (name, value) => entries.includes(` ${name}=${value} `))
    }
  }
  const variable = (name: string) => {
    const entriesOf = entriesByPid()
    return (pid: number): string | undefined => {
      const entries = entriesOf(pid)
      const at = entries.indexOf(` ${name}=`)
      const from = at + name.length + 2
      return at === -1 ? undefined : entries.slice(from, entries.indexOf(" ", from))
    }
  }

  let bootId: string | undefined

  return {
    // It stays as long as this process lives.
    bootId: () => (bootId ??= outputOf(dialect.bootId).trim()),
    pidNamespace: () => "the only one",
    machine: () => {
      const hardware = /[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}/iu.exec(outputOf(dialect.hardware))?.[0]
      return hardware === undefined ? null : machineHash("", hardware)
    },
    tickMillis: 1000,
    openFilesLimit: () => Number(outputOf(["/bin/sh", "-c", "ulimit -n"])) || Number.MAX_SAFE_INTEGER,
    stat,
    table: () =>
      new Map(
        linesOf(ps("-A", ...columns))
          .map(read)
          .map((one) => [one.pid, one])
      ),
    uid: ({ uid }) => uid,
    environments,
    variable,
    commandLine: (pid) => oneOf(pid, "args").split(" ").filter(Boolean),
    executable: (pid) => {
      const path = oneOf(pid, dialect.executable)
      const file = isAbsolute(path) ? fs.statSync(path, { throwIfNoEntry: false }) : undefined
      return file && { path, uid: file.uid }
    },
    lockers: (path) => wholeLockersIn(lsof(path)),
    holders: (paths) => openersIn(lsof(...paths)).map(([pid]) => pid),
    reader: () => ({
      read: ({ pid, startTime }) => {
        const found = stat(pid)
        return found?.startTime === startTime ? found : undefined
      },
      close: () => {}
    })
  }
}
