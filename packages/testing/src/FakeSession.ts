import type { Compacted, SessionMark } from "@souffleur/domain"

/** The session file of the Conductor as a compaction sees it: its identity, its end in bytes, and its boundaries. */
export class FakeSession {
  inode = 1
  size = 1000
  /** Offsets of boundaries, in bytes. */
  readonly boundaries: Array<number> = []
  /** Offsets of summaries, in bytes. */
  readonly summaries: Array<number> = []
  /** True if the summary is written with its boundary. */
  summarizes = true

  /** Writes a boundary. */
  boundary() {
    this.boundaries.push(this.size)
    this.size += 300
    if (this.summarizes) this.summary()
  }
  /** Writes the summary that follows a boundary. */
  summary() {
    this.summaries.push(this.size)
    this.size += 900
  }
  /** Returns the mark of the file as it is now. */
  mark(path: string): SessionMark {
    return { path, device: "1", inode: String(this.inode), offset: this.size }
  }
  /** Returns how far a compaction has come since a mark. A file that was replaced meanwhile proves nothing. */
  since({ inode, offset }: SessionMark): Compacted {
    if (inode !== String(this.inode) || !this.boundaries.some((at) => at >= offset)) return "not yet"
    return this.summaries.some((at) => at >= offset) ? "summary" : "boundary"
  }
}
