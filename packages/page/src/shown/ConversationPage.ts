import type { ConversationPart } from "@souffleur/embed"
import { type Html, html } from "../Html.ts"
import type { Seen } from "../view/Seen.ts"
import { saidItems } from "./SaidItems.ts"

/** A part of a conversation, as its page shows it. */
export interface ShownConversation {
  readonly part: ConversationPart
  /** The address of the conversation. */
  readonly address: string
  /** The folder of the watch. */
  readonly project: string
  /** True if it is an earlier part than the newest one. */
  readonly past: boolean
}

/** The line where a session begins. */
export const sessionBegins = ({ session, sessions }: ConversationPart): Html =>
  html`<li id="s${session}-begins" class="boundary">
    <span
      >${sessions.length === 1 ? "The session begins" : `Session ${session + 1} of ${sessions.length} begins`}
      <code>${sessions[session] ?? ""}</code></span
    >
  </li>`

/** The line where a reader was too far behind. */
export const partIsLeftOut = ({ from, session }: ConversationPart): Html =>
  html`<li id="s${session}-${from}-left" class="boundary">
    <span>Some of it is left out here: reload, and go to “Earlier”</span>
  </li>`

/** Returns the links to the sessions of the watch. */
const sessionLinks = ({ address, part: { session, sessions } }: ShownConversation): Html | null => {
  if (sessions.length < 2) return null
  const to = (at: number, words: string) => html`<a href="${address}?session=${at + 1}#end">${words}</a>`
  return html`<nav class="steps" aria-label="Sessions">
    ${session > 0 && to(session - 1, "Earlier session")} <span>Session ${session + 1} of ${sessions.length}</span>
    ${session + 1 < sessions.length && to(session + 1, "Later session")}
  </nav>`
}

/** Returns a part of a conversation, with links to the parts around it. */
export const conversationPart = (shown: ShownConversation, seen: Seen): Html => {
  const { address, part, past, project } = shown
  const { from, records, session, sessions } = part
  const here = `${address}?session=${session + 1}`
  return html`<section class="panel" aria-labelledby="said-title">
    <div class="head">
      <h2 id="said-title">Conversation</h2>
      ${sessionLinks(shown)}
    </div>
    ${from > 0 && html`<nav class="pages" aria-label="Earlier parts"><a href="${here}&before=${from}#end">Earlier</a></nav>`}
    <div role="log" aria-labelledby="said-title">
      <ol id="said" class="saids">
        ${from === 0 && sessionBegins(part)} ${saidItems(part, project, seen)}
      </ol>
    </div>
    ${records.length === 0 && html`<p class="quiet">Nothing is said in this part.</p>`}
    <nav id="end" class="pages" aria-label="Later parts">
      ${past ? html`<a href="${here}#end">Newest</a>` : html`<span class="quiet">${session + 1 < sessions.length ? "The session ends here." : "This is the newest."}</span>`}
    </nav>
  </section>`
}

/** Says that there is no conversation to show. */
export const noConversation = (why: string): Html =>
  html`<section class="panel" aria-labelledby="said-title">
    <h2 id="said-title">Conversation</h2>
    <p class="quiet">${why}</p>
  </section>`
