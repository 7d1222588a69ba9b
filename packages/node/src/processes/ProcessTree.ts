import type { ProcessIdentity } from "@souffleur/domain"
import type { Stat } from "./ProcessSource.ts"

/** The root of a tree, and the facts by which its processes are told from others. */
export interface Question {
  readonly root: ProcessIdentity
  readonly self: number
  /** Pids of agent sessions that must not be touched. */
  readonly others: ReadonlySet<number>
  readonly tagged: (pid: number) => boolean
  /**
   * Returns whether a process carries a tag that souffleur itself lacks, so that the tag comes from a launch and not
   * from souffleur's own environment.
   */
  readonly launched: (pid: number) => boolean
  readonly terminal: (process: Stat) => boolean
}

/** Yields a process and its ancestors, nearest first. A table is not read in one instant, so a circle ends the walk. */
function* lineage(table: ReadonlyMap<number, Stat>, pid: number): Generator<Stat> {
  const seen = new Set<number>()
  for (let at = table.get(pid); at !== undefined && !seen.has(at.pid); at = table.get(at.parent)) {
    seen.add(at.pid)
    yield at
  }
}

/**
 * Finds the processes that the root started (spec: behaviour#stop): its descendants, and the tagged processes with
 * theirs.
 * Upwards from each process, the first of these decides: the root, or a protected process, which protects its subtree.
 * Ancestors of souffleur are spared. Other children of an ancestor that the root started are spared too. They are
 * souffleur's own company, such as the `tee` behind it. A process that souffleur launched is its own child, and belongs
 * by the tag of that launch.
 */
export const startedBy = (table: ReadonlyMap<number, Stat>, question: Question): ReadonlyArray<Stat> => {
  const { launched, others, root, self, tagged, terminal } = question
  // The pid of a dead root may be reused. Then it has no children here, but tags still tell.
  const living = table.get(root.pid)?.startTime === root.startTime ? root.pid : undefined
  const ours = new Set(Array.from(lineage(table, self), (one) => one.pid))
  const aboveRoot = new Set(living === undefined ? [] : Array.from(lineage(table, living), (one) => one.pid))
  const belongs = (process: Stat): boolean => {
    if (aboveRoot.has(process.pid)) return false
    let started = false
    let company = false
    let ofLaunch = false
    for (const one of lineage(table, process.pid)) {
      if (one.pid === living) return !company
      if (one.pid === self) return ofLaunch
      if (others.has(one.pid) || terminal(one)) return false
      ofLaunch ||= launched(one.pid)
      if (ours.has(one.pid)) {
        company = true
        if (tagged(one.pid)) return false
      } else if (!aboveRoot.has(one.pid)) started ||= tagged(one.pid)
    }
    return started
  }
  return [...table.values()].filter(belongs)
}
