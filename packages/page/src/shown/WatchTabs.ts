import type { NamedWatch } from "@souffleur/embed"
import { type Html, html } from "../Html.ts"
import type { JobLinks } from "../view/Links.ts"
import { jobHead } from "../view/WatchPage.ts"

/** The views of a watch, by the end of their address. */
const views = { "": "Overview", conversation: "Conversation", changes: "Changes" } as const

/** The address of a view of a watch. */
export const viewAddress = (links: JobLinks, id: string, view: keyof typeof views): string =>
  view === "" ? links.watch(id) : `${links.watch(id)}/${view}`

/** Returns the head of a watch, with links to its views. */
export const watchHead = ({ id, watch }: NamedWatch, here: keyof typeof views, links: JobLinks): Html => {
  const link = html`<a class="button" href="${links.watch(id)}/export" download>Download the last export</a>`
  return html`${jobHead({ id, where: watch.project, link: watch.lastExport === null ? null : link }, links)}
    <nav class="tabs" aria-label="Views of ${id}">
      ${(["", "conversation", "changes"] as const).map((view) => {
        const address = `${viewAddress(links, id, view)}${view === "conversation" ? "#end" : ""}`
        // A command says nothing to anybody.
        if (view === "conversation" && watch.kind === "command") return null
        return view === here
          ? html`<a href="${address}" aria-current="page">${views[view]}</a>`
          : html`<a href="${address}">${views[view]}</a>`
      })}
    </nav>`
}
