import { Words } from "@souffleur/domain"
import type { RunTimeline, TaskStretch } from "@souffleur/embed"
import { isRunOver, modelInWords, refusalEnd, type Run, taskOf, usedInWords } from "@souffleur/plan"
import { type Html, html } from "../Html.ts"
import { textLines } from "../shown/SaidItems.ts"
import { agoTag, lengthInWords } from "../view/Facts.ts"
import type { RunLinks } from "../view/Links.ts"
import type { Seen } from "../view/Seen.ts"
import { type Badge, badge } from "../view/StateBadge.ts"

type Agent = RunTimeline["finishing"][number]
type Verdict = TaskStretch["verdicts"][number]

/** UTF-16 units of the end of a program's output. */
const maxTail = 20_000

/** The word of each end of an agent, with its tone and its sign. */
const ends: Readonly<Record<NonNullable<Agent["outcome"]>, Badge>> = {
  done: ["good", "✓", "done"],
  approved: ["good", "✓", "approved"],
  rejected: ["work", "✗", "rejected"],
  failed: ["bad", "✗", "failed"],
  blocked: ["bad", "!", "blocked"],
  unfinished: ["work", "~", "unfinished"],
  limited: ["work", "~", "limited"],
  stopped: ["quiet", "–", "stopped"],
  "never ran": ["quiet", "–", "never ran"]
}

/** Says how long something took. What is under way is told in minutes, so that a feed does not repeat it. */
const lasted = (from: number, to: number | null, { now }: Seen): string =>
  to === null ? (lengthInWords(now - from) ?? "less than a minute") : Words.duration(to - from)

/** Returns the word of an agent: of its end, or of its work. */
export const agentBadge = ({ outcome, to }: Agent): Badge =>
  outcome === null ? (to === null ? ["accent", "●", "at work"] : ["quiet", "–", "ended"]) : ends[outcome]

/** Says which agent of a run this is. */
export const agentInWords = ({ attempt, role }: Pick<Agent, "attempt" | "role">): string =>
  attempt === 0 ? Words.capital(role) : `${Words.capital(role)}, attempt ${attempt}`

const byWhom = ({ agent, choice }: Agent): string => {
  const { effort, model } = choice
  const models = model === undefined ? [] : [model]
  return `${agent ?? ""}${modelInWords({ models, effort: effort ?? null })}`.trim()
}

const list = (title: string, lines: ReadonlyArray<string>): Html | false =>
  lines.length > 0 &&
  html`<h4>${title}</h4>
    <ul>
      ${lines.map((line) => html`<li>${line}</li>`)}
    </ul>`

/** Returns what a review found: what holds the work up in the open, the rest folded. */
const findings = ({ findings: { issues, minor, suggestions }, token }: Agent): Html => {
  const rest = [
    ...(suggestions.length === 0 ? [] : [Words.many(suggestions.length, "suggestion")]),
    ...(minor.length === 0 ? [] : [Words.many(minor.length, "minor finding")])
  ]
  return html`${
    issues.length > 0 &&
    html`<ul class="findings">
      ${issues.map((line) => html`<li>${line}</li>`)}
    </ul>`
  }
  ${
    rest.length > 0 &&
    html`<details id="found-${token}">
      <summary>${Words.capital(rest.join(" and "))}</summary>
      <div class="why">${list("Suggestions", suggestions)} ${list("Minor findings", minor)}</div>
    </details>`
  }`
}

const shortCommits = (commits: ReadonlyArray<string>): Html | false =>
  commits.length > 0 &&
  html`<p class="quiet">
    ${Words.many(commits.length, "commit")}: ${commits.map((commit) => html`<code>${commit.slice(0, 10)}</code> `)}
  </p>`

