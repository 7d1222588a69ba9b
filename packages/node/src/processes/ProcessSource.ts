import type { Condition, ProcessIdentity, Tag } from "@souffleur/domain"

/** One process at one moment. */
export interface Stat {
  readonly pid: number
  readonly name: string
  /** One letter, such as `S`; proc_pid_stat(5), ps(1). */
  readonly state: string
  readonly parent: number
  /** The process group: a pipeline's processes share one, and a shell's too where it controls no jobs. */
  readonly group: number
  /** True if it has a controlling terminal. */
  readonly hasTerminal?: boolean
  /** Hundredths of a second that its threads used, in user and kernel mode, without its children. */
  readonly processor: number
  /** The same of its children that have ended, where the source tells it. */
  readonly ofChildren?: number
  readonly threads: number
  /** Identifies the process of a pid: clock ticks since boot on Linux, Unix seconds elsewhere. */
  readonly startTime: number
  /** The real user id, where the source learns it with the rest. */
  readonly uid?: number
}

/** The file that a process runs, and the uid of the file's owner. */
export interface Executable {
  readonly path: string
  readonly uid: number
}

/** Returns whether the process with that pid was started with all variables of one of these environments. */
export type Carries = (pid: number, environments: ReadonlyArray<Tag["environment"]>) => boolean

/** Returns whether `has` finds all variables of one of these environments. An empty environment is found nowhere. */
export const hasOneOf = (
  environments: ReadonlyArray<Tag["environment"]>,
  has: (name: string, value: string) => boolean
): boolean =>
  environments.some((environment) => {
    const wanted = Object.entries(environment)
    return wanted.length > 0 && wanted.every(([name, value]) => has(name, value))
  })

/**
 * How a system shows its processes. Each method throws where the system does not answer: a failed look must never look
 * like a death.
 */
export interface ProcessSource {
  readonly bootId: () => string
  /** The namespace of pids; one name for all processes where the system has no such thing. */
  readonly pidNamespace: () => string
  /** An identity of the machine that stays from boot to boot; `null`: there is none. */
  readonly machine: () => string | null
  /** The ms of a tick in `Stat.startTime`. */
  readonly tickMillis: number
  /** Files that this process may have open at once. */
  readonly openFilesLimit: () => number
  /** Returns the stat of a process. `undefined`: there is no such process. */
  readonly stat: (pid: number) => Stat | undefined
  /** Returns the stat of every process, by pid. */
  readonly table: () => ReadonlyMap<number, Stat>
  /** Returns the real user id. `undefined`: the process has ended. */
  readonly uid: (process: Pick<Stat, "pid" | "uid">) => number | undefined
  /** Looks at the environments of all processes. An environment that cannot be read is empty. */
  readonly environments: () => Carries
  /**
   * Looks for a variable in the environments of all processes. Returns its value by pid; `undefined`: that process was
   * started without it, or its environment cannot be read.
   */
  readonly variable: (name: string) => (pid: number) => string | undefined
  /** Returns the arguments of a process, the program first; empty where they cannot be read. */
  readonly commandLine: (pid: number) => ReadonlyArray<string>
  /** Returns the file that a process runs. `undefined`: it may not be seen, or the process has ended. */
  readonly executable: (pid: number) => Executable | undefined
  /** Returns the pids that have a file open and hold a lock on the whole of it. */
  readonly lockers: (path: string) => ReadonlyArray<number>
  /** Returns the pids of the processes that have one of these files open. */
  readonly holders: (paths: ReadonlyArray<string>) => ReadonlyArray<number>
  /** Opens a reader for identities that are asked for repeatedly. It keeps at most `limit` descriptors open. */
  readonly reader: (limit: number) => StatReader
}

/** Reads the same few processes again and again. */
export interface StatReader {
  /** Reads the stat of a process. `undefined`: the process with that identity is gone. */
  readonly read: (identity: ProcessIdentity) => Stat | undefined
  readonly close: () => void
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
