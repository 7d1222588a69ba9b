import { isOwnCommand, Words } from "@souffleur/domain"
import { type JobCounts, summaryOf } from "@souffleur/embed"
import {
  type FleetHost,
  type FoundJobs,
  newestLogs,
  saidGoodbye,
  type SeenJob,
  silenceOf,
  troubleOf
} from "@souffleur/fleet"
import { type Asked, queryOfPart } from "../Asked.ts"
import { type Html, html } from "../Html.ts"
import { type FrameLinks, jobsUnder } from "../view/Links.ts"
import { jobRow, jobTable, listHead, pageLinks } from "../view/ListPage.ts"
import type { Seen } from "../view/Seen.ts"

/** Hosts that are named for what is wrong with them. */
const maxNamed = 20

/** A part of the jobs of a fleet, with its hosts. */
export interface FleetPart extends FoundJobs, Asked {
  readonly counts: JobCounts
  readonly hosts: ReadonlyArray<FleetHost>
}

/** The heads of its columns. It is in one order alone. */
const heads = ["State", "Name", "Host", "Agent", "Folder", "Now", "Last event"].map((name) => ({ name }))

const row = (job: SeenJob, links: FrameLinks, seen: Seen): Html => {
  const { run, watch } = jobsUnder(`${links.list}${job.log}`)
  const address = job.kind === "watch" ? watch(job.id) : run(job.id)
  const silence = silenceOf(job)
  const words = job.need === null ? job.standing : job.need.why
  const look = {
    name: html`<a href="${address}">${job.id}</a>`,
    title: job.title,
    host: html`${job.host} ${silence !== undefined && html`<span class="trouble">${silence}</span>`}`,
    standing: silence === undefined ? words : `last known: ${words}`,
    // A host may say anything, and no other command of it is told.
    next: job.need !== null && isOwnCommand(job.need.next) ? html`There: <code>${job.need.next}</code>` : null
  }
  return jobRow(job, look, seen)
}

/** Says how many hosts there are, and names those in trouble. */
const hostsPart = (hosts: ReadonlyArray<FleetHost>): Html => {
  const all = newestLogs(hosts)
  const troubled = all.flatMap((host) => {
    // Its jobs say that it is away.
    const trouble = saidGoodbye(host) && !host.forked ? undefined : troubleOf(host)
    return trouble === undefined ? [] : [html`<li><strong>${host.name}</strong> ${trouble}</li>`]
  })
  const count = `${Words.count(all.length)} ${all.length === 1 ? "host" : "hosts"}`
  const more = troubled.length - maxNamed
  return html`<p class="summary">
      ${count}${troubled.length > 0 && `, ${Words.count(troubled.length)} of them in trouble`}
    </p>
    ${
      troubled.length > 0 &&
      html`<ul class="troubled">
        ${troubled.slice(0, maxNamed)} ${more > 0 && html`<li>and ${Words.count(more)} more</li>`}
      </ul>`
    }`
}

/** Returns the part of the list that moves. */
export const fleetPart = (shown: FleetPart, links: FrameLinks, seen: Seen): Html =>
  html`<div id="jobs" data-needs="${shown.counts["needs you"]}">
    <p class="summary" role="status">${summaryOf(shown.counts)}</p>
    ${hostsPart(shown.hosts)}
    ${
      shown.jobs.length === 0
        ? html`<p class="empty">
            ${
              shown.search === ""
                ? html`No host has a watch or a run. <code>souffleur hub enrol NAME</code> adds a host.`
                : html`Nothing is called “${shown.search}”.`
            }
          </p>`
        : jobTable(
            heads,
            shown.jobs.map((job) => row(job, links, seen)),
            true
          )
    }
    ${pageLinks(shown, (page: number) => `${links.list}${queryOfPart({ page, search: shown.search })}`)}
  </div>`

/** Returns the list of all watches and runs of a fleet, with its search. */
export const fleetList = (shown: FleetPart, links: FrameLinks, seen: Seen): Html =>
  html`${listHead({ title: "Fleet", by: "Search by host, name, title or folder", search: shown.search }, links)}
  ${fleetPart(shown, links, seen)}`
