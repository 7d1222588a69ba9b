import type { ResolvedSettings } from "@souffleur/domain"
import { Effect, FileSystem, Option, Path } from "effect"
import { type Finding, ok, wrong } from "./Finding.ts"

/** File systems that other machines write to as well, as the kernel names them. */
const network =
  /^(?:nfs4?|cifs|smb3|smbfs|ncpfs|9p|afs|coda|ceph|lustre|gpfs|gfs2|ocfs2|beegfs|orangefs|fuse\.(?:sshfs|glusterfs|ceph-fuse|s3fs|rclone|davfs2?|smbnetfs))$/u

const unescaped = (text: string) =>
  text.replaceAll(/\\([0-7]{3})/gu, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)))

/**
 * The kind of file system that a path is on, by `/proc/<pid>/mountinfo` (proc_pid_mountinfo(5)): of what is mounted
 * there last, if it is twice.
 */
export const kindAt = (path: string, mountinfo: string): string | undefined => {
  const mounts = mountinfo.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ")
    const at = unescaped(before.split(" ")[4] ?? "").replace(/\/$/u, "")
    return after !== "" && `${path}/`.startsWith(`${at}/`) ? [{ at, kind: after.split(" ")[0]! }] : []
  })
  return mounts.toSorted((a, b) => a.at.length - b.at.length).at(-1)?.kind
}

/** The real path of a folder, or of the nearest one above it that is there. */
const standing = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (let at = folder; ; at = path.dirname(at)) {
    const real = yield* Effect.option(fs.realPath(at))
    if (Option.isSome(real)) return real.value
    if (at === path.dirname(at)) return at
  }
})

/**
 * SQLite's log, and its locks, hold among processes of one machine; over a network neither does (sqlite.org/wal.html).
 */
export const disk = Effect.fn("Doctor.disk")(function* ({
  stateDir
}: ResolvedSettings): Effect.fn.Return<ReadonlyArray<Finding>, never, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const kind = kindAt(
    yield* standing(stateDir),
    yield* Effect.orElseSucceed(fs.readFileString("/proc/self/mountinfo"), () => "")
  )
  if (kind === undefined) return []
  return network.test(kind)
    ? [
        wrong(
          "disk",
          `${stateDir} is on a network file system (${kind}): the event log can be damaged there, and souffleurs of two machines cannot see each other`,
          "set SOUFFLEUR_STATE_DIR to a folder on a disk of this machine"
        )
      ]
    : [ok("disk", `the state folder is on ${kind}`)]
})
