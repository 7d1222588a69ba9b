import { Words } from "@souffleur/domain"
import { endInWords, foldedScale, type WatchTimeline } from "@souffleur/embed"
import { type Html, html } from "../Html.ts"
import { timeTag } from "./Facts.ts"
import type { Seen } from "./Seen.ts"

/** A stretch of a timeline that has a bar. */
interface Bar {
  readonly from: number
  readonly to: number | null
  readonly words: string
}

/** The narrowest bar, in parts of the timeline. */
const narrowest = 0.004

/** The narrowest bars with a name, on a screen and on a telephone. A name is about 30 pixels wide. */
const named = { screen: 0.04, telephone: 0.12 } as const

/** The deaths from which on their signs are small. */
const manyDeaths = 12

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000] as const
/** The times between two ticks, the most ticks, and the least place of one beside another. */
const tickSteps = [
  minute,
  5 * minute,
  15 * minute,
  hour,
  3 * hour,
  12 * hour,
  day,
  7 * day,
  30 * day,
  365 * day
] as const
const [mostTicks, tickPlace] = [10, 0.12] as const

/** Returns the ticks of a scale, at even times of its reader's clock. A quiet stretch is folded, and has none. */
const ticksOf = ({ from, quiet, to }: WatchTimeline, place: (at: number) => number, zone: Seen["zone"]) => {
  const busy = [from, ...quiet.flatMap((one) => [one.from, one.to]), to]
  const stretches = busy.flatMap((at, n) => (n % 2 === 0 ? [{ from: at, to: busy[n + 1]! }] : []))
  const length = stretches.reduce((sum, one) => sum + one.to - one.from, 0)
  const step = tickSteps.find((one) => length / one <= mostTicks) ?? tickSteps.at(-1)!
  const ahead = zone(from)
  const times = stretches.flatMap((one) => {
    const first = Math.ceil((one.from + ahead) / step) * step - ahead
    return Array.from({ length: Math.max(0, Math.ceil((one.to - first) / step)) }, (_, n) => first + n * step)
  })
  const words = (at: number) => (step < day ? Words.time(at, zone).slice(0, 5) : Words.day(at, zone).slice(5))
  let last = 0
  return times.flatMap((at) => {
    const part = place(at)
    if (part - last < tickPlace || 1 - part < tickPlace / 2) return []
    last = part
    return [{ part, words: words(at) }]
  })
}

/** Writes a place of the scale for SVG. */
export const percent = (part: number) => `${(100 * part).toFixed(2)}%`

/**
 * Draws the history of a watch. Generations are bars, a quiet stretch is a break, and deaths and recoveries come last,
 * so that nothing hides them. `cursor`: the time of a past state. A list for screen readers says the same.
 */
export const watchDrawing = (timeline: WatchTimeline, cursor: number | null, seen: Seen): Html => {
  const { deaths, from, generations, quiet, recoveries, to, waits } = timeline
  const place = foldedScale(from, to, quiet)
  const clock = (at: number) => Words.moment(at, seen.now, seen.zone)
  const span = (one: Pick<Bar, "from" | "to">) =>
    `${clock(one.from)} to ${one.to === null ? "now" : clock(one.to)}, ${Words.duration((one.to ?? to) - one.from)}`
  const bar = (kind: string, one: Bar, { height, y }: { readonly y: number; readonly height: number }) => {
    const [begin, end] = [place(one.from), place(one.to ?? to)]
    return html`<rect
      class="${kind}"
      x="${percent(begin)}"
      y="${y}"
      width="${percent(Math.max(narrowest, end - begin))}"
      height="${height}"
      rx="3"
      ><title>${one.words}</title></rect
    >`
  }
  const lives = generations.map((one) => ({
    ...one,
    words: `Generation S${one.generation}: ${span(one)}${one.ended === null ? "" : `. ${Words.capital(endInWords(one.ended))}`}`
  }))
  const waiting = waits.map((one) => ({ ...one, words: `Wait (${one.kind}): ${span(one)}` }))
  const mending = recoveries.map((one) => ({
    ...one,
    words: `Recovery ${one.cycle}: ${span(one)}, ${one.outcome ?? "under way"}${one.provider === null ? "" : ` by ${one.provider}`}`
  }))
  const died = deaths.map((one) => {
    const end = one.end === null ? "" : `, and it ended ${Words.ended(one.end)}`
    return { ...one, words: `Death of S${one.generation} at ${clock(one.at)}: ${endInWords(one.cause)}${end}` }
  })
  return html`<figure class="timeline">
    <svg width="100%" height="74" aria-hidden="true">
      <rect class="lane" x="0" y="8" width="100%" height="24" rx="3" />
      ${ticksOf(timeline, place, seen.zone).map(
        ({ part, words }) =>
          html`<line class="tick" x1="${percent(part)}" x2="${percent(part)}" y1="4" y2="56" />
            <text class="tick-at" x="${percent(part)}" y="70">${words}</text>`
      )}
      ${lives.map((one) => bar("life", one, { y: 8, height: 24 }))}
      ${quiet.map((one) => {
        const [begin, end] = [place(one.from), place(one.to)]
        return html`<rect class="quiet-stretch" x="${percent(begin)}" y="6" width="${percent(end - begin)}" height="28"
          ><title>Quiet for ${Words.duration(one.to - one.from)}</title></rect
        >`
      })}
      ${lives.map((one) => {
        const [begin, end] = [place(one.from), place(one.to ?? to)]
        return (
          end - begin >= named.screen &&
          html`<svg x="${percent(begin)}" y="8" overflow="visible">
            <text class="${end - begin < named.telephone ? "name roomy" : "name"}" x="7" y="17">
              S${one.generation}
            </text>
          </svg>`
        )
      })}
      ${waiting.map((one) => bar("wait", one, { y: 42, height: 8 }))}
      ${mending.map((one) => bar("mend", one, { y: 42, height: 8 }))}
      ${died.map(
        (one) =>
          html`<svg x="${percent(place(one.at))}" y="20" overflow="visible">
            <g class="death" transform="scale(${died.length > manyDeaths ? 0.6 : 1})">
              <title>${one.words}</title>
              <circle r="8" />
              <path d="M-3-3 3 3M3-3-3 3" />
            </g>
          </svg>`
      )}
      <line
        class="cursor"
        x1="${percent(place(cursor ?? to))}"
        x2="${percent(place(cursor ?? to))}"
        y1="0"
        y2="56"
        visibility="${cursor === null ? "hidden" : "visible"}"
      />
    </svg>
    <div class="ends">${timeTag(from, seen)}${timeline.over ? timeTag(to, seen) : html`<span>now</span>`}</div>
    <figcaption class="key">
      <span class="key-life">a generation</span>
      ${died.length > 0 && html`<span class="key-death">a death</span>`}
      ${mending.length > 0 && html`<span class="key-mend">a recovery</span>`}
      ${waiting.length > 0 && html`<span class="key-wait">a wait</span>`}
      ${quiet.length > 0 && html`<span class="key-quiet">a quiet stretch, folded</span>`}
    </figcaption>
    <ul class="unseen">
      ${[...lives, ...died, ...mending, ...waiting].map(({ words }) => html`<li>${words}</li>`)}
    </ul>
  </figure>`
}
