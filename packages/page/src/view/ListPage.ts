import { type Job, type JobCounts, jobFacts, jobWord, summaryOf } from "@souffleur/embed"
import { type Html, html } from "../Html.ts"
import { timeTag } from "./Facts.ts"
import type { FrameLinks, Links } from "./Links.ts"
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

/** How a list shows a job besides its state, its folder and its time. */
export interface JobLook {
  /** Its name, with a link where it has a page. */
  readonly name: Html
  /** What it is called; absent: as its name. */
  readonly title?: string | null
  /** Its host, in a list of several. */
  readonly host?: Html
  readonly standing: string
  /** The command to type next, and where; `null`: none. */
  readonly next: Html | null
}

/** Returns the row of a job. */
export const jobRow = (
  job: Pick<Job, "agent" | "at" | "kind" | "need" | "project" | "state"> & { readonly held?: boolean },
  { host, name, next, standing, title = null }: JobLook,
  seen: Seen
): Html => {
  const { agent, at, kind, project } = job
  const by = [kind === "run" ? "plan" : null, agent].filter((one) => one !== null).join(" · ")
  return html` <li class="job" data-state="${jobWord(job)}">
    <div class="job-state">${stateBadge(job)}</div>
    <div class="job-name">
      ${name} ${by !== "" && html`<span class="kind">${by}</span>`}
      ${title !== null && html`<bdi class="job-title">${title}</bdi>`}
    </div>
    ${host !== undefined && html`<div class="job-host">${host}</div>`}
    <p class="job-standing">${standing}</p>
    ${next !== null && html`<p class="job-next">${next}</p>`}
    <p class="job-where" title="${project}">${project}</p>
    <p class="job-when">${timeTag(at, seen)}</p>
  </li>`
}

const ownRow = (job: Job, links: Links, seen: Seen): Html => {
  const { id, kind, need, standing, title } = job
  const address = kind === "watch" ? links.watch(id) : links.run(id)
  const look = {
    name: html`<a href="${address}">${id}</a>`,
    title,
    standing: [need === null ? standing : need.why, ...jobFacts(job)].join(" · "),
    next: need === null ? null : html`Next: <code>${need.next}</code>`
  }
  return jobRow(job, look, seen)
}

/** Returns the address of a page of the list. */
const addressOf = (links: FrameLinks, search: string, page: number) =>
  `${links.list}?${new URLSearchParams({ ...(search === "" ? {} : { q: search }), page: String(page) })}`

/** The numbers of a part of a list. */
export type Paged = Pick<JobPage, "found" | "page" | "search">

/** Returns the links to the parts of a list before and after this one; `null`: there is one part. */
export const pageLinks = ({ found, page, search }: Paged, links: FrameLinks): Html | null => {
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
            ${shown.jobs.map((job) => ownRow(job, links, seen))}
          </ul>`
    }
    ${pageLinks(shown, links)}
  </div>`

/** The words over a list. `by`: how its search finds. */
export interface ListWords {
  readonly title: string
  readonly by: string
  readonly search: string
}

/** Returns the head of a list, with its search. */
export const listHead = ({ by, search, title }: ListWords, links: FrameLinks): Html =>
  html` <div class="head">
    <h1>${title}</h1>
    <form class="search" role="search" action="${links.list}" method="get">
      <label for="q">${by}</label>
      <div class="field">
        <input id="q" name="q" type="search" value="${search}" maxlength="200" autocomplete="off" />
        <button>Search</button>
      </div>
    </form>
  </div>`

/** Returns the list of all watches and runs, with its search. */
export const jobList = (shown: JobPage, links: Links, seen: Seen): Html =>
  html`${listHead({ title: "Watches and runs", by: "Search by name or folder", search: shown.search }, links)}
  ${jobRows(shown, links, seen)}`
