import type { ProcessIdentity, Tag } from "@souffleur/domain"
import * as Proc from "./Proc.ts"

/**
 * Returns the processes of user `ours` that carry one of the tags. A tag on another user's process is no evidence. Any
 * user can write one into an environment, and a souffleur of root reads them all.
 */
export const carriersOf = (
  pids: Iterable<number>,
  tags: ReadonlyArray<Tag>,
  ours: number,
  { carries, uid }: Pick<typeof Proc, "carries" | "uid"> = Proc
): ReadonlySet<number> => {
  const environments = tags.map(({ environment }) => environment)
  return new Set([...pids].filter((pid) => carries(pid, environments) && uid(pid) === ours))
}

/**
 * Returns the pids of the known processes that still run. Each is compared by its whole identity, because pids are
 * reused, also by other users.
 */
export const stillThose = (
  table: ReadonlyMap<number, Proc.Stat>,
  known: ReadonlyArray<ProcessIdentity>,
  { bootId, ours }: { readonly bootId: string; readonly ours: number },
  uid: (pid: number) => number | undefined = Proc.uid
): ReadonlyArray<number> =>
  known
    .filter((one) => one.bootId === bootId && table.get(one.pid)?.startTime === one.startTime && uid(one.pid) === ours)
    .map(({ pid }) => pid)
