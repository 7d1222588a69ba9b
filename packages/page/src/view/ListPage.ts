import { type Job, type JobCounts, summaryOf } from "@souffleur/embed"
import { type Html, html } from "../Html.ts"
import { timeTag } from "./Facts.ts"
import type { Links } from "./Links.ts"
import type { Seen } from "./Seen.ts"
import { stateBadge } from "./StateBadge.ts"

/** Watches and runs on one page. */
export const jobsOnPage = 50

/** The part of all watches and runs that a page shows. */
export interface JobPage {
  /** The most urgent first. */
  readonly jobs: ReadonlyArray<Job>
  /** The number of all that were found. */
  readonly found: number
  /** The numbers of all that have not ended, by their words. */
  readonly counts: JobCounts
  /** Is 1 for the first page. */
  readonly page: number
  readonly search: string
}

const row = ({ at, id, kind, need, project, standing, state }: Job, links: Links, seen: Seen): Html =>
  html` <li class="job" data-state="${state}">
    <div class="job-state">${stateBadge(state)}</div>
    <div class="job-name">
      <a href="${kind === "watch" ? links.watch(id) : links.run(id)}">${id}</a>
      ${kind === "run" && html`<span class="kind">plan</span>`}
    </div>
    <p class="job-standing">${need === null ? standing : need.why}</p>
    ${need !== null && html`<p class="job-next">Next: <code>${need.next}</code></p>`}
    <p class="job-where" title="${project}">${project}</p>
    <p class="job-when">${timeTag(at, seen)}</p>
  </li>`

/** Returns the address of a page of the list. */
const addressOf = (links: Links, search: string, page: number) =>
  `${links.list}?${new URLSearchParams({ ...(search === "" ? {} : { q: search }), page: String(page) })}`

const pages = ({ found, page, search }: JobPage, links: Links): Html | null => {
  const last = Math.max(1, Math.ceil(found / jobsOnPage))
  if (last === 1) return null
  return html`<nav class="pages" aria-label="Pages">
    ${page > 1 && html`<a rel="prev" href="${addressOf(links, search, page - 1)}">Newer</a>`}
    <span>Page ${page} of ${last}</span>
    ${page < last && html`<a rel="next" href="${addressOf(links, search, page + 1)}">Older</a>`}
  </nav>`
}

/** Returns the part of the list that moves. */
export const jobRows = (shown: JobPage, links: Links, seen: Seen): Html =>
  html`<div id="jobs">
    <p class="summary" role="status">${summaryOf(shown.counts)}</p>
    ${
      shown.jobs.length === 0
        ? html`<p class="empty">
            ${
              shown.search === ""
                ? html`Start an agent, and it is here: <code>souffleur run -- AGENT "do it"</code>`
                : html`Nothing is called “${shown.search}”.`
            }
          </p>`
        : html`<ul class="jobs">
            ${shown.jobs.map((job) => row(job, links, seen))}
          </ul>`
    }
    ${pages(shown, links)}
  </div>`

/** Returns the list of all watches and runs, with its search. */
export const jobList = (shown: JobPage, links: Links, seen: Seen): Html =>
  html` <div class="head">
      <h1>Watches and runs</h1>
      <form class="search" role="search" action="${links.list}" method="get">
        <label for="q">Search by name or folder</label>
        <div class="field">
          <input id="q" name="q" type="search" value="${shown.search}" maxlength="200" autocomplete="off" />
          <button>Search</button>
        </div>
      </form>
    </div>
    ${jobRows(shown, links, seen)}`
