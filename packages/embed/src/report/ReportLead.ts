import { Words } from "@souffleur/domain"
import { nothingUsed, shellWord, sumUsed, type Used, usedInWords } from "@souffleur/plan"
import { verifiedWord } from "../explain/RunSentence.ts"
import type { TaskStretch } from "../timeline/RunTimeline.ts"
import { causeInWords } from "./DeathCause.ts"
import type { Report, RunPart, WatchPart } from "./Report.ts"

const { many } = Words

/** A watch, or a task of a run. */
export interface WorkItem {
  /** Of the watch or the run. */
  readonly id: string
  /** `null`: it is a watch, or the tasks of a run that have not begun. */
  readonly task: string | null
  /** Words of a plan or a caller; `null`: none. */
  readonly title: string | null
  /** How it is in a few words for a person. */
  readonly standing: string
}

/** What is worth a look, and the command that shows it. */
export interface WorthLook {
  readonly id: string
  readonly why: string
  readonly next: string
}

/** The answers to the first questions of a person (spec: command-line#report). */
export interface ReportLead {
  readonly done: ReadonlyArray<WorkItem>
  readonly undone: ReadonlyArray<WorkItem>
  /** The most urgent first. What needs a person is not among them. */
  readonly looks: ReadonlyArray<WorthLook>
  /** By the agents of runs. No log has what a watch used. */
  readonly used: Used
}

/** Names that a line lists, and commits that a command shows. */
const [maxNames, maxShown] = [5, 8] as const

/** Returns whether a task was taken on its reviewer's word alone. */
const isUnverified = ({ outcome, verified }: TaskStretch) => outcome === "completed" && !verified

/** Returns the tasks that were completed in the time of a report. */
const doneTasks = ({ tasks }: RunPart, { since, until }: Report) =>
  tasks.filter(({ outcome, to }) => outcome === "completed" && to !== null && to >= since && to <= until)

const undoneTasks = ({ id, timeline: { tasks } }: RunPart): ReadonlyArray<WorkItem> => {
  const open = tasks.filter(({ outcome }) => outcome === null || outcome === "escalated")
  const begun = open.filter(({ from }) => from !== null)
  const blocked = open.filter(({ blockers, from }) => from === null && blockers.length > 0)
  const later = open.length - begun.length - blocked.length
  return [
    ...begun.map(({ id: task, outcome, title }) => ({
      id,
      task,
      title,
      standing: outcome === "escalated" ? "waits for an answer" : "begun"
    })),
    ...blocked.map(({ blockers, id: task, title }) => ({
      id,
      task,
      title,
      standing: `cannot begin: it depends on ${blockers.join(", ")}`
    })),
    ...(later === 0 ? [] : [{ id, task: null, title: null, standing: `${many(later, "task")} not begun` }])
  ]
}

const watchItem = ({ id, standing, state, title }: WatchPart): WorkItem => ({
  id,
  task: null,
  title,
  standing: state === "ended" ? standing : `${state}: ${standing}`
})

const names = (tasks: ReadonlyArray<TaskStretch>): string =>
  [
    ...tasks.slice(0, maxNames).map(({ id }) => id),
    ...(tasks.length > maxNames ? [`${tasks.length - maxNames} more`] : [])
  ].join(", ")

/** Returns the command that shows commits; too many of them are a run's. */
const showing = ({ id, project }: RunPart, commits: ReadonlyArray<string>): string =>
  commits.length === 0 || commits.length > maxShown
    ? `souffleur conduct status --run ${id}`
    : `git -C ${shellWord(project)} show ${commits.map((one) => shellWord(one.slice(0, 12))).join(" ")}`

