import { type Html, html } from "../Html.ts"
import { looks } from "./Links.ts"

/** How a browser came to the door. */
export interface Door {
  /** True if it asks for the same address again by itself. */
  readonly again: boolean
  /** True if it came by the address from elsewhere. */
  readonly elsewhere: boolean
}

/** Returns the page for a browser that is not let in. It says how to come in, and nothing of this machine. */
export const doorPage = ({ again, elsewhere }: Door): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${again && html`<meta http-equiv="refresh" content="0" />`}
        <title>souffleur</title>
        <link rel="stylesheet" href="${looks.style}" />
        <link rel="icon" href="${looks.icon}" />
        <script type="module" src="${looks.door}"></script>
      </head>
      <body>
        <header class="top"><span class="brand">souffleur</span></header>
        <main>
          <h1>This browser is not let in yet</h1>
          <div class="panel">
            ${
              elsewhere
                ? html`<p>
                    Type <code>souffleur page</code> where your agents run. Open its link “from elsewhere” in this
                    browser, once.
                  </p>`
                : html`<p>
                    Type <code>souffleur page --open</code> in a terminal. It opens the link that lets this browser in.
                  </p>`
            }
            <noscript>
              <p>Without JavaScript no link leads on by itself. Open the list by that link, and search there.</p>
            </noscript>
            <p class="quiet">Then this address works for up to 30 days, while the page runs.</p>
          </div>
        </main>
      </body>
    </html> `
