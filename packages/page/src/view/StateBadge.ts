import { stateSigns, type StateWord } from "@souffleur/domain"
import { type Html, html, type HtmlPart } from "../Html.ts"

/** Returns the word of a state with its sign. */
export const stateBadge = (state: StateWord): Html =>
  html`<span class="badge" data-state="${state}"
    ><span class="sign" aria-hidden="true">${stateSigns[state]}</span>${state}</span
  >`

/** The state of a job in words. */
interface StateWords {
  readonly state: StateWord
  readonly words: string
  /** Lines that follow, such as the command to type next. */
  readonly lines: HtmlPart
  readonly facts: Html
}

/** Returns the state of a job now, as the part of its page that moves. */
export const statePanel = ({ facts, lines, state, words }: StateWords): Html =>
  html`<section id="state" class="panel" data-state="${state}" aria-labelledby="state-title">
    <h2 id="state-title" class="unseen">The state now</h2>
    <p class="standing" role="status">${stateBadge(state)} <span>${words}</span></p>
    ${lines} ${facts}
  </section>`
