/**
 * The requirements of a file or folder before it is read. It always belongs to this user or root, and is never a link.
 */
export interface Trust {
  /** A folder is required; else a regular file. */
  readonly folder?: true
  /** Root's ownership does not suffice, since souffleur writes in it. */
  readonly own?: true
  /**
   * The permitted access of others: to read it (the default), to write as its group, or none. Under the default a
   * group of this user alone is this user.
   */
  readonly others?: "read" | "write as its group" | "nothing"
  /** The greatest size in bytes. Absent: it is read piece by piece, in any size. */
  readonly atMost?: number
}

/** A file that the agent made as this user. Its group may write it where the user's umask permits that. */
export const agentsOwn = { others: "write as its group" } as const satisfies Trust

/** The state of a file, by its opened descriptor. */
export interface FileState {
  readonly kind: "file" | "folder" | "other"
  readonly size: number
  readonly uid: number
  /** The permission bits, and possibly the bits of the type. */
  readonly mode: number
  /** True if nobody but the user `uid` can act as its group. */
  readonly ownGroup: boolean
}

const mayWrite = { read: 0o022, "write as its group": 0o002, nothing: 0o022 } as const

/**
 * Returns why the user `uid` must not use the file, with the remedy; `undefined`: it may. The text follows the path in
 * a sentence.
 */
export const distrust = (
  { atMost, folder, others = "read", own }: Trust,
  seen: FileState,
  uid: number
): string | undefined => {
  const mode = (seen.mode & 0o7777).toString(8).padStart(4, "0")
  if (seen.kind !== (folder === true ? "folder" : "file"))
    return folder === true ? "it is no folder" : "it is no regular file"
  if (seen.uid !== uid && (own === true || seen.uid !== 0))
    return `it belongs to another user (uid ${seen.uid}, this is ${uid}): have it given to this user (chown), or move it away`
  const groupIsUser = others === "read" && seen.ownGroup
  if ((seen.mode & mayWrite[groupIsUser ? "write as its group" : others]) !== 0)
    return `others may write to it (mode ${mode}): chmod ${others === "read" ? "go-w" : others === "nothing" ? "go-rwx" : "o-w"} it`
  if (others === "nothing" && (seen.mode & 0o077) !== 0)
    return `others may look into it (mode ${mode}): chmod go-rwx it`
  if (atMost !== undefined && seen.kind === "file" && seen.size > atMost) return `it is larger than ${atMost} bytes`
  return undefined
}
