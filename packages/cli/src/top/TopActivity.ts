/** The acts of a job that were seen, by the span of time in which they were. */
export type TopActivity = ReadonlyMap<number, number>

/** The length of a span in ms, and how many of them are kept and drawn. */
const [spanMillis, spans] = [5 * 60_000, 12] as const

const levels = "▁▂▃▄▅▆▇█"

const spanOf = (at: number) => Math.floor(at / spanMillis)

/** Adds acts by their times, and forgets those of more than an hour ago. */
export const noted = (activity: TopActivity, times: ReadonlyArray<number>, now: number): TopActivity => {
  const all = new Map(activity)
  for (const at of times) all.set(spanOf(at), (all.get(spanOf(at)) ?? 0) + 1)
  for (const span of all.keys()) if (span <= spanOf(now) - spans || span > spanOf(now)) all.delete(span)
  return all
}

/** Draws the last hour, five minutes a column, its busiest the highest; empty: nothing was seen. */
export const sparkline = (activity: TopActivity, now: number): string => {
  const counts = Array.from({ length: spans }, (_, n) => activity.get(spanOf(now) - spans + 1 + n) ?? 0)
  const most = Math.max(...counts)
  if (most === 0) return ""
  return counts.map((count) => (count === 0 ? "·" : levels[Math.ceil((count / most) * levels.length) - 1])).join("")
}
