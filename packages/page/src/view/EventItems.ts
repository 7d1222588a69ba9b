import type { Description } from "@souffleur/domain"
import type { Reason } from "@souffleur/embed"
import type { RecordedAs } from "@souffleur/eventlog"
import { type Html, html } from "../Html.ts"
import { agoTag } from "./Facts.ts"
import type { Seen } from "./Seen.ts"

type Severity = Description<string>["severity"]

/** A sign and a word for each severity, so that no colour alone says it. */
const signs: Readonly<Record<Severity, readonly [sign: string, word: string]>> = {
  detail: ["·", "detail"],
  info: ["•", "note"],
  success: ["✓", "success"],
  warning: ["!", "warning"],
  error: ["✕", "error"]
}

interface Timed {
  readonly at: number
}

/** How the events of a watch or a run are shown. */
export interface EventView<E extends Timed> {
  readonly describe: (event: E) => { readonly text: string; readonly severity: Severity }
  /** Explains the decisions among the events, by their revisions. */
  readonly reasons: ReadonlyMap<number, Reason<E>>
  /** The address of the state at a revision. */
  readonly at: (revision: number) => string
}

const list = (title: string, lines: ReadonlyArray<Html | string>): Html | null =>
  lines.length === 0
    ? null
    : html`<h3>${title}</h3>
        <ul>
          ${lines.map((line) => html`<li>${line}</li>`)}
        </ul>`

/** Returns the evidence behind a decision, its rule, and what followed. */
export const whyPart = <E extends Timed>({ act, done, recorded, rule, seen }: Reason<E>, view: EventView<E>): Html =>
  html`<div class="why" id="why-${recorded.revision}">
    ${list("Evidence", seen)} ${list("Rule", [rule])}
    ${list("Action", [
      ...(act === undefined && done.length > 0 ? [] : [act ?? "nothing more"]),
      ...done.map(({ event, revision }) => html`<span class="rev">${revision}</span> ${view.describe(event).text}`)
    ])}
  </div>`

/** Returns one event. A decision opens in place to the evidence behind it. */
export const eventItem = <E extends Timed>(
  { event, revision }: RecordedAs<E>,
  view: EventView<E>,
  seen: Seen
): Html => {
  const { severity, text } = view.describe(event)
  const [sign, word] = signs[severity]
  const reason = view.reasons.get(revision)
  return html`<li id="e${revision}" class="event" data-severity="${severity}">
    <span class="mark" role="img" aria-label="${word}">${sign}</span>
    ${agoTag(event.at, seen, "hour")}
    ${
      reason === undefined
        ? html`<p>${text}</p>`
        : html`<details>
            <summary>${text}</summary>
            ${whyPart(reason, view)}
          </details>`
    }
    <a class="rev" href="${view.at(revision)}" aria-label="State at revision ${revision}">${revision}</a>
  </li>`
}
