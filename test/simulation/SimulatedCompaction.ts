import { compactPrompt } from "./SimAgent.ts"
import type { SimProcess } from "./ProcessTable.ts"
import { souffleursOwn } from "./LaunchRoom.ts"
import type { SimMachine } from "./SimMachine.ts"

/** The part of a world that a compaction touches. */
export interface CompactingWorld extends SimMachine {
  readonly compactSessions: Array<SimProcess>
  readonly compactions: (number: number) => Compaction
  sessionFile(sessionId: string): string
}

/** The record that proves a compaction. */
export const boundary = '{"type":"system","subtype":"compact_boundary"}'

/** The summary that the compacted session goes on from. */
export const summary = '{"type":"user","isCompactSummary":true}'

/** A session that compacts. */
export interface Compaction {
  /** The time at which it is done, in ms of its own life. */
  readonly after: number
  readonly writes: boolean
  /** True if it ends by itself; else it idles until it is stopped. */
  readonly ends: boolean
  /** The ms from the end of the session to its boundary, whatever ended the session. */
  readonly late?: number
  /** The ms from the boundary to the summary, if the session lives so long. It comes at once where this is not said. */
  readonly summaryAfter?: number
  /** True if it writes a summary and no boundary, which proves nothing. */
  readonly lies?: boolean
  readonly onTerm?: SimProcess["onTerm"]
}

/** Compacts a session. The process holds the session like a Conductor, and is none. */
export const compact = (world: CompactingWorld, process: SimProcess, sessionId: string): void => {
  process.session = sessionId
  process.says = [compactPrompt]
  process.belongsTo = souffleursOwn
  world.compactSessions.push(process)
  const { after, ends, late, lies, onTerm, summaryAfter, writes } = world.compactions(world.compactSessions.length)
  process.onTerm = onTerm ?? 0
  const path = world.sessionFile(sessionId)
  const append = (line: string) => world.disk.write(path, `${world.disk.read(path) ?? ""}${line}\n`)
  const write = () => {
    if (lies === true) return append(summary)
    append(boundary)
    if (summaryAfter === undefined) append(summary)
    else world.timeline.after(summaryAfter, () => world.processes.isAlive(process) && append(summary))
  }
  if (late !== undefined) process.ended = () => void world.timeline.after(late, write)
  world.timeline.after(after, () => {
    if (!world.processes.isAlive(process)) return
    if (writes && late === undefined) write()
    if (ends) world.processes.end(process)
  })
}
