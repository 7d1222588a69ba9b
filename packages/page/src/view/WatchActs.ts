import type { WatchStatus } from "@souffleur/embed"
import { type Html, html } from "../Html.ts"
import type { Links } from "./Links.ts"

/** Returns a button that sends one word, with the secret of this page. */
const act = (action: string, secret: string, words: string): Html =>
  html`<form method="post" action="${action}">
    <input type="hidden" name="secret" value="${secret}" /><button>${words}</button>
  </form>`

/**
 * Returns the words that a person can say of a watch. A word that ends it is said in two steps. `secret`: `null` where
 * this page takes no word.
 */
export const watchActs = ({ id, watch }: WatchStatus, secret: string | null, links: Links): Html | null => {
  if (secret === null || watch.phase === "Exited") return null
  const tries = watch.standby !== undefined || watch.ceiling !== undefined
  return html`<section class="acts" aria-label="What you can say">
    ${tries && act(`${links.watch(id)}/retry`, secret, watch.standby === undefined ? "Allow as much again" : "Try again")}
    <details>
      <summary>Say that the work is done</summary>
      <p>The watch ends as completed. Its agent is left as it is.</p>
      ${act(`${links.watch(id)}/done`, secret, "It is done")}
    </details>
    <details>
      <summary>Release</summary>
      <p>The watch ends, and nothing is recovered any more. Its agent is left as it is.</p>
      ${act(`${links.watch(id)}/release`, secret, "Release it")}
    </details>
  </section>`
}
