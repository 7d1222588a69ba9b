/** What a file or folder must be before a word of it is used. It is always this user's or root's, and never a link. */
export interface Trust {
  /** A folder is asked for; else a regular file. */
  readonly folder?: true
  /** Root's is not enough: we are to write in it. */
  readonly own?: true
  /**
   * What others than its owner may do: look into it, which is the rule; write to it where they are of its group;
   * nothing at all.
   */
  readonly others?: "read" | "write as its group" | "nothing"
  /** Bytes; a larger one is refused. Without it, it is read piece by piece. */
  readonly atMost?: number
}

/** A file that the agent made, as this user: its group may write it where the user's umask lets it. */
export const agentsOwn = { others: "write as its group" } as const satisfies Trust

/** What is there, as its opened descriptor says it. */
export interface Seen {
  readonly kind: "file" | "folder" | "other"
  readonly size: number
  readonly uid: number
  /** The permission bits, and perhaps the type's. */
  readonly mode: number
}

const mayWrite = { read: 0o022, "write as its group": 0o002, nothing: 0o022 } as const

/**
 * Why it is not used by the user `uid`, with what to do; `undefined`: it may be. The rest of a sentence that begins
 * with its path.
 */
export const distrust = (
  { atMost, folder, others = "read", own }: Trust,
  seen: Seen,
  uid: number
): string | undefined => {
  const mode = (seen.mode & 0o7777).toString(8).padStart(4, "0")
  if (seen.kind !== (folder === true ? "folder" : "file"))
    return folder === true ? "it is no folder" : "it is no regular file"
  if (seen.uid !== uid && (own === true || seen.uid !== 0))
    return `it belongs to another user (uid ${seen.uid}, this is ${uid}): have it given to this user (chown), or move it away`
  if ((seen.mode & mayWrite[others]) !== 0)
    return `others may write to it (mode ${mode}): chmod ${others === "read" ? "go-w" : others === "nothing" ? "go-rwx" : "o-w"} it`
  if (others === "nothing" && (seen.mode & 0o077) !== 0)
    return `others may look into it (mode ${mode}): chmod go-rwx it`
  if (atMost !== undefined && seen.kind === "file" && seen.size > atMost) return `it is larger than ${atMost} bytes`
  return undefined
}
