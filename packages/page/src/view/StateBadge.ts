import type { StateWord } from "@souffleur/domain"
import { jobSigns, jobWord, type Need } from "@souffleur/embed"
import { type Html, html, type HtmlPart } from "../Html.ts"

/** A job's word, and what a person is needed for. */
interface Stated {
  readonly state: StateWord
  readonly need: object | null
  readonly held?: boolean
}

/** A word with its sign, and a tone that says the same. */
export type Badge = readonly [tone: "accent" | "bad" | "good" | "quiet" | "work", sign: string, word: string]

/** Returns a word with its sign. */
export const badge = ([tone, sign, word]: Badge): Html =>
  html`<span class="badge" data-tone="${tone}"><span class="sign" aria-hidden="true">${sign}</span>${word}</span>`

/** Returns whether a job is shown as one that needs a person. */
export const needsYou = (job: Stated): boolean => jobWord(job) === "needs you"

/** Returns the word of a job's state with its sign. */
export const stateBadge = (job: Stated): Html =>
  html`<span class="badge" data-state="${jobWord(job)}"
    ><span class="sign" aria-hidden="true">${jobSigns[jobWord(job)]}</span>${jobWord(job)}</span
  >`

/** The state of a job now. */
export interface StandingNow extends Stated {
  readonly need: Need | null
  readonly standing: string
}

/** Returns the state of a job now on one line, as the part of a page that moves. */
export const stateNow = ({ need, standing, ...job }: StandingNow): Html =>
  html`<p id="state" class="standing" role="status">
    ${stateBadge({ ...job, need })} <span>${need === null ? standing : need.why}</span>
    ${need !== null && html`<span>Next: <code>${need.next}</code></span>`}
  </p>`

/** The state of a job in words. */
interface StateWords {
  readonly job: Stated
  readonly words: string
  /** Lines that follow, such as the command to type next. */
  readonly lines: HtmlPart
  readonly facts: Html
}

/** Returns the state of a job now, as the part of its page that moves. */
export const statePanel = ({ facts, job, lines, words }: StateWords): Html =>
  html`<section id="state" class="panel" data-state="${jobWord(job)}" aria-labelledby="state-title">
    <h2 id="state-title" class="unseen">The state now</h2>
    <p class="standing" role="status">${stateBadge(job)} <span>${words}</span></p>
    ${lines} ${facts}
  </section>`
