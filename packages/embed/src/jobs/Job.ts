import {
  agentAtWork,
  iso,
  type Labels,
  stateLine,
  stateSigns,
  type StateWord,
  titleFrom,
  type Watch,
  Words,
  type Zone
} from "@souffleur/domain"
import type { UnreadableEvent } from "@souffleur/eventlog"
import { isRunOver, type NamedRun, type Used, usedInWords } from "@souffleur/plan"
import { runNeed, runStanding, runState } from "../explain/RunSentence.ts"
import { type Need, needOf, standingOf, watchState } from "../explain/StatusLine.ts"
import { runSince, watchSince } from "./StateSince.ts"
import type { EndedWatch, NamedWatch } from "../watching/FindWatch.ts"

/** A watch or a run, as every list of them shows it. */
export interface Job {
  readonly kind: "watch" | "run"
  readonly id: string
  /**
   * As its caller said, else its program and its first words while it lives, or the plan's own id; `null`: it is not
   * known.
   */
  readonly title: string | null
  readonly labels: Labels
  /** The folder, absolute. */
  readonly project: string
  /** The program of its agent, by its name; `null`: it is not known, or none is at work. */
  readonly agent: string | null
  readonly state: StateWord
  /** Since when it is in that state, epoch ms; `null`: its log does not tell. */
  readonly since: number | null
  /** True while somebody holds it. */
  readonly held: boolean
  /** The state in a few words for a person, which may change. */
  readonly standing: string
  /** Its need of a person; `null`: none. */
  readonly need: Need | null
  /** Its begin, epoch ms; `null`: a watch that has ended, of which a list keeps no more. */
  readonly begun: number | null
  /** Its generation, from 1; `null`: a run. */
  readonly generation: number | null
  /** Ends in a row without progress. */
  readonly retries: number
  /** The tasks of a run that are complete, of all; `null`: a watch. */
  readonly tasks: { readonly complete: number; readonly all: number } | null
  /** By the agents of a run, as its ceilings count it; `null`: a watch. */
  readonly used: Used | null
  /** Epoch milliseconds of its last event. */
  readonly at: number
}

/** Says from where on a log cannot be read. */
export const unreadableInWords = ({ problem, revision }: UnreadableEvent): string =>
  `cannot be read from event ${revision} on: ${problem}`

/** The need of a log that cannot be read. */
const damaged = (event: UnreadableEvent): Need => ({
  why: `its log ${unreadableInWords(event)}`,
  next: "souffleur doctor"
})

/** A watch, or as much of it as a list shows where it has ended. */
interface ListedWatch extends Omit<NamedWatch, "watch"> {
  readonly watch: Watch | EndedWatch
}

/** Returns a watch as a job. `owned`: a live souffleur looks after it. */
export const watchJob = ({ id, unreadable, watch }: ListedWatch, owned: boolean, zone?: Zone): Job => {
  const need = unreadable === undefined ? needOf(id, watch, owned) : damaged(unreadable)
  const isOver = watch.phase === "Exited"
  return {
    kind: "watch",
    id,
    title: watch.note.title,
    labels: watch.note.labels,
    project: watch.project,
    agent: agentAtWork(watch) ?? null,
    state: unreadable === undefined ? watchState(watch, need) : "needs you",
    since: watchSince(watch, { needs: need !== null, owned }),
    held: !isOver && watch.held !== undefined,
    begun: isOver ? null : watch.openedAt,
    generation: Math.max(1, watch.generation),
    retries: watch.retries,
    tasks: null,
    used: null,
    standing:
      unreadable === undefined ? standingOf(watch, owned, false, zone) : `cannot be read: ${unreadable.problem}`,
    need,
    at: watch.lastEventAt
  }
}

/** Returns a run as a job. `owned`: a live souffleur conducts it. */
export const runJob = ({ id, run, unreadable }: NamedRun, owned: boolean): Job => {
  const need = unreadable === undefined ? runNeed(id, run, owned) : damaged(unreadable)
  return {
    kind: "run",
    id,
    title: titleFrom(run.workflowId) || null,
    labels: {},
    project: run.project,
    agent: run.assignments[0]?.agent ?? null,
    state: runState(run, need),
    since: runSince(run, { needs: need !== null, owned }),
    held: !isRunOver(run) && run.held !== null,
    begun: run.openedAt,
    generation: null,
    retries: 0,
    tasks: {
      complete: run.tasks.filter(({ status }) => status === "completed").length,
      all: run.tasks.length
    },
    used: run.used,
    standing: unreadable === undefined ? runStanding(run) : "its log cannot be read",
    need,
    at: run.lastEventAt
  }
}

/** Returns the state of a job on one line, with its need or the words that say more. */
export const jobLine = ({ need, standing, state }: Pick<Job, "need" | "standing" | "state">): string =>
  stateLine(state, need?.why ?? standing)

/** What a job is told apart by at a glance: its word, but a hold is no work, and a failure no success. */
export type JobWord = StateWord | "failed" | "held"

/** A sign beside each such word. */
export const jobSigns: Readonly<Record<JobWord, string>> = { ...stateSigns, failed: "✗", held: "=" }

/** Returns the word by which a list shows a job. */
export const jobWord = ({
  held,
  need,
  state
}: Pick<Job, "state"> & { readonly held?: boolean; readonly need: object | null }): JobWord => {
  if (need !== null) return state === "ended" ? "failed" : state
  return held === true ? "held" : state
}

/** Returns what is to be said of a job besides its word; empty: nothing. */
export const jobNote = ({ need, standing, state }: Pick<Job, "need" | "standing" | "state">): string => {
  const note = need?.why ?? standing
  // The word of a failure says so already.
  return stateLine(state, note) === state ? "" : note.replace(/^failed: /u, "")
}

/** Returns what a list says of the progress of a job: its generation, its deaths, its tasks and its use. */
export const jobFacts = ({ generation, retries, tasks, used }: Job): ReadonlyArray<string> => [
  ...(generation === null || generation === 1 ? [] : [`S${generation}`]),
  ...(retries === 0 ? [] : [Words.ofAllowed(retries)]),
  ...(tasks === null ? [] : [`${tasks.complete} of ${Words.many(tasks.all, "task")}`]),
  ...(used === null || used.tokens + used.dollars === 0 ? [] : [usedInWords(used)])
]

/** Returns a job as a program reads it. */
export const jobJson = ({ at, begun, kind, since, ...job }: Job) => ({
  kind,
  ...job,
  state_since: since === null ? null : iso(since),
  begun_at: begun === null ? null : iso(begun),
  last_event_at: iso(at)
})
