import type { SimProcess } from "./ProcessTable.ts"
import type { World } from "./World.ts"

/** The record that proves a compaction. */
export const boundary = '{"type":"system","subtype":"compact_boundary"}'

/** A session that compacts. */
export interface Compaction {
  /** When it is done, in ms of its own life. */
  readonly after: number
  readonly writes: boolean
  /** By itself; else it idles until it is stopped. */
  readonly ends: boolean
  /** The boundary lands so many ms after the session is gone, whoever ended it. */
  readonly late?: number
  readonly onTerm?: SimProcess["onTerm"]
}

/** It holds the session like a Conductor, and is none. */
export const compact = (world: World, process: SimProcess, sessionId: string): void => {
  process.session = sessionId
  // Souffleur's own: no Conductor's, and no stranger.
  process.belongsTo = -1
  world.compactSessions.push(process)
  const { after, ends, late, onTerm, writes } = world.compactions(world.compactSessions.length)
  process.onTerm = onTerm ?? 0
  const write = () => {
    const path = world.sessionFile(sessionId)
    world.disk.write(path, `${world.disk.read(path) ?? ""}${boundary}\n`)
  }
  if (late !== undefined) process.ended = () => void world.timeline.after(late, write)
  world.timeline.after(after, () => {
    if (!world.processes.isAlive(process)) return
    if (writes && late === undefined) write()
    if (ends) world.processes.end(process)
  })
}
