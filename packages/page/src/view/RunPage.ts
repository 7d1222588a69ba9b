import { Words } from "@souffleur/domain"
import { runReasonsOf, type PlanStatus, type RunTimeline, runTimeline } from "@souffleur/embed"
import type { RecordedAs } from "@souffleur/eventlog"
import { describeRunEvent, type Run, type RunEvent } from "@souffleur/plan"
import { type Html, html } from "../Html.ts"
import { eventItem, type EventView } from "./EventItems.ts"
import { type Fact, factList, timeTag } from "./Facts.ts"
import type { JobLinks } from "./Links.ts"
import { answerForm } from "./RunAnswers.ts"
import type { Seen } from "./Seen.ts"
import { statePanel } from "./StateBadge.ts"
import { eventsOnPage } from "./WatchPage.ts"
import type { MovingPart } from "../LiveFeed.ts"

type Events = ReadonlyArray<RecordedAs<RunEvent>>
type Agents = RunTimeline["finishing"]

/** A run as its page shows it. */
export interface ShownRun {
  readonly id: string
  /** Its name, and what else never moves. */
  readonly head: Html
  /** The parts that move without an event. */
  readonly moving: ReadonlyArray<MovingPart>
  readonly events: Events
}

/** Describes the events of a run, and explains its decisions. */
export const runView = (id: string, events: Events, links: JobLinks, { zone }: Seen): EventView<RunEvent> => ({
  describe: (event) => describeRunEvent(event, zone),
  reasons: new Map(runReasonsOf(events, zone).map((reason) => [reason.recorded.revision, reason])),
  at: (revision) => `${links.run(id)}#e${revision}`
})

/** Returns the facts that the log alone knows. */
export const loggedRunFacts = ({ assignments, tasks }: Run): ReadonlyArray<Fact | null> => [
  ["Tasks complete", `${tasks.filter((task) => task.status === "completed").length} of ${tasks.length}`],
  ...assignments.map(({ attempt, role, taskId }): Fact => [
    "At work",
    `${role}${taskId === null ? "" : ` of ${taskId}`}, attempt ${attempt}`
  ])
]

/** Returns the facts of a run as it is now, with a look at its processes. */
const presentRunFacts = ({ agents, beatAge, owner, run }: PlanStatus, seen: Seen): ReadonlyArray<Fact | null> => [
  ...loggedRunFacts(run),
  ...agents.flatMap(({ age, assignment: { launch, taskId }, condition, doing, output }): ReadonlyArray<Fact | null> => {
    const of = agents.length === 1 || taskId === null ? "" : ` of ${taskId}`
    return [
      launch === null
        ? null
        : [
            `Agent${of}`,
            `pid ${launch.process.pid}, ${condition ?? "unknown"}${age === null ? "" : `, for ${Words.duration(age)}`}`
          ],
      doing === null ? null : [`Doing${of}`, doing],
      output === null ? null : [`Output of the agent${of}`, html`<code>${output}</code>`]
    ]
  }),
  run.owner === null
    ? null
    : [
        "souffleur",
        `pid ${run.owner.process.pid}, ${owner ?? "unknown"}${beatAge === null ? "" : `, last beat ${Words.duration(beatAge)} ago`}`
      ],
  ["Last event", timeTag(run.lastEventAt, seen)]
]

/** Returns the state of a run of this host now. */
export const runStatePart = (status: PlanStatus, seen: Seen): Html => {
  const { need, needs, standing } = status
  return statePanel({
    job: status,
    words: need === null ? standing : need.why,
    lines: [
      ...needs.map((line) => html`<p class="next">${line}</p>`),
      need !== null && needs.length === 0 && html`<p class="next">Next: <code>${need.next}</code></p>`
    ],
    facts: factList(presentRunFacts(status, seen))
  })
}

const commitsOf = (commits: ReadonlyArray<string>): Html | false =>
  commits.length > 0 &&
  html`<span class="quiet">
    ${Words.many(commits.length, "commit")}: ${commits.map((commit) => html`<code>${commit.slice(0, 10)}</code> `)}
  </span>`

/** Returns the agents of a task, with what each said at its end. */
const agentList = (agents: Agents, seen: Seen): Html | false =>
  agents.length > 0 &&
  html`<ol class="agents">
    ${agents.map(
      ({ attempt, commits, from, outcome, role, to, words }) =>
        html`<li>
          ${role}, attempt ${attempt}: <strong>${outcome ?? (to === null ? "at work" : "ended")}</strong>,
          ${timeTag(from, seen)}, ${Words.duration((to ?? seen.now) - from)} ${commitsOf(commits)}
          ${words !== null && html`<p class="quiet">${words}</p>`}
        </li>`
    )}
  </ol>`

/** A run whose tasks are shown. */
interface ShownTasks extends Pick<PlanStatus, "id" | "run"> {
  readonly events: Events
  /** The secret of its forms; `null`: it takes no word. */
  readonly secret: string | null
}

/** Returns the tasks with their attempts, feedback and commits. */
export const tasksPart = ({ events, id, run, secret }: ShownTasks, links: JobLinks, seen: Seen): Html => {
  const { finishing, tasks } = runTimeline(events, seen.now)
  return html`<section id="tasks" class="panel" aria-labelledby="tasks-title">
    <h2 id="tasks-title">Tasks</h2>
    <ol class="tasks">
      ${tasks.map(
        (task) =>
          html`<li>
            <p>
              <strong>${task.id}</strong> ${task.title}
              <span class="quiet">
                ${task.outcome ?? (task.from === null ? "not begun" : "under way")}${task.outcome === "completed" && (task.verified ? ", verified" : ", unverified")}${task.from !== null && `, ${Words.duration((task.to ?? seen.now) - task.from)}`}
              </span>
            </p>
            ${agentList(task.agents, seen)}
            ${task.outcome === "escalated" && answerForm({ address: links.run(id), secret, task: task.id })}
          </li>`
      )}
      ${
        run.finishing !== "none" &&
        run.finishing !== "not begun" &&
        html`<li>
          <p><strong>Finishing step</strong> <span class="quiet">${run.finishing}</span></p>
          ${agentList(finishing, seen)}
          ${run.finishingFailure !== null && answerForm({ address: links.run(id), secret, task: null })}
        </li>`
      }
    </ol>
  </section>`
}

/** Returns the page of one run. */
export const runPage = ({ events, head, id, moving }: ShownRun, links: JobLinks, seen: Seen): Html => {
  const view = runView(id, events, links, seen)
  const newest = events.slice(-eventsOnPage).toReversed()
  return html`${head} ${moving.map(({ data }) => data)}
    <section class="panel" aria-labelledby="events-title">
      <h2 id="events-title">What happened</h2>
      <ol id="events" class="events">
        ${newest.map((one) => eventItem(one, view, seen))}
      </ol>
      ${
        events.length > newest.length &&
        html`<p class="quiet">The newest ${newest.length} of ${events.length} events.</p>`
      }
    </section>`
}
