import { type Html, html } from "../Html.ts"
import { looks } from "./Links.ts"
import { documentOf } from "./PageFrame.ts"

/** How a browser came to the door. */
export interface Door {
  /** True if it asks for the same address again by itself. */
  readonly again: boolean
  /** Says how to come in. */
  readonly main: Html
}

const lasting = html`<p class="quiet">Then this address works for up to 30 days, while the page runs.</p>`

const linkWith = (how: Html): Html =>
  html`<div class="panel">
    ${how}
    <noscript>
      <p>Without JavaScript no link leads on by itself. Open the list by that link, and search there.</p>
    </noscript>
    ${lasting}
  </div>`

/** Says how to come in on this machine. */
export const linkFromHere = linkWith(
  html`<p>Type <code>souffleur page --open</code> in a terminal. It opens the link that lets this browser in.</p>`
)

/** Says how to come in by the address from elsewhere. */
export const linkFromElsewhere = linkWith(
  html`<p>
    Type <code>souffleur page</code> where your agents run. Open its link “from elsewhere” in this browser, once.
  </p>`
)

/** Asks for the token of a hub. `refused`: whether the hub did not know the one before. */
export const tokenForm = (refused: boolean): Html =>
  html`<form class="panel" method="post" action="/">
    ${refused && html`<p role="alert">The hub does not know this token, or has revoked it.</p>`}
    <label for="token">The token that souffleur hub printed for you</label>
    <div class="field">
      <input id="token" name="token" type="password" required autocomplete="off" maxlength="200" />
      <button>Enter</button>
    </div>
    <p class="quiet">It lets this browser in for up to 30 days, until it is revoked.</p>
  </form>`

/** Returns the page for a browser that is not let in. It says how to come in, and nothing of this machine. */
export const doorPage = ({ again, main }: Door): Html =>
  documentOf({
    title: "souffleur",
    script: looks.door,
    more: again && html`<meta http-equiv="refresh" content="0" />`,
    body: html`<header class="top"><span class="brand">souffleur</span></header>
      <main>
        <h1>This browser is not let in yet</h1>
        ${main}
      </main>`
  })
