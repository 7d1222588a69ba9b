import type { Task } from "../run/Run.ts"
import type { EscalationReason } from "../run/RunEvent.ts"

/** Says what a person looks at first, by the hint of an assignment that made no commit. */
export const firstSuspect = (hint: string): string => `a permission that was refused is the first suspect: ${hint}`

/** Maximum issues and rejections for a person, and maximum UTF-16 units of each. `conduct log --json` has the rest. */
const [maxLines, maxUnits] = [10, 300]
const short = (text: string) => (text.length > maxUnits ? `${text.slice(0, maxUnits)}…` : text)
const some = (lines: ReadonlyArray<string>) => [
  ...lines.slice(0, maxLines).map(short),
  ...(lines.length > maxLines ? [`and ${lines.length - maxLines} more`] : [])
]

/**
 * Returns what is wrong with a task beside its escalation's own words, a line each. These are the issues of the last
 * rejection, and earlier rejections in short.
 */
export const workProblemsOf = ({ feedback, lastHint }: Task, reason: EscalationReason): ReadonlyArray<string> => {
  const [last, ...earlier] = feedback.toReversed()
  return [
    ...(last === undefined || reason === "rejections"
      ? []
      : [short(`attempt ${last.attempt} was rejected: ${last.summary}`)]),
    ...some((last?.issues ?? []).map((issue) => `- ${issue}`)),
    ...some(earlier.map(({ attempt, summary }) => `attempt ${attempt} was rejected: ${summary}`)),
    ...(reason === "implementer failures" && lastHint !== null ? [firstSuspect(lastHint)] : [])
  ]
}
