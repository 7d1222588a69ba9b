import { Words } from "@souffleur/domain"
import {
  leadLines,
  leadOf,
  maxLooks,
  type Report,
  type ReportLead,
  type RunPart,
  summaryLines,
  taskInWords,
  waitLabel,
  type WatchPart,
  watchMarks,
  type WorkItem
} from "@souffleur/embed"
import { type Html, html } from "../Html.ts"
import { factList, timeTag } from "./Facts.ts"
import type { Links } from "./Links.ts"
import type { Seen } from "./Seen.ts"
import { stateBadge } from "./StateBadge.ts"
import { watchDrawing } from "./WatchDrawing.ts"

/** How a report is shown. */
interface Shown {
  readonly report: Report
  /** The addresses of the page; `null`: it is a file, which leads nowhere. */
  readonly links: Links | null
  readonly seen: Seen
}

const named = (kind: "watch" | "run", id: string, { links }: Shown): Html =>
  links === null ? html`${id}` : html`<a href="${links[kind](id)}">${id}</a>`

/** Returns the name of a watch or a run of the report. */
const nameOf = (id: string, shown: Shown): Html =>
  named(shown.report.runs.some((run) => run.id === id) ? "run" : "watch", id, shown)

const needs = (shown: Shown): Html | null =>
  shown.report.needs.length === 0
    ? null
    : html`<section class="panel" data-state="needs you" aria-labelledby="needs-title">
        <h2 id="needs-title">Needs you</h2>
        <ul class="needs">
          ${shown.report.needs.map(
            ({ id, kind, next, why }) =>
              html`<li>
                <p><strong>${named(kind, id, shown)}</strong> ${why}</p>
                <p class="next">Next: <code>${next}</code></p>
              </li>`
          )}
        </ul>
      </section>`

const looks = (lead: ReportLead, shown: Shown): Html | null =>
  lead.looks.length === 0
    ? null
    : html`<section class="panel" aria-labelledby="looks-title">
        <h2 id="looks-title">Look at first</h2>
        <ul class="needs">
          ${lead.looks.slice(0, maxLooks).map(
            ({ id, next, why }) =>
              html`<li>
                <p><strong>${nameOf(id, shown)}</strong> ${why}</p>
                <p class="next"><code>${next}</code></p>
              </li>`
          )}
        </ul>
      </section>`

const items = (title: string, all: ReadonlyArray<WorkItem>, shown: Shown): Html | null =>
  all.length === 0
    ? null
    : html`<section class="panel">
        <h2>${title}</h2>
        <ul class="marks">
          ${all.map(
            ({ id, standing, task, title }) =>
              html`<li>
                <strong>${nameOf(id, shown)}${task !== null && html` ${task}`}</strong>
                <span>${title !== null && html`<bdi>${title}</bdi>: `}<span class="quiet">${standing}</span></span>
              </li>`
          )}
        </ul>
      </section>`

/** Returns the deaths by their cause, and the waits by their kind. */
const counts = ({ report: { deaths, waits } }: Shown): Html | null =>
  deaths.length + waits.length === 0
    ? null
    : html`<section class="panel" aria-labelledby="counts-title">
        <h2 id="counts-title">Deaths and waits</h2>
        ${factList([
          ...deaths.map(({ count, message }) => [`Died: ${message}`, Words.many(count, "time")] as const),
          ...waits.map(({ kind, millis }) => [`Waited: ${waitLabel(kind)}`, Words.duration(millis)] as const)
        ])}
      </section>`

const head = (
  kind: "watch" | "run",
  { held, id, project, state, title }: (WatchPart | RunPart) & Partial<Pick<WatchPart, "title">>,
  shown: Shown
): Html => {
  const need = shown.report.needs.find((one) => one.kind === kind && one.id === id) ?? null
  return html`<div class="head">
      <h2 id="${kind}-${id}">${named(kind, id, shown)}</h2>
      ${stateBadge({ held, need, state })}
    </div>
    ${title !== null && title !== undefined && html`<p><bdi>${title}</bdi></p>`}
    <p class="quiet">${project}</p>`
}

const watch = (part: WatchPart, shown: Shown): Html => {
  const { report, seen } = shown
  return html`<section class="panel" aria-labelledby="watch-${part.id}">
    ${head("watch", part, shown)}
    <p>
      ${part.standing}. Watched for ${Words.duration(part.watched)},
      ${Words.many(part.generations.length, "generation")}.
    </p>
    ${watchDrawing(part.timeline, null, seen)}
    <ul class="marks">
      ${watchMarks(part, report.until).map(({ at, text }) => html`<li>${timeTag(at, seen)} <span>${text}</span></li>`)}
    </ul>
  </section>`
}

const run = (part: RunPart, shown: Shown): Html =>
  html`<section class="panel" aria-labelledby="run-${part.id}">
    ${head("run", part, shown)}
    <p>
      ${part.standing}. ${Words.many(part.completed, "task")} completed, ${Words.many(part.commits.length, "commit")}.
    </p>
    <ul class="marks">
      ${part.timeline.questions.map((question) => html`<li><span>asked of the plan: ${question}</span></li>`)}
      ${part.tasks.map(
        (task) =>
          html`<li>
              <strong>${task.id}</strong>
              <span>${task.title}: <span class="quiet">${taskInWords(task, shown.report.until)}</span></span>
            </li>
            ${task.minor.map((finding) => html`<li><span class="quiet">minor: ${finding}</span></li>`)}`
      )}
    </ul>
  </section>`

/** Returns a report, with the need of a person first. */
export const reportPage = (shown: Shown): Html => {
  const { report, seen } = shown
  const lead = leadOf(report)
  return html`<div>
      <h1>Report of ${Words.day(report.until, seen.zone)}</h1>
      <p class="quiet">From ${timeTag(report.since, seen)} to ${timeTag(report.until, seen)}</p>
    </div>
    <section class="panel" aria-labelledby="summary-title">
      <h2 id="summary-title" class="unseen">In short</h2>
      ${factList(leadLines(report, lead))} ${summaryLines(report).map((line) => html`<p>${line}</p>`)}
    </section>
    ${needs(shown)} ${looks(lead, shown)} ${items("Not done", lead.undone, shown)} ${items("Done", lead.done, shown)}
    ${counts(shown)} ${report.watches.map((part) => watch(part, shown))} ${report.runs.map((part) => run(part, shown))}`
}
