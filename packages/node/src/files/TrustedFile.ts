import * as fs from "node:fs"
import { distrust, type FileState, type Trust } from "@souffleur/domain"
import { isOwnGroup } from "./OwnGroup.ts"
import { hasCode } from "./SystemError.ts"

/** Why a file was not opened. It is `FileRefused` of the port without the path. */
export interface Refusal {
  readonly problem: string
  readonly missing: boolean
}

const { O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants

/** A pipe is opened without waiting for its other end, and is then refused. A link is never followed. */
const reading = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

const seenOf = (path: string, found: fs.Stats, { others = "read" }: Trust, uid: number): FileState => ({
  kind: found.isFile() ? "file" : found.isDirectory() ? "folder" : "other",
  size: found.size,
  uid: found.uid,
  mode: found.mode,
  // It takes a program, and a session file is opened often.
  ownGroup: others === "read" && (found.mode & 0o020) !== 0 && isOwnGroup(path, found.gid, uid)
})

const refusalOf = (error: unknown): Refusal => {
  if (hasCode(error, "ENOENT")) return { problem: "it is not there", missing: true }
  const problem = hasCode(error, "ELOOP")
    ? "it is a link, which is not followed: put there what it leads to"
    : hasCode(error, "ENXIO")
      ? "it is no regular file"
      : hasCode(error, "ENOTDIR")
        ? "its parent is no folder"
        : hasCode(error, "EACCES", "EPERM")
          ? "this user may not open it"
          : `it cannot be opened (${error instanceof Error && "code" in error ? String(error.code) : "unknown"})`
  return { problem, missing: false }
}

/** Judges what was opened. Returns its descriptor, or closes it. */
const judged = (path: string, file: number, found: fs.Stats, trust: Trust): number | Refusal => {
  const uid = process.getuid?.() ?? 0
  const problem = distrust(trust, seenOf(path, found, trust, uid), uid)
  if (problem === undefined) return file
  fs.closeSync(file)
  return { problem, missing: false }
}

/**
 * Opens a file or folder, and judges what was opened. Returns a descriptor, which the caller closes. It is synchronous
 * and needs no runtime, because a hook and a launch use it too.
 */
export const openTrusted = (path: string, trust: Trust, flags = reading, mode?: number): number | Refusal => {
  let file: number
  try {
    file = fs.openSync(path, flags, mode)
  } catch (error) {
    return refusalOf(error)
  }
  return judged(path, file, fs.fstatSync(file), trust)
}

/**
 * Opens as {@link openTrusted} does, on another thread, so that a file system that hangs holds up nothing else. A hook
 * loads this file, and no runtime with it.
 */
export const openTrustedAside = (path: string, trust: Trust, answer: (file: number | Refusal) => void): void => {
  const judge = (file: number) =>
    fs.fstat(file, (unseen, found) => answer(unseen !== null ? refusalOf(unseen) : judged(path, file, found, trust)))
  try {
    fs.open(path, reading, (refused, file) => (refused !== null ? answer(refusalOf(refused)) : judge(file)))
  } catch (error) {
    // Node throws where no path could have that name.
    answer(refusalOf(error))
  }
}

/** Reads a whole file as text. */
export const readTrustedText = (
  path: string,
  trust: Trust & { readonly atMost: number }
): { readonly text: string } | Refusal => {
  const file = openTrusted(path, trust)
  if (typeof file !== "number") return file
  try {
    return { text: fs.readFileSync(file, "utf8") }
  } finally {
    fs.closeSync(file)
  }
}

/** Judges a file or folder without reading it. `undefined`: it can be trusted. */
export const refusalAt = (path: string, trust: Trust): Refusal | undefined => {
  const file = openTrusted(path, trust)
  if (typeof file !== "number") return file
  fs.closeSync(file)
  return undefined
}
