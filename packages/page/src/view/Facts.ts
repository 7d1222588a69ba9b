import { agentAtWork, limitInWords, iso, isOver, isSessionKnown, type Watch, Words } from "@souffleur/domain"
import type { WatchStatus } from "@souffleur/embed"
import { type Html, html } from "../Html.ts"
import type { Seen } from "./Seen.ts"

/** A name and what is known of it. */
export type Fact = readonly [name: string, what: Html | string]

/** Returns a fact as an item of a list. */
export const factItem = ([name, what]: Fact): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${what}</dd>
  </div>`

/** Returns facts as a list of names. */
export const factList = (facts: ReadonlyArray<Fact | null>): Html =>
  html`<dl class="facts">${facts.map((fact) => fact !== null && factItem(fact))}</dl>`

/** A moment itself, as on an axis or on paper, with its date. */
export const timeTag = (at: number, { now, zone }: Seen): Html =>
  html`<time datetime="${iso(at)}" title="${Words.dateAndTime(at, zone)}">${Words.moment(at, now, zone)}</time>`

/** Says how long a stretch is, in its largest unit; `null`: less than a minute. */
export const lengthInWords = (millis: number): string | null => {
  const minutes = Math.floor(millis / 60_000)
  if (minutes < 1) return null
  return minutes < 60
    ? `${minutes} min`
    : minutes < 48 * 60
      ? `${Math.floor(minutes / 60)} h`
      : `${Math.floor(minutes / 1440)} d`
}

/**
 * A time as how long ago it was, with the exact one. One of long ago is told itself: its day, or with its hour. A clock
 * that was set back makes nothing that happened a thing to come.
 */
export const agoTag = (at: number, seen: Seen, old: "day" | "hour" = "day"): Html => {
  const ago = seen.now - at
  const exact = Words.dateAndTime(at, seen.zone)
  if (ago >= 30 * 86_400_000)
    return html`<time datetime="${iso(at)}" title="${exact}"
      >${old === "day" ? Words.day(at, seen.zone) : Words.moment(at, seen.now, seen.zone)}</time
    >`
  const length = lengthInWords(ago)
  return html`<time datetime="${iso(at)}" data-ago title="${exact}"
    >${length === null ? "just now" : `${length} ago`}</time
  >`
}

/** A time as how long it is until then, with the exact one. */
const untilTag = (at: number, seen: Seen): Html => {
  const length = lengthInWords(at - seen.now)
  return html`<time datetime="${iso(at)}" data-until title="${Words.dateAndTime(at, seen.zone)}"
    >${length === null ? "soon" : `in ${length}`}</time
  >`
}

/** Returns the use of a context as a bar with its numbers. The bar is left out where the limit is not known. */
const contextUse = ({ tokens, window }: Pick<NonNullable<WatchStatus["context"]>, "tokens" | "window">): Html =>
  window === null
    ? html`${Words.count(tokens)} tokens`
    : html`<meter min="0" max="${window}" high="${Math.round(window * 0.8)}" value="${tokens}">${tokens}</meter>
        <span>${Words.count(tokens)} of ${Words.count(window)} tokens</span>`

/** Returns the facts that the log alone knows, at any revision. */
const loggedFacts = (watch: Watch, seen: Seen): ReadonlyArray<Fact | null> => [
  ["Generation", `S${Math.max(1, watch.generation)}`],
  isSessionKnown(watch.sessionId)
    ? ["Session", html`<code title="${watch.sessionId}">${watch.sessionId}</code>`]
    : null,
  watch.retries === 0 ? null : ["Deaths without progress", `${watch.retries} of 3`],
  watch.recovery === undefined
    ? null
    : ["Recovery", html`${watch.recovery.cycle}, since ${agoTag(watch.recovery.since, seen)}`],
  watch.wait === undefined ? null : ["Waits until", untilTag(watch.wait.until, seen)],
  watch.held === undefined ? null : ["Held since", agoTag(watch.held.since, seen)],
  watch.person === undefined
    ? null
    : ["Waits for a person", html`${watch.person.for}, since ${agoTag(watch.person.since, seen)}`],
  watch.standby === undefined ? null : ["Stands by", watch.standby.message],
  watch.ceiling === undefined
    ? null
    : [
        `Ceiling of ${watch.ceiling.ceiling}`,
        `${Words.count(watch.ceiling.used)} of ${Words.count(watch.ceiling.limit)}`
      ]
]

/** Returns the context in use when the last hand-off was taken; `null`: the log does not say. */
export const keptContext = ({ taken }: Watch): Fact | null =>
  taken === undefined || taken.contextTokens === null
    ? null
    : ["Context at the hand-off", contextUse({ tokens: taken.contextTokens, window: taken.contextWindow })]

/** Names the agent before its process. */
const agentNamed = (watch: Watch, process: string) => {
  const agent = agentAtWork(watch)
  return agent === undefined ? process : `${agent}, ${process}`
}

/** Returns the facts of a watch as it was at a revision. */
export const pastFacts = (watch: Watch, seen: Seen): ReadonlyArray<Fact | null> => [
  watch.conductor === undefined ? null : ["Agent", agentNamed(watch, `pid ${watch.conductor.pid}`)],
  ...loggedFacts(watch, seen),
  watch.owner === undefined ? ["Kept by", "no souffleur"] : ["Kept by", `souffleur, pid ${watch.owner.process.pid}`]
]

const labelsInWords = (labels: WatchStatus["labels"]): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ")

/** Returns the facts of a watch as it is now, with a look at its processes and its agent's files. */
export const presentFacts = (
  { beatAge, conductor, context, doing, labels, limits, owner, title, watch }: WatchStatus,
  seen: Seen
): ReadonlyArray<Fact | null> => [
  title === null ? null : ["Title", title],
  Object.keys(labels).length === 0 ? null : ["Labels", labelsInWords(labels)],
  watch.conductor === undefined
    ? null
    : ["Agent", agentNamed(watch, `pid ${watch.conductor.pid}, ${conductor ?? "not looked for"}`)],
  // What its records say last is no act of a process that is gone.
  doing === null || (conductor !== null && isOver(conductor)) ? null : ["Doing", doing],
  context === null ? null : ["Context in use", contextUse(context)],
  ...limits.map((one): Fact => ["Limit ahead", limitInWords(one, seen.now)]),
  ...loggedFacts(watch, seen),
  watch.phase === "Exited"
    ? null
    : [
        "Kept by",
        watch.owner === undefined
          ? "no souffleur"
          : `souffleur, pid ${watch.owner.process.pid}, ${owner ?? "unknown"}${beatAge === null ? "" : `, last beat ${Words.duration(beatAge)} ago`}`
      ],
  ["Last event", agoTag(watch.lastEventAt, seen)]
]
