import { describeEvent, evolve, type Watch, type WatchEvent, Words } from "@souffleur/domain"
import { foldedScale, jobWord, reasonsOf, watchJob, type WatchStatus, watchTimeline } from "@souffleur/embed"
import type { MovingPart } from "../LiveFeed.ts"
import { type Html, html, written } from "../Html.ts"
import { bounds, type Excerpt, watchAt } from "../history/Excerpt.ts"
import { eventItem, type EventView } from "./EventItems.ts"
import { agoTag, factItem, factList, pastFacts, presentFacts } from "./Facts.ts"
import type { FrameLinks, JobLinks } from "./Links.ts"
import type { Seen } from "./Seen.ts"
import { stateBadge, statePanel } from "./StateBadge.ts"
import { percent, watchDrawing } from "./WatchDrawing.ts"

/** Events on one page. */
export const eventsOnPage = 100

/** The drawn part of a history, and a point in it; `past` is `null` for now. */
interface Past {
  readonly drawn: Excerpt
  readonly past: Watch | null
}

/** A watch as its page shows it. */
export interface ShownWatch extends Past {
  /** Its name, and what else never moves. */
  readonly head: Html
  /** The parts that move without an event. */
  readonly moving: ReadonlyArray<MovingPart>
  /** The part of its history that has the listed events. */
  readonly listed: Excerpt
  /** Events below this revision are listed; `null`: the newest. */
  readonly below: number | null
  /** True if the events that are no news are shown too. */
  readonly all: boolean
}

/** Describes the events of a watch in the words of its commands, and explains its decisions. */
export const watchView = (excerpt: Excerpt, links: JobLinks, { zone }: Seen): EventView<WatchEvent> => {
  const { before, events, id, last } = excerpt
  const { comms, kind } = watchAt(excerpt, last)
  return {
    describe: (event) => describeEvent(event, { who: { comms, kind }, zone }),
    reasons: new Map(reasonsOf(events, before, zone).map((reason) => [reason.recorded.revision, reason])),
    at: (revision) => `${links.watch(id)}?at=${revision}#history`
  }
}

/** Returns the state of a watch of this host now. */
export const statePart = (status: WatchStatus, seen: Seen): Html => {
  const { need, standing } = status
  return statePanel({
    job: status.job,
    words: need === null ? standing : need.why,
    lines: need !== null && html`<p class="next">Next: <code>${need.next}</code></p>`,
    facts: factList(presentFacts(status, seen))
  })
}

/** Returns what was so at a revision in pieces, many of which other revisions share: its state, when, and each fact. */
const pieces = (id: string, past: Watch, seen: Seen) => {
  const job = watchJob({ id, watch: past }, true, seen.zone)
  return {
    said: jobWord(job),
    state: html`${stateBadge(job)} <span>${job.standing}</span>`,
    when: html` <span class="quiet">at revision ${past.revision}, ${agoTag(past.lastEventAt, seen, "hour")}</span>`,
    facts: pastFacts(past, seen).flatMap((fact) => (fact === null ? [] : [factItem(fact)]))
  }
}

/** Returns the timeline, and the state at the revision that the slider names. */
export const thenPart = ({ drawn: { before, events, id }, past }: Past, seen: Seen): Html => {
  const then = past === null ? null : pieces(id, past, seen)
  return html`<div id="then">
    ${watchDrawing(watchTimeline(events, seen.now, before), past?.lastEventAt ?? null, seen)}
    <div id="then-state">
      ${
        then !== null &&
        html`<p class="standing" role="status">${then.state}${then.when}</p>
          <dl class="facts">${then.facts}</dl>`
      }
    </div>
  </div>`
}

/** Returns the states at all revisions of a drawing: texts that many of them share, and which of them each has. */
export const statesOf = ({ before, events, id }: Excerpt, seen: Seen) => {
  const { from, quiet, to } = watchTimeline(events, seen.now, before)
  const place = foldedScale(from, to, quiet)
  const texts = new Map<string, number>()
  const numberOf = (piece: Html) => {
    const text = written(piece)
    if (!texts.has(text)) texts.set(text, texts.size)
    return texts.get(text)!
  }
  let watch = before
  const at = events.map(({ event, revision }) => {
    watch = evolve(watch, event)
    const { facts, said, state, when } = pieces(id, watch, seen)
    return {
      revision,
      x: percent(place(event.at)),
      said: `${said}, revision ${revision}, ${Words.moment(event.at, seen.now, seen.zone)}`,
      state: [state, when].map(numberOf),
      facts: facts.map(numberOf)
    }
  })
  return { texts: [...texts.keys()], at }
}