const agentItem = (one: Agent, links: RunLinks, seen: Seen): Html => {
  const { commits, from, sessionId, to, token, used, words } = one
  const by = byWhom(one)
  return html`<li class="step" id="agent-${token}">
    <div class="step-head">
      ${badge(agentBadge(one))}
      <strong>${agentInWords(one)}</strong> ${by !== "" && html`<span class="kind">${by}</span>`}
      ${
        links.conversation !== null &&
        sessionId !== "" &&
        html`<a href="${links.conversation(token)}#end" aria-label="Conversation of ${agentInWords(one)}"
          >Conversation</a
        >`
      }
      <span class="quiet"
        >${agoTag(from, seen)}, ${to === null ? "for" : "took"}
        ${lasted(from, to, seen)}${used !== null && `, ${usedInWords(used)}`}</span
      >
    </div>
    ${words !== null && html`<p>${words}</p>`} ${findings(one)} ${shortCommits(commits)}
  </li>`
}

const gateItem = ({ at, head, programs, refused }: Verdict, n: string, seen: Seen): Html => {
  const tail = refused?.said.trimEnd() ?? ""
  return html`<li class="step">
    <div class="step-head">
      ${badge(refused === null ? ["good", "✓", "passed"] : ["bad", "✗", "refused"])} <strong>Gate</strong>
      ${programs.map((program) => html`<code>${program}</code> `)}
      <span class="quiet"
        >${agoTag(at, seen)}, at
        <code>${head.slice(0, 10)}</code>${refused !== null && `, ${refusalEnd(refused)}`}</span
      >
    </div>
    ${
      tail !== "" &&
      html`<details id="tail-${n}">
        <summary>The end of what it printed</summary>
        <pre tabindex="0">${textLines(tail, maxTail)}</pre>
      </details>`
    }
  </li>`
}

/** Returns the agents and the verdicts of gates, in the order of time. */
export const stepList = (
  { agents, id, verdicts }: Pick<TaskStretch, "agents" | "id" | "verdicts">,
  links: RunLinks,
  seen: Seen
): Html | false => {
  const steps = [
    ...agents.map((one) => ({ at: one.from, item: agentItem(one, links, seen) })),
    ...verdicts.map((one, n) => ({ at: one.at, item: gateItem(one, `${encodeURIComponent(id)}-${n}`, seen) }))
  ].toSorted((a, b) => a.at - b.at)
  return (
    steps.length > 0 &&
    html`<ol class="steps-of">
      ${steps.map(({ item }) => item)}
    </ol>`
  )
}

/** Returns the word of a task. */
const taskBadge = ({ agents, blockers, from, outcome, verified }: TaskStretch, isOver: boolean): Badge => {
  if (outcome === "completed") return ["good", "✓", verified ? "completed, verified" : "completed, unverified"]
  if (outcome === "escalated") return ["bad", "!", "needs you"]
  if (outcome === "skipped") return ["quiet", "–", "skipped"]
  if (blockers.length > 0) return ["work", "~", "waits"]
  if (from === null) return ["quiet", "○", isOver ? "never begun" : "not begun"]
  return agents.some(({ to }) => to === null) ? ["accent", "●", "under way"] : ["accent", "○", "begun"]
}

/** Returns a task with its agents, its reviews and its gate. `answer`: the form for a person; `null`: none. */
export const taskItem = (
  task: TaskStretch,
  {
    answer,
    links,
    run,
    seen
  }: { readonly answer: Html | null; readonly links: RunLinks; readonly run: Run; readonly seen: Seen }
): Html => {
  const { blockers, from, id, outcome, title, to, used } = task
  const message = outcome === "escalated" ? (taskOf(run, id)?.escalation?.message ?? null) : null
  return html`<li class="task" id="task-${encodeURIComponent(id)}">
    <div class="task-head">
      ${badge(taskBadge(task, isRunOver(run)))}
      <h3>${id} <span>${title}</span></h3>
      <p class="quiet">
        ${from !== null && lasted(from, to, seen)}${used.tokens + used.dollars > 0 && `, ${usedInWords(used)}`}
        ${links.changes !== null && from !== null && html`<a href="${links.changes(id)}" aria-label="Changes of ${id}">Changes</a>`}
      </p>
    </div>
    ${message !== null && html`<p>${message}</p>`}
    ${blockers.length > 0 && html`<p class="quiet">Waits for ${blockers.join(", ")}</p>`} ${answer}
    ${stepList(task, links, seen)}
  </li>`
}
