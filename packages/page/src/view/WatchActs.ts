import type { FleetWord, Watch } from "@souffleur/domain"
import { type Html, html } from "../Html.ts"

/** The address under which the words of a person go, and the hidden fields of each form. */
export interface ActForm {
  readonly address: string
  readonly hidden: Readonly<Record<string, string>>
}

/** Returns a button that sends one word. */
const act = ({ address, hidden }: ActForm, word: FleetWord, words: string): Html =>
  html`<form method="post" action="${address}/${word}">
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button>${words}</button>
  </form>`

/** Returns the words that a person can say of a watch. A word that ends it is said in two steps. */
export const watchActs = (watch: Watch, form: ActForm): ReadonlyArray<Html | false> => {
  if (watch.phase === "Exited") return []
  const tries = watch.standby !== undefined || watch.ceiling !== undefined
  return [
    tries && act(form, "retry", watch.standby === undefined ? "Allow as much again" : "Try again"),
    (watch.held !== undefined || watch.wait !== undefined) && act(form, "go", "Let it go on"),
    watch.held === undefined && !watch.observe && act(form, "hold", "Hold it"),
    html`<details id="say-done">
      <summary>Mark it as done…</summary>
      <p>The watch ends as completed. Its agent is left as it is.</p>
      ${act(form, "done", "Mark it as done")}
    </details>`,
    !watch.observe &&
      !watch.forced &&
      html`<details id="say-stop">
        <summary>Stop it…</summary>
        <p>Its agent is ended with all that it started, and the watch ends.</p>
        ${act(form, "stop", "Stop it")}
      </details>`,
    html`<details id="say-release">
      <summary>Release it…</summary>
      <p>The watch ends, and nothing is recovered any more. Its agent is left as it is.</p>
      ${act(form, "release", "Release it")}
    </details>`
  ]
}

/** Returns what a person can say, as the part of a page that moves. */
export const actsPart = (acts: ReadonlyArray<Html | false>): Html =>
  acts.length === 0
    ? html`<div id="acts" hidden></div>`
    : html`<section id="acts" class="acts" aria-label="What you can say">${acts}</section>`
