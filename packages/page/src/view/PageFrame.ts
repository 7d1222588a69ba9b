import { type Html, html } from "../Html.ts"
import { type FrameLinks, looks } from "./Links.ts"

/** A page within its frame. `live`: the address of its feed; `null`: nothing of it moves. */
export interface Framed {
  readonly title: string
  readonly live: string | null
  readonly main: Html
  /** How many of what it shows need a person. Absent: none. */
  readonly needs?: number
}

/** The parts of a document that pages do not share. */
interface Document {
  readonly title: string
  readonly script: string
  readonly needs?: number
  /** Another element of its head; `false`: none. */
  readonly more?: Html | false
  readonly body: Html
}

/** Returns a whole document, with the looks of every page. */
export const documentOf = ({ body, more = false, needs = 0, script, title }: Document): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${more}
        <title>${needs > 0 && `(${needs}) `}${title}</title>
        <link rel="stylesheet" href="${looks.style}" />
        <link rel="icon" href="${needs > 0 ? looks.needed : looks.icon}" />
        <script type="module" src="${script}"></script>
      </head>
      <body>
        ${body}
      </body>
    </html> `

/** Returns a whole page. Without JavaScript it shows the same, and says that it does not move. */
export const pageFrame = ({ live, main, needs = 0, title }: Framed, links: FrameLinks): Html =>
  documentOf({
    title,
    script: looks.script,
    needs,
    body: html`<a class="skip" href="#main">Skip to content</a>
      <header class="top">
        <nav aria-label="souffleur">
          <a class="brand" href="${links.list}">souffleur</a>
          ${links.report !== null && html`<a href="${links.report}">Report</a>`}
        </nav>
        ${live !== null && html`<p id="link" role="status" data-live="${live}"><noscript>Reload to see what is new.</noscript></p>`}
      </header>
      <main id="main" tabindex="-1">${main}</main>`
  })
