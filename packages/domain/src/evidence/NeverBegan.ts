import { stepNames } from "../watch/StepName.ts"
import type { Watch } from "../watch/Watch.ts"

/**
 * Returns whether souffleur's own first launch ended before any sign of its work: no file, no record, no hook, no
 * beat, no commit. Each launch since was that same one again (spec: behaviour#begin_again).
 */
export const neverBegan = ({
  began,
  firstLaunch,
  handedFrom,
  kind,
  launchId,
  muteFor,
  provider,
  retries
}: Watch): boolean =>
  kind === "agent" &&
  handedFrom === undefined &&
  firstLaunch !== undefined &&
  (launchId === firstLaunch.launchId || provider === stepNames.beginAgain) &&
  muteFor !== undefined &&
  // Files that were there were swept away.
  !began &&
  retries > 0

/**
 * Returns whether the agent of souffleur's own first launch gave a sign of its work, its session had a file, or results
 * of it were counted. If its session has no file then, the file was swept away, rather than kept elsewhere
 * (spec: behaviour#start_over).
 */
export const hasWorked = ({ baseline, began, firstLaunch, handedFrom, kind, lastTasks, muteFor }: Watch): boolean =>
  kind === "agent" &&
  handedFrom === undefined &&
  firstLaunch !== undefined &&
  (muteFor === undefined || began || Math.max(baseline.taskCount, lastTasks?.taskCount ?? 0) > 0)

/** Says why a step may not make the first launch once more. `undefined`: it may, or it is another step. */
export const begunAlready = (watch: Watch, step: string): string | undefined =>
  step === stepNames.beginAgain && !neverBegan(watch)
    ? "the first launch is made once more only where souffleur made it and it gave no sign of work"
    : undefined