/** Returns the slider over the drawn revisions. Without JavaScript it is a form. */
export const historyPart = ({ drawn, past }: Past, links: JobLinks, seen: Seen): Html => {
  const { id, last } = drawn
  const [first, end] = bounds(drawn)
  const at = Math.min(end, past?.revision ?? end)
  const to = (revision: number, words: string) => html`<a href="${links.watch(id)}?at=${revision}#history">${words}</a>`
  return html`<section id="history" class="panel" aria-labelledby="history-title">
    <h2 id="history-title">History</h2>
    ${thenPart({ drawn, past }, seen)}
    <form
      class="slider"
      action="${links.watch(id)}#history"
      method="get"
      data-then="${links.watch(id)}/then?around=${past?.revision ?? last}"
      data-states="${links.watch(id)}/states?around=${past?.revision ?? last}"
    >
      <label for="at">Revision <output for="at">${at}</output> of ${last}</label>
      <input id="at" type="range" name="at" min="${first}" max="${end}" value="${at}" />
      <div class="steps">
        ${first > 1 && to(first - 1, "Before these")} ${at > 1 && to(at - 1, "One back")}
        ${at < last && to(at + 1, "One on")} ${end < last && to(end + 1, "After these")}
        ${past !== null && html`<a href="${links.watch(id)}">Now</a>`}
        <button>Show this revision</button>
      </div>
    </form>
  </section>`
}

/** The address of a list of events. */
const eventsAddress = (id: string, links: JobLinks, query: Readonly<Record<string, string>>) =>
  `${links.watch(id)}?${new URLSearchParams(query)}#events-title`

/** Returns the title of the events, with a link to all of them, or to those that matter. */
export const eventsHead = (
  { id, last }: Pick<Excerpt, "id" | "last">,
  { all }: Pick<ShownWatch, "all">,
  links: JobLinks
): Html =>
  html`<div class="head" id="events-head">
    <h2 id="events-title">What happened</h2>
    ${
      all
        ? html`<a href="${eventsAddress(id, links, {})}">Only what matters</a>`
        : html`<a href="${eventsAddress(id, links, { events: "all" })}">All ${last} events</a>`
    }
  </div>`

/** Returns the events of a page, the newest first. */
const eventsPart = ({ all, below, listed }: ShownWatch, links: JobLinks, seen: Seen): Html => {
  const { id } = listed
  const view = watchView(listed, links, seen)
  const wanted = listed.events.filter(
    ({ event, revision }) => (all || describeEvent(event).severity !== "detail") && (below === null || revision < below)
  )
  const shown = wanted.slice(-eventsOnPage).toReversed()
  // A part without news leads to the part before it.
  const [first] = bounds(listed)
  const older = wanted.length > shown.length ? shown.at(-1)!.revision : first > 1 ? first : null
  const address = (query: Readonly<Record<string, string>>) => eventsAddress(id, links, query)
  const kept = all ? { events: "all" } : {}
  return html`<section class="panel" aria-labelledby="events-title">
    ${eventsHead(listed, { all }, links)}
    <ol id="events" class="events">
      ${shown.map((one) => eventItem(one, view, seen))}
    </ol>
    ${
      (below !== null || older !== null) &&
      html`<nav class="pages" aria-label="Pages of events">
        ${below !== null && html`<a href="${address(kept)}">Newest</a>`}
        ${older !== null && html`<a href="${address({ ...kept, before: String(older) })}">Older</a>`}
      </nav>`
    }
  </section>`
}

/** The name of a page, and what stands around it. */
interface Headed {
  readonly id: string
  readonly where: string
  /** A link such as to the last export; absent: none. */
  readonly link?: Html | null
  /** The job whose part it is; absent: it is a job itself. */
  readonly under?: { readonly id: string; readonly address: string }
}

/** Returns the name of a job or a part of it, with the way back and its folder. */
export const jobHead = ({ id, link = null, under, where }: Headed, links: FrameLinks): Html => {
  const job = under !== undefined && html` / <a href="${under.address}">${under.id}</a>`
  return html`<div class="head">
    <div>
      <p class="crumb"><a href="${links.list}">${links.listName}</a>${job}</p>
      <h1>${id}</h1>
      <p class="quiet">${where}</p>
    </div>
    ${link}
  </div>`
}

/** Returns the page of one watch. */
export const watchPage = (shown: ShownWatch, links: JobLinks, seen: Seen): Html =>
  html`${shown.head} ${shown.moving.filter(({ name }) => name !== "use").map(({ data }) => data)}
  ${historyPart(shown, links, seen)} ${shown.moving.filter(({ name }) => name === "use").map(({ data }) => data)}
  ${eventsPart(shown, links, seen)}`
