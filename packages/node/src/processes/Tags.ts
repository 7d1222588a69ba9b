import type { ProcessIdentity, Tag } from "@souffleur/domain"
import * as Proc from "./Proc.ts"

/**
 * Which of these processes carry one of the tags. On another user's a tag is nobody's word: anybody can write one into
 * the environment of a process of their own, and root's souffleur reads every environment there is.
 */
export const carriersOf = (
  pids: Iterable<number>,
  tags: ReadonlyArray<Tag>,
  ours: number,
  { carries, uid }: Pick<typeof Proc, "carries" | "uid"> = Proc
): ReadonlySet<number> =>
  new Set([...pids].filter((pid) => tags.some(({ environment }) => carries(pid, environment)) && uid(pid) === ours))

/** Which of these processes are known still, each by its whole identity: a pid is reused, by another user too. */
export const stillThose = (
  table: ReadonlyMap<number, Proc.Stat>,
  known: ReadonlyArray<ProcessIdentity>,
  { bootId, ours }: { readonly bootId: string; readonly ours: number },
  uid: (pid: number) => number | undefined = Proc.uid
): ReadonlyArray<number> =>
  known
    .filter((one) => one.bootId === bootId && table.get(one.pid)?.startTime === one.startTime && uid(one.pid) === ours)
    .map(({ pid }) => pid)
