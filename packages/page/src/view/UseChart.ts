import { type UsePoint, Words } from "@souffleur/domain"
import { foldedScale, type WatchTimeline } from "@souffleur/embed"
import { type Html, html } from "../Html.ts"
import { timeTag } from "./Facts.ts"
import type { Seen } from "./Seen.ts"

/** Columns of the use, and the steps in which a line is drawn. */
const [columns, steps] = [80, 800] as const

interface Context {
  readonly at: number
  readonly tokens: number
  readonly place: number
}

/** Returns the stretches in which the context is known. What lies between a death and the next answer is not. */
const stretches = (
  known: ReadonlyArray<Context>,
  deaths: ReadonlyArray<number>
): ReadonlyArray<ReadonlyArray<Context>> => {
  const found: Array<Array<Context>> = []
  for (const one of known) {
    const last = found.at(-1)?.at(-1)
    const isApart = last === undefined || deaths.some((at) => last.at < at && at <= one.at)
    const isSame = last !== undefined && Math.floor(last.place * steps) === Math.floor(one.place * steps)
    if (isApart) found.push([one])
    else if (isSame) found.at(-1)!.splice(-1, 1, one)
    else found.at(-1)!.push(one)
  }
  return found
}

const inAll = (points: ReadonlyArray<UsePoint>) => {
  const cents = Math.round(100 * points.reduce((sum, one) => sum + (one.dollars ?? 0), 0))
  return {
    answers: points.filter(({ tokens }) => tokens !== undefined).length,
    tokens: points.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
    cost: cents > 0 ? `, ${Words.dollars(cents)}` : ""
  }
}

/**
 * Draws the context in use and the tokens of answers, on the scale of the timeline above. What no record tells is a
 * gap. A sentence says the same.
 */
export const useChart = (all: ReadonlyArray<UsePoint>, timeline: WatchTimeline, seen: Seen): Html => {
  const { deaths, from, quiet, to } = timeline
  const points = all.filter(({ at }) => from <= at && at <= to).toSorted((a, b) => a.at - b.at)
  if (points.length === 0) return html`<section id="use" hidden></section>`
  const place = foldedScale(from, to, quiet)
  const known = points.flatMap(({ at, context }) =>
    context === undefined ? [] : [{ at, tokens: context, place: place(at) }]
  )
  const window = points.findLast((one) => one.window !== undefined)?.window
  const most = Math.max(1, window ?? 0, ...known.map(({ tokens }) => tokens))
  const x = (part: number) => (1000 * part).toFixed(1)
  const y = (tokens: number) => (100 - (100 * tokens) / most).toFixed(1)
  const lines = stretches(
    known,
    deaths.map(({ at }) => at)
  ).map((one) => {
    const [begin, ...more] = one
    // A single answer is as wide as it can be seen.
    const rest = more.length === 0 ? "h3" : more.map((next) => `H${x(next.place)}V${y(next.tokens)}`).join("")
    return `M${x(begin!.place)} ${y(begin!.tokens)}${rest}`
  })
  const used = new Map<number, number>()
  for (const { at, tokens } of points) {
    const column = Math.min(columns - 1, Math.floor(place(at) * columns))
    if (tokens !== undefined) used.set(column, (used.get(column) ?? 0) + tokens)
  }
  const highest = Math.max(1, ...used.values())
  const { answers, cost, tokens } = inAll(points)
  const [begin, end] = [known[0], known.at(-1)]
  const moment = (at: number) => Words.moment(at, seen.now, seen.zone)
  const sentences = [
    ...(begin === undefined || end === undefined
      ? []
      : [
          `The context was ${Words.count(begin.tokens)} tokens at ${moment(begin.at)}, and ${Words.count(end.tokens)}${window === undefined ? "" : ` of ${Words.count(window)}`} at ${moment(end.at)}.`
        ]),
    ...(answers === 0
      ? []
      : [`${Words.many(answers, "answer")} used ${Words.count(tokens)} tokens${cost} since ${moment(points[0]!.at)}.`])
  ]
  return html`<section id="use" class="panel" aria-labelledby="use-title">
    <h2 id="use-title">Context and use</h2>
    <figure class="use">
      <svg width="100%" height="120" role="img" aria-labelledby="use-drawn use-said">
        <title id="use-drawn">Context in use and tokens used, over time</title>
        <desc id="use-said">${sentences.join(" ")}</desc>
        <rect class="lane" x="0" y="0" width="100%" height="76" rx="3" />
        ${
          window !== undefined &&
          html`<line
            class="window"
            x1="0"
            x2="100%"
            y1="${(4 + (68 * (most - window)) / most).toFixed(1)}"
            y2="${(4 + (68 * (most - window)) / most).toFixed(1)}"
          />`
        }
        <svg x="0" y="4" width="100%" height="68" viewBox="0 0 1000 100" preserveAspectRatio="none" overflow="visible">
          ${lines.map((line) => html`<path class="context" d="${line}" vector-effect="non-scaling-stroke" />`)}
        </svg>
        ${[...used].map(([column, count]) => {
          const height = Math.max(1, (32 * count) / highest)
          return html`<rect
            class="used"
            x="${((100 * column) / columns).toFixed(2)}%"
            y="${(118 - height).toFixed(1)}"
            width="${(80 / columns).toFixed(2)}%"
            height="${height.toFixed(1)}"
            ><title>${Words.count(count)} tokens</title></rect
          >`
        })}
      </svg>
      <div class="ends">${timeTag(from, seen)}${timeline.over ? timeTag(to, seen) : html`<span>now</span>`}</div>
      <figcaption class="key">
        ${known.length > 0 && html`<span class="key-context">context in use</span>`}
        ${window !== undefined && html`<span class="key-window">its window</span>`}
        ${used.size > 0 && html`<span class="key-used">tokens used</span>`}
      </figcaption>
    </figure>
    ${sentences.map((one) => html`<p class="quiet" aria-hidden="true">${one}</p>`)}
  </section>`
}
