import { Words } from "@souffleur/domain"
import { type Job, type JobCounts, jobFacts, jobWord, summaryOf } from "@souffleur/embed"
import { type Html, html } from "../Html.ts"
import { type Column, listColumns, jobWords, type Listing, queryOfListing } from "../Asked.ts"
import { agoTag } from "./Facts.ts"
import type { FrameLinks, Links } from "./Links.ts"
import type { Seen } from "./Seen.ts"
import { stateBadge } from "./StateBadge.ts"

/** Watches and runs on one page. */
export const jobsOnPage = 50

/** The part of all watches and runs that a page shows. */
export interface JobPage {
  readonly jobs: ReadonlyArray<Job>
  /** The number of all that were found. */
  readonly found: number
  /** The numbers of all that have not ended, by their words. */
  readonly counts: JobCounts
  /** The agents by which the list can be filtered. */
  readonly agents: ReadonlyArray<string>
  /** Ended ones that are too old to be sorted. */
  readonly left: number
  readonly listing: Listing
}

/** How a list shows a job besides its state, its folder and its time. */
export interface JobLook {
  /** Its name, with a link where it has a page. */
  readonly name: Html
  /** What it is called; absent: as its name. */
  readonly title?: string | null
  /** Its folder with a link; absent: without one. */
  readonly where?: Html
  /** Its host, in a list of several. */
  readonly host?: Html
  readonly standing: string
  /** The command to type next, and where; `null`: none. */
  readonly next: Html | null
}

/** Returns the row of a job. */
export const jobRow = (
  job: Pick<Job, "agent" | "at" | "kind" | "need" | "project" | "state"> & { readonly held?: boolean },
  { host, name, next, standing, title = null, where }: JobLook,
  seen: Seen
): Html => {
  const { agent, at, kind, project } = job
  const by = [kind === "run" ? "plan" : null, agent].filter((one) => one !== null).join(" · ")
  return html` <tr role="row" class="job" data-state="${jobWord(job)}">
    <td role="cell" class="job-state">${stateBadge(job)}</td>
    <td role="cell" class="job-name">${name} ${title !== null && html`<bdi class="job-title">${title}</bdi>`}</td>
    ${host !== undefined && html`<td role="cell" class="job-host">${host}</td>`}
    <td role="cell" class="job-agent">${by !== "" && html`<span class="kind">${by}</span>`}</td>
    <td role="cell" class="job-where" title="${project}">${where ?? project}</td>
    <td role="cell" class="job-standing">
      <p>${standing}</p>
      ${next !== null && html`<p class="job-next">${next}</p>`}
    </td>
    <td role="cell" class="job-when">${agoTag(at, seen)}</td>
  </tr>`
}

/** A head of a column: its name, or a link that sorts by it. */
export interface ColumnHead {
  readonly name: Html | string
  /** Absent: the list is not sorted by it. */
  readonly sorted?: "ascending" | "descending" | undefined
}

/** Returns a table of jobs. Its roles hold also where a narrow window shows each row as a block. */
export const jobTable = (heads: ReadonlyArray<ColumnHead>, rows: ReadonlyArray<Html>, hosted = false): Html =>
  html`<table role="table" class="${hosted ? "jobs hosted" : "jobs"}" aria-label="Watches and runs">
    <thead role="rowgroup">
      <tr role="row" class="job-head">
        ${heads.map(({ name, sorted }) =>
          sorted === undefined
            ? html`<th role="columnheader" scope="col">${name}</th>`
            : html`<th role="columnheader" scope="col" aria-sort="${sorted}">${name}</th>`
        )}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows}
    </tbody>
  </table>`

/** The name of each column, and whether its newest or largest comes first by itself. */
const named: Readonly<Record<Column, readonly [name: string, downward: boolean]>> = {
  state: ["State", false],
  name: ["Name", false],
  agent: ["Agent", false],
  folder: ["Folder", false],
  when: ["Last event", true]
}

const listAddress = (links: FrameLinks, listing: Listing, change: Partial<Listing>): string =>
  `${links.list}${queryOfListing({ ...listing, page: 1, ...change })}`

/** Returns the heads of the columns, each with the link that sorts by it, or the other way round. */
const ownHeads = (listing: Listing, links: FrameLinks): ReadonlyArray<ColumnHead> => {
  const heads = listColumns.map((column): ColumnHead => {
    const [name, downward] = named[column]
    const isSorted = listing.sort === column
    const reversed = isSorted ? !listing.reversed : downward
    return {
      name: html`<a href="${listAddress(links, listing, { sort: column, reversed })}"
        >${name}${isSorted && html`<span aria-hidden="true"> ${listing.reversed ? "↓" : "↑"}</span>`}</a
      >`,
      sorted: isSorted ? (listing.reversed ? "descending" : "ascending") : undefined
    }
  })
  return [...heads.slice(0, -1), { name: "Now" }, heads.at(-1)!]
}

/** Returns the end of a path, which tells folders apart. */
const endOf = (path: string): string => path.split("/").slice(-2).join("/")