const looksAt = (run: RunPart, report: Report): ReadonlyArray<WorthLook> => {
  const { id } = run
  const done = doneTasks(run, report)
  const unverified = done.filter(isUnverified)
  const refusals = (task: TaskStretch) => ({
    times: task.verdicts.filter(({ refused }) => refused !== null).length,
    rejections: task.agents.filter(({ outcome }) => outcome === "rejected").length
  })
  return [
    ...(unverified.length === 0
      ? []
      : [
          {
            id,
            why: `no program verified ${many(unverified.length, "task")}: ${names(unverified)}`,
            next: showing(
              run,
              unverified.flatMap(({ commits }) => commits)
            )
          }
        ]),
    ...done.flatMap((task) => {
      const { rejections, times } = refusals(task)
      if (times + rejections === 0) return []
      const said = [
        ...(times === 0 ? [] : [`refused ${many(times, "time")} by its gate`]),
        ...(rejections === 0 ? [] : [`rejected ${many(rejections, "time")}`])
      ].join(" and ")
      return [{ id, why: `${task.id} was ${said} before it was taken`, next: showing(run, task.commits) }]
    })
  ]
}

/** Returns what a report says first. */
export const leadOf = (report: Report): ReportLead => {
  const { runs, watches } = report
  const over = watches.filter(({ end }) => end === "completed")
  const died = watches.filter(({ deaths }) => deaths.length > 0).toSorted((a, b) => b.deaths.length - a.deaths.length)
  return {
    done: [
      ...runs.flatMap((run) =>
        doneTasks(run, report).map((task) => ({
          id: run.id,
          task: task.id,
          title: task.title,
          standing: `${verifiedWord(task)}, ${many(task.commits.length, "commit")}`
        }))
      ),
      ...over.map(watchItem)
    ],
    undone: [...runs.flatMap(undoneTasks), ...watches.filter(({ end }) => end !== "completed").map(watchItem)],
    looks: [
      ...runs.flatMap((run) => looksAt(run, report)),
      ...died.map(({ deaths, id }) => ({
        id,
        why: `${many(deaths.length, "death")}, the last because ${causeInWords(deaths.at(-1)!)}`,
        next: `souffleur why ${id}`
      }))
    ],
    used: runs.reduce((sum, { used }) => sumUsed(sum, used), nothingUsed)
  }
}

/** Returns the first answers of a report on a line each, after their names. */
export const leadLines = (
  report: Report,
  { done, used }: ReportLead
): ReadonlyArray<readonly [name: string, words: string]> => {
  const { commits, needs, runs, watches } = report
  const tasks = done.filter(({ task }) => task !== null).length
  const verified = runs.flatMap((run) => doneTasks(run, report)).filter((task) => task.verified).length
  const open = runs
    .flatMap(({ timeline }) => timeline.tasks)
    .filter(({ outcome }) => outcome === null || outcome === "escalated")
  const words = (parts: ReadonlyArray<string>) => (parts.length === 0 ? "nothing" : parts.join(", "))
  const watchesOf = (number: number) => (number === 0 ? [] : [`${number} ${number === 1 ? "watch" : "watches"}`])
  const over = new Set([...watches, ...runs].flatMap(({ id, state }) => (state === "ended" ? [id] : [])))
  const failed = needs.filter(({ id }) => over.has(id)).length
  const isUsed = used.tokens + used.dollars > 0
  return [
    [
      "Done",
      words([
        ...(tasks === 0 ? [] : [`${many(tasks, "task")} (${verified} verified by a program)`]),
        ...(commits === 0 ? [] : [many(commits, "commit")]),
        ...watchesOf(done.length - tasks)
      ])
    ],
    [
      "Not done",
      words([
        ...(open.length === 0 ? [] : [many(open.length, "task")]),
        ...watchesOf(watches.filter(({ end }) => end !== "completed").length)
      ])
    ],
    [
      "Needs you",
      words([
        ...(needs.length > failed ? [String(needs.length - failed)] : []),
        ...(failed === 0 ? [] : [`${failed} failed`])
      ])
    ],
    [
      "Cost",
      [
        ...(isUsed || runs.length > 0 ? [`${usedInWords(used)} by runs`] : []),
        ...(watches.length === 0 ? [] : ["that of watches is in no log"])
      ].join("; ") || "nothing"
    ]
  ]
}
