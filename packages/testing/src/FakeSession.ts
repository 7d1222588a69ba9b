import type { Compacted, SessionMark } from "@souffleur/domain"

/**
 * The session file of the Conductor as a compaction sees it: which file it is, its end in bytes, and what was written
 * where.
 */
export class FakeSession {
  inode = 1
  size = 1000
  /** Where boundaries begin. */
  readonly boundaries: Array<number> = []
  /** Where summaries begin. */
  readonly summaries: Array<number> = []
  /** Whether the summary is written with its boundary. */
  summarizes = true

  /** Writes a boundary. */
  boundary() {
    this.boundaries.push(this.size)
    this.size += 300
    if (this.summarizes) this.summary()
  }
  /** Writes what follows a boundary. */
  summary() {
    this.summaries.push(this.size)
    this.size += 900
  }
  /** The file as it is now. */
  mark(path: string): SessionMark {
    return { path, device: "1", inode: String(this.inode), offset: this.size }
  }
  /** How far a compaction has come since a mark; a file that was replaced since proves nothing. */
  since({ inode, offset }: SessionMark): Compacted {
    if (inode !== String(this.inode) || !this.boundaries.some((at) => at >= offset)) return "not yet"
    return this.summaries.some((at) => at >= offset) ? "summary" : "boundary"
  }
}
