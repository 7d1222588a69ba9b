import type { Watch } from "../watch/Watch.ts"

/** The measure of a generation's progress: its tasks by now, or `null` where they could not be counted. */
export interface Progress {
  /** Epoch ms. */
  readonly now: number
  readonly tasks: { readonly count: number; readonly fingerprint: string } | null
}

/** The run time in ms after which a command counts as started. Its progress cannot be seen in any other way. */
const longRun = 600_000

/** Milliseconds after its launch within which an end is quick. */
const quickLife = 60_000

/** Counts the generations in a row that ended within a minute of their launch, with the one that ends at `at`. */
export const quickEndsAfter = ({ launchedAt, quickEnds }: Pick<Watch, "launchedAt" | "quickEnds">, at: number) =>
  at >= launchedAt && at - launchedAt < quickLife ? quickEnds + 1 : 0

/** Takes the place of a commit that could not be read. */
const unread = "?"

/**
 * Makes the fingerprint of a watch without comms: its results of tools, and the commit that is checked out. An empty
 * commit: there is none. `undefined`: it could not be read.
 */
export const soloFingerprint = (results: number, commit: string | undefined): string => `${results} ${commit ?? unread}`

/** Reads such a fingerprint; `undefined`: it is of another kind. */
const partsOf = (fingerprint: string) => {
  const [, results, commit] = /^(\d+) (\S*)$/u.exec(fingerprint) ?? []
  return results === undefined || commit === undefined ? undefined : { results: Number(results), commit }
}

/** Says whether another commit is checked out since. `undefined`: one of both could not be read. */
export const isAnotherCommit = (before: string, after: string): boolean | undefined => {
  const [was, is] = [partsOf(before)?.commit, partsOf(after)?.commit]
  if (was === undefined || is === undefined || was === unread || is === unread) return undefined
  return is !== "" && is !== was
}

/**
 * Returns whether a generation has made progress since its launch (spec: behaviour#retries). Tasks that could not be
 * counted are no progress, nor is a commit that could not be read.
 */
export const progressedSince = (
  { baseline, comms, kind, launchedAt }: Pick<Watch, "baseline" | "comms" | "kind" | "launchedAt">,
  { now, tasks }: Progress
): boolean => {
  if (kind === "command") return now - launchedAt >= longRun
  if (tasks === null) return false
  const [before, after] = [baseline.taskFingerprint, tasks.fingerprint]
  const [was, is] = [partsOf(before), partsOf(after)]
  return comms !== null || was === undefined || is === undefined
    ? after !== before
    : is.results > was.results || isAnotherCommit(before, after) === true
}
