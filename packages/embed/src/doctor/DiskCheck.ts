import type { ResolvedSettings } from "@souffleur/domain"
import { freeSpace, mountTable } from "@souffleur/node"
import { Effect, FileSystem, Option, Path } from "effect"
import { type Finding, passed, wrong } from "./Finding.ts"

/** The kernel's names of file systems that other machines may write to. */
const network =
  /^(?:nfs4?|cifs|smb3|smbfs|ncpfs|9p|afs|coda|ceph|lustre|gpfs|gfs2|ocfs2|beegfs|orangefs|fuse\.(?:sshfs|glusterfs|ceph-fuse|s3fs|rclone|davfs2?|smbnetfs))$/u

const unescaped = (text: string) =>
  text.replaceAll(/\\([0-7]{3})/gu, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)))

/**
 * Returns the kind of file system of a path, by the table of the mounted (proc_pid_mountinfo(5)). Where two are mounted
 * on one place, the last counts.
 */
export const kindAt = (path: string, mountinfo: string): string | undefined => {
  const mounts = mountinfo.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ")
    const at = unescaped(before.split(" ")[4] ?? "").replace(/\/$/u, "")
    return after !== "" && `${path}/`.startsWith(`${at}/`) ? [{ at, kind: after.split(" ")[0]! }] : []
  })
  return mounts.toSorted((a, b) => a.at.length - b.at.length).at(-1)?.kind
}

/** Returns the real path of a folder, or of its nearest parent that exists. */
export const existingFolder = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (let at = folder; ; at = path.dirname(at)) {
    const real = yield* Effect.option(fs.realPath(at))
    if (Option.isSome(real)) return real.value
    if (at === path.dirname(at)) return at
  }
})

/** Bytes that an event log, its journal and the outputs of some launches need, and a commit with its files. */
export const enough = 32_000_000

/** Finds a disk on which the event log can soon take no event. `free`: bytes; `undefined`: unknown. */
export const roomCheck = (stateDir: string, free: number | undefined): ReadonlyArray<Finding> =>
  free === undefined || free >= enough
    ? []
    : [
        wrong(
          "disk",
          `${Math.floor(free / 1e6)} MB are free for ${stateDir}: without room no event is written, and nothing is recovered`,
          "make room on that disk, or set SOUFFLEUR_STATE_DIR to a folder on another one"
        )
      ]

/**
 * Checks that the state folder is on a local disk with room. SQLite's log and locks work among processes of one
 * machine, and not over a network (sqlite.org/wal.html).
 */
export const diskCheck = Effect.fn("Doctor.diskCheck")(function* ({
  stateDir
}: ResolvedSettings): Effect.fn.Return<ReadonlyArray<Finding>, never, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* existingFolder(stateDir)
  const full = roomCheck(stateDir, yield* freeSpace(folder))
  if (full.length > 0) return full
  const kind = kindAt(folder, yield* Effect.orElseSucceed(fs.readFileString(mountTable), () => ""))
  if (kind === undefined) return []
  return network.test(kind)
    ? [
        wrong(
          "disk",
          `${stateDir} is on a network file system (${kind}): the event log can be damaged there, and souffleurs of two machines cannot see each other`,
          "set SOUFFLEUR_STATE_DIR to a folder on a disk of this machine"
        )
      ]
    : [passed("disk", `the state folder is on ${kind}`)]
})
