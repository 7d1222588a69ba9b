import * as fs from "node:fs"

/** Matches a lock on a whole file by flock(2), in `/proc/locks`: its pid and the file's inode (proc_locks(5)). */
const whole = /^\d+: FLOCK +\w+ +\w+ (\d+) [\da-f]+:[\da-f]+:(\d+) 0 EOF$/gmu

/** Returns the pids that lock the whole of a file with that inode, by the text of `/proc/locks`. */
export const lockersIn = (text: string, inode: string): ReadonlyArray<number> => [
  ...new Set([...text.matchAll(whole)].filter(([, , one]) => one === inode).map(([, pid]) => Number(pid)))
]

const quietly = <A>(otherwise: A, look: () => A): A => {
  try {
    return look()
  } catch {
    // The file or the process is gone, or may not be seen.
    return otherwise
  }
}

/** Holds if a process has this very file open. Two file systems may use one inode. */
const hasOpen = (pid: number, path: string): boolean =>
  quietly([], () => fs.readdirSync(`/proc/${pid}/fd`)).some(
    (descriptor) => quietly("", () => fs.readlinkSync(`/proc/${pid}/fd/${descriptor}`)) === path
  )

/** Returns the pids that have a file open and hold a lock on the whole of it. */
export const lockersOf = (path: string): ReadonlyArray<number> => {
  const real = quietly("", () => fs.realpathSync(path))
  const inode = quietly("", () => String(fs.statSync(real, { bigint: true }).ino))
  if (inode === "") return []
  const locks = quietly("", () => fs.readFileSync("/proc/locks", "utf8"))
  return lockersIn(locks, inode).filter((pid) => hasOpen(pid, real))
}
