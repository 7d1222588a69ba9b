import type { ProcessIdentity, Tag } from "@souffleur/domain"
import type { Carries, ProcessSource, Stat } from "./ProcessSource.ts"

/**
 * Returns the processes of user `ours` that carry one of the tags. A tag on another user's process is no evidence. Any
 * user can write one into an environment, and a souffleur of root reads them all.
 */
export const carriersOf = (
  processes: Iterable<Pick<Stat, "pid" | "uid">>,
  tags: ReadonlyArray<Tag>,
  ours: number,
  { carries, uid }: Pick<ProcessSource, "uid"> & { readonly carries: Carries }
): ReadonlySet<number> => {
  const environments = tags.map(({ environment }) => environment)
  const carriers = Array.from(processes).filter((one) => carries(one.pid, environments) && uid(one) === ours)
  return new Set(carriers.map(({ pid }) => pid))
}

/**
 * Returns the pids of the known processes that still run. Each is compared by its whole identity, because pids are
 * reused, also by other users.
 */
export const stillThose = (
  table: ReadonlyMap<number, Stat>,
  known: ReadonlyArray<ProcessIdentity>,
  { bootId, ours }: { readonly bootId: string; readonly ours: number },
  uid: ProcessSource["uid"]
): ReadonlyArray<number> =>
  known.flatMap((one) => {
    const found = one.bootId === bootId ? table.get(one.pid) : undefined
    return found?.startTime === one.startTime && uid(found) === ours ? [one.pid] : []
  })
