/** A stretch of time. Times are epoch milliseconds; `to` is `null` until it ends. */
export interface Stretch {
  readonly from: number
  readonly to: number | null
}

/** A stretch without an event. `after`: the revision of the event before it. */
export interface Quiet {
  readonly from: number
  readonly to: number
  readonly after: number
}

/** Milliseconds without an event that a timeline draws as a break. */
const quietAfter = 10 * 60_000

/** Returns the stretches without an event that are longer than `longerThan` ms, up to `now`. */
export const quietOf = (
  events: ReadonlyArray<{ readonly revision: number; readonly event: { readonly at: number } }>,
  now: number,
  longerThan: number = quietAfter
): ReadonlyArray<Quiet> =>
  events.flatMap(({ event, revision }, n) => {
    const to = events[n + 1]?.event.at ?? now
    return to - event.at > longerThan ? [{ from: event.at, to, after: revision }] : []
  })

/** The milliseconds of a stretch, up to `now` if it has not ended. A clock that went back gives 0. */
export const lengthOf = ({ from, to }: Stretch, now: number): number => Math.max(0, (to ?? now) - from)

/** Widths of a break, and of all that is drawn, in parts of a timeline without breaks. */
const [breakWidth, smallest] = [0.04, 1]

/**
 * Makes a scale from a time to a place between 0 and 1. A quiet stretch takes a fixed width. So a recovery of seconds
 * is seen in a night of hours.
 */
export const foldedScale = (from: number, to: number, quiet: ReadonlyArray<Quiet>) => {
  const breaks = quiet.filter((one) => one.to > from && one.from < to)
  const cut = breaks.map((one) => ({ from: Math.max(from, one.from), to: Math.min(to, one.to) }))
  const busy = Math.max(smallest, to - from - cut.reduce((sum, one) => sum + one.to - one.from, 0))
  const share = Math.min(breakWidth, 0.5 / Math.max(1, cut.length))
  const perMilli = (1 - share * cut.length) / busy
  return (at: number): number => {
    const time = Math.min(to, Math.max(from, at))
    const folded = cut.reduce(
      (place, one) => {
        const within = Math.min(time, one.to) - one.from
        return within <= 0 ? place : place - within * perMilli + (share * within) / Math.max(1, one.to - one.from)
      },
      (time - from) * perMilli
    )
    return Math.min(1, Math.max(0, folded))
  }
}
