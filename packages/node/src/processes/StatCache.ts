import * as fs from "node:fs"
import type { ProcessIdentity } from "@souffleur/domain"
import { meansGone } from "../files/SystemError.ts"
import type { Stat, StatReader } from "./ProcessSource.ts"

/** Where the stat of a process is, and how it reads. */
export interface StatFile {
  readonly pathOf: (pid: number) => string
  readonly parse: (text: string) => Stat
}

/**
 * Keeps the stat files of processes open, for identities that are asked for repeatedly. This costs half of
 * opening the file each time. Once the process is reaped, its descriptor answers ESRCH for ever, even if the pid is
 * reused.
 */
export class StatCache implements StatReader {
  readonly #kept = new Map<string, number>()
  readonly #buffer = Buffer.allocUnsafe(4096)
  readonly #limit: number
  readonly #file: StatFile

  /** Closes the oldest descriptor when there are more than `limit`. */
  constructor(limit: number, file: StatFile) {
    this.#limit = limit
    this.#file = file
  }

  /** Reads the stat of a process. `undefined`: the process with that identity is gone. */
  read(identity: ProcessIdentity): Stat | undefined {
    const key = `${identity.pid}/${identity.startTime}`
    const kept = this.#kept.get(key)
    try {
      const file = kept ?? this.#open(key, identity.pid)
      const length = fs.readSync(file, this.#buffer, 0, this.#buffer.length, 0)
      const stat = this.#file.parse(this.#buffer.toString("utf8", 0, length))
      if (stat.startTime === identity.startTime) return stat
    } catch (error) {
      if (!meansGone(error)) throw error
    }
    this.#close(key)
    return undefined
  }

  close(): void {
    for (const key of this.#kept.keys()) this.#close(key)
  }

  #open(key: string, pid: number): number {
    if (this.#kept.size >= this.#limit) {
      const [oldest] = this.#kept.keys()
      if (oldest !== undefined) this.#close(oldest)
    }
    const file = fs.openSync(this.#file.pathOf(pid), "r")
    this.#kept.set(key, file)
    return file
  }

  #close(key: string): void {
    const file = this.#kept.get(key)
    if (file === undefined) return
    this.#kept.delete(key)
    fs.closeSync(file)
  }
}
