import { Words } from "@souffleur/domain"
import { runReasonsOf, type PlanStatus, type RunTimeline, runTimeline } from "@souffleur/embed"
import type { RecordedAs } from "@souffleur/eventlog"
import { describeRunEvent, type Run, type RunEvent } from "@souffleur/plan"
import { madeOnce } from "../history/Histories.ts"
import { type Html, html } from "../Html.ts"
import { eventItem, type EventView } from "../view/EventItems.ts"
import { type Fact, factList, agoTag } from "../view/Facts.ts"
import type { JobLinks, RunLinks } from "../view/Links.ts"
import { answerForm } from "./RunAnswers.ts"
import type { Seen } from "../view/Seen.ts"
import { type Badge, badge, statePanel } from "../view/StateBadge.ts"
import { stepList, taskItem } from "./TaskItems.ts"
import { eventsOnPage } from "../view/WatchPage.ts"
import type { MovingPart } from "../LiveFeed.ts"

type Events = ReadonlyArray<RecordedAs<RunEvent>>

/** A run as its page shows it. */
export interface ShownRun {
  readonly id: string
  /** Its name, and what else never moves. */
  readonly head: Html
  /** The parts that move without an event. */
  readonly moving: ReadonlyArray<MovingPart>
  readonly events: Events
}

const reasonsIn = madeOnce((events) => {
  const inZones = new Map<Seen["zone"], EventView<RunEvent>["reasons"]>()
  return (zone: Seen["zone"]) => {
    const found =
      inZones.get(zone) ?? new Map(runReasonsOf(events, zone).map((reason) => [reason.recorded.revision, reason]))
    inZones.set(zone, found)
    return found
  }
})

/** Returns what of the timeline of a run does not depend on the time of a look. */
export const workIn: (events: Events) => Pick<RunTimeline, "finishing" | "questions" | "tasks"> = madeOnce((events) =>
  runTimeline(events, 0)
)

/** Describes the events of a run, and explains its decisions. */
export const runView = (id: string, events: Events, links: JobLinks, { zone }: Seen): EventView<RunEvent> => ({
  describe: (event) => describeRunEvent(event, zone),
  reasons: reasonsIn(events)(zone),
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
      output === null ? null : [`Output of the agent${of}`, html`<code title="${output}">${output}</code>`]
    ]
  }),
  run.owner === null
    ? null
    : [
        "Kept by",
        `souffleur, pid ${run.owner.process.pid}, ${owner ?? "unknown"}${beatAge === null ? "" : `, last beat ${Words.duration(beatAge)} ago`}`
      ],
  ["Last event", agoTag(run.lastEventAt, seen)]
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

/** A run whose tasks are shown. */
interface ShownTasks extends Pick<PlanStatus, "id" | "run"> {
  readonly events: Events
  /** The secret of its forms; `null`: it takes no word. */
  readonly secret: string | null
}

/** Returns the tasks with their agents, reviews, gates and commits. */
export const tasksPart = ({ events, run, secret }: ShownTasks, links: RunLinks, seen: Seen): Html => {
  const { finishing, questions, tasks } = workIn(events)
  const answer = (task: string | null) => answerForm({ address: links.run, secret, task })
  return html`<section id="tasks" class="panel" aria-labelledby="tasks-title">
    <h2 id="tasks-title">Tasks</h2>
    ${
      questions.length > 0 &&
      html`<h3>Asked of the plan</h3>
        <ul class="findings">
          ${questions.map((question) => html`<li>${question}</li>`)}
        </ul>`
    }
    <ol class="tasks">
      ${tasks.map((task) =>
        taskItem(task, { answer: task.outcome === "escalated" ? answer(task.id) : null, links, run, seen })
      )}
      ${
        run.finishing !== "none" &&
        run.finishing !== "not begun" &&
        html`<li class="task" id="finishing">
          <div class="task-head">
            ${badge(finishings[run.finishing])}
            <h3>Finishing step</h3>
          </div>
          ${run.finishingFailure !== null && html`<p>${run.finishingFailure}</p>`}
          ${run.finishingFailure !== null && answer(null)}
          ${stepList({ id: "finishing", agents: finishing, verdicts: [] }, links, seen)}
        </li>`
      }
    </ol>
  </section>`
}

/** The word of each state of the finishing step. */
const finishings: Readonly<Record<Exclude<Run["finishing"], "none" | "not begun">, Badge>> = {
  begun: ["accent", "●", "under way"],
  done: ["good", "✓", "done"],
  failed: ["bad", "!", "needs you"],
  skipped: ["quiet", "–", "skipped"]
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
