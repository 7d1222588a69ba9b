import type { Task } from "../run/Run.ts"

type Touching = Pick<Task, "final" | "status" | "touches" | "tree">

/** Returns what each file that a glob names begins with. Two names may be one where a disk does not tell their case. */
const beginOf = (glob: string): string => {
  const at = glob.search(/[*?[{(!\\]|[+@](?=\()/u)
  return (at === -1 ? glob : glob.slice(0, at)).replace(/^(?:\.\/+)+/u, "").toLowerCase()
}

/** Returns whether a task has the run to itself: it may change any file, is of all of them, or works in the project. */
const isAlone = ({ final, status, touches = [], tree }: Touching): boolean =>
  final === true || (status === "in_progress" && tree === null) || touches.some((glob) => beginOf(glob) === "")

/**
 * Returns whether two tasks are never at work at once, since they may change the same file (spec: behaviour#parallel).
 * Globs that begin alike may name one.
 */
export const mayMeet = (one: Touching, other: Touching): boolean => {
  if (isAlone(one) || isAlone(other)) return true
  const begins = (other.touches ?? []).map(beginOf)
  return (one.touches ?? []).map(beginOf).some((a) => begins.some((b) => a.startsWith(b) || b.startsWith(a)))
}