const ownRow = (
  job: Job,
  { links, listing, seen }: { readonly links: Links; readonly listing: Listing; readonly seen: Seen }
): Html => {
  const { id, kind, need, project, standing, title } = job
  const address = kind === "watch" ? links.watch(id) : links.run(id)
  const look = {
    name: html`<a href="${address}">${id}</a>`,
    title,
    where: html`<a href="${listAddress(links, listing, { project })}" aria-label="Only ${project}"
      >${endOf(project)}</a
    >`,
    standing: [need === null ? standing : need.why, ...jobFacts(job)].join(" · "),
    next: need === null ? null : html`Next: <code>${need.next}</code>`
  }
  return jobRow(job, look, seen)
}

/** The numbers of a part of a list. */
export interface Paged {
  readonly found: number
  /** Is 1 for the first page. */
  readonly page: number
}

/** Returns the links to the parts of a list before and after this one; `null`: there is one part. */
export const pageLinks = ({ found, page }: Paged, addressOf: (page: number) => string): Html | null => {
  const last = Math.max(1, Math.ceil(found / jobsOnPage))
  if (last === 1) return null
  return html`<nav class="pages" aria-label="Pages">
    ${page > 1 && html`<a rel="prev" href="${addressOf(page - 1)}">Newer</a>`}
    <span>Page ${page} of ${last}</span>
    ${page < last && html`<a rel="next" href="${addressOf(page + 1)}">Older</a>`}
  </nav>`
}

/** Says what the list leaves out, with a link to all of it. */
const filterLine = ({ listing }: JobPage, links: Links): Html | false => {
  const { agent, project, search, state } = listing
  const only = [state, agent, project].filter((one) => one !== "")
  if (only.length === 0) return false
  const all = listAddress(links, listing, { state: "", agent: "", project: "" })
  return html`<p class="hint only">
    Only ${only.map((one) => html`<code>${one}</code> `)}<a href="${all}"
      >${search === "" ? "Show all" : "Show all that are found"}</a
    >
  </p>`
}

const emptyWords = ({ agent, project, search, state }: Listing): Html =>
  `${agent}${project}${search}${state}` === ""
    ? html`Start an agent, and it is here: <code>souffleur run -- AGENT "do it"</code>`
    : search === ""
      ? html`Nothing is so.`
      : html`Nothing is called “${search}”.`

/** Returns the part of the list that moves. */
export const jobRows = (shown: JobPage, links: Links, seen: Seen): Html => {
  const { counts, found, jobs, left, listing } = shown
  return html`<div id="jobs" data-needs="${counts["needs you"]}">
    <p class="summary" role="status">${summaryOf(counts)}</p>
    ${filterLine(shown, links)}
    ${
      jobs.length === 0
        ? html`<p class="empty">${emptyWords(listing)}</p>`
        : jobTable(
            ownHeads(listing, links),
            jobs.map((job) => ownRow(job, { links, listing, seen }))
          )
    }
    ${left > 0 && html`<p class="hint quiet">${Words.count(left)} older ones that ended are left out.</p>`}
    ${pageLinks({ found, page: listing.page }, (page) => listAddress(links, listing, { page }))}
  </div>`
}

/** The words over a list. `by`: how its search finds. */
export interface ListWords {
  readonly title: string
  readonly by: string
  readonly search: string
  /** Further fields of its search. */
  readonly fields?: Html
}

/** Returns the head of a list, with its search. */
export const listHead = ({ by, fields, search, title }: ListWords, links: FrameLinks): Html =>
  html` <div class="head">
    <h1>${title}</h1>
    <form class="search" role="search" action="${links.list}" method="get">
      ${fields ?? null}
      <div class="sought">
        <label for="q">${by}</label>
        <div class="field">
          <input id="q" name="q" type="search" value="${search}" maxlength="200" autocomplete="off" />
          <button>Search</button>
        </div>
      </div>
    </form>
  </div>`

interface Choice {
  readonly name: string
  readonly label: string
  readonly chosen: string
  readonly words: ReadonlyArray<string>
}

const choice = ({ chosen, label, name, words }: Choice): Html =>
  html`<div>
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}">
      <option value="">Any</option>
      ${words.map((word) => (word === chosen ? html`<option selected>${word}</option>` : html`<option>${word}</option>`))}
    </select>
  </div>`

/** Returns the list of all watches and runs, with its search. */
export const jobList = (shown: JobPage, links: Links, seen: Seen): Html => {
  const { agents, listing } = shown
  const { agent, project, reversed, search, sort, state } = listing
  const known = agent === "" || agents.includes(agent) ? agents : [...agents, agent]
  const kept = { folder: project, sort: `${reversed ? "-" : ""}${sort}` }
  const fields = html`${Object.entries(kept).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
  ${choice({ name: "state", label: "State", chosen: state, words: jobWords })}
  ${choice({ name: "agent", label: "Agent", chosen: agent, words: known })}`
  return html`${listHead({ title: "Watches and runs", by: "Search by name or folder", search, fields }, links)}
  ${jobRows(shown, links, seen)}`
}
