import type { ProcessIdentity } from "@souffleur/domain"

/** A process as a table of all has it. */
export interface Listed {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly startTime: number
}

/** The root of a tree, and the facts by which its processes are told from others. */
export interface TreeQuestion<P> {
  readonly root: ProcessIdentity
  readonly self: number
  /** Pids of other agents, which must not be touched. */
  readonly others: ReadonlySet<number>
  /** Pids below the root that are its own agent: what spares another agent's company does not spare them. */
  readonly own: ReadonlySet<number>
  readonly tagged: (pid: number) => boolean
  /**
   * Returns whether a process carries a tag that souffleur itself lacks, so that the tag comes from a launch and not
   * from souffleur's own environment.
   */
  readonly launched: (pid: number) => boolean
  readonly terminal: (process: P) => boolean
}

/** Yields a process and its ancestors, nearest first. A table is not read in one instant, so a circle ends the walk. */
function* lineage<P extends Listed>(table: ReadonlyMap<number, P>, pid: number): Generator<P> {
  const seen = new Set<number>()
  for (let at = table.get(pid); at !== undefined && !seen.has(at.pid); at = table.get(at.parent)) {
    seen.add(at.pid)
    yield at
  }
}

/**
 * Finds what the other agents need to live: the processes between each and the root, such as its terminal, and its
 * process group, such as the `tee` behind it. A group that such an agent shares with a root below it is the root's.
 */
const companyOf = <P extends Listed>(
  table: ReadonlyMap<number, P>,
  { others, own }: TreeQuestion<P>,
  aboveRoot: ReadonlySet<number>,
  living: number | undefined
): ((process: P) => boolean) => {
  const between = new Set<number>()
  const groups = new Set<number>()
  for (const pid of others) {
    const other = table.get(pid)
    if (other === undefined || aboveRoot.has(pid)) continue
    groups.add(other.group)
    for (const { pid: above } of lineage(table, other.parent)) {
      if (above === living || own.has(above)) break
      between.add(above)
    }
  }
  return ({ group, pid }) => !own.has(pid) && (between.has(pid) || groups.has(group))
}

/**
 * Finds the processes that the root started (spec: behaviour#stop): its descendants, and the tagged processes with
 * theirs.
 * Upwards from each process, the first of these decides: the root, or a protected process, which protects its subtree.
 * Ancestors of souffleur are spared. Other children of an ancestor that the root started are spared too. They are
 * souffleur's own company, such as the `tee` behind it. A process that souffleur launched is its own child, and belongs
 * by the tag of that launch. What another agent needs to live is spared wherever it is.
 */
export const startedBy = <P extends Listed>(
  table: ReadonlyMap<number, P>,
  question: TreeQuestion<P>
): ReadonlyArray<P> => {
  const { launched, others, root, self, tagged, terminal } = question
  // The pid of a dead root may be reused. Then it has no children here, but tags still tell.
  const living = table.get(root.pid)?.startTime === root.startTime ? root.pid : undefined
  const ours = new Set(Array.from(lineage(table, self), (one) => one.pid))
  const aboveRoot = new Set(living === undefined ? [] : Array.from(lineage(table, living), (one) => one.pid))
  const isCompany = companyOf(table, question, aboveRoot, living)
  const belongs = (process: P): boolean => {
    if (aboveRoot.has(process.pid) || isCompany(process)) return false
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
