import { agentAtWork, iso, type Labels, stateLine, type StateWord, type Watch, type Zone } from "@souffleur/domain"
import type { UnreadableEvent } from "@souffleur/eventlog"
import type { NamedRun } from "@souffleur/plan"
import { runNeed, runStanding, runState } from "../explain/RunSentence.ts"
import { type Need, needOf, standingOf, watchState } from "../explain/StatusLine.ts"
import type { EndedWatch, NamedWatch } from "../watching/FindWatch.ts"

/** A watch or a run, as every list of them shows it. */
export interface Job {
  readonly kind: "watch" | "run"
  readonly id: string
  /** As its caller said, else its program and its first words while it lives; `null`: a run, or it is not known. */
  readonly title: string | null
  readonly labels: Labels
  /** The folder, absolute. */
  readonly project: string
  /** The program of its agent, by its name; `null`: it is not known, or there is none. */
  readonly agent: string | null
  readonly state: StateWord
  /** The state in a few words for a person, which may change. */
  readonly standing: string
  /** Its need of a person; `null`: none. */
  readonly need: Need | null
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
  return {
    kind: "watch",
    id,
    title: watch.note.title,
    labels: watch.note.labels,
    project: watch.project,
    agent: agentAtWork(watch) ?? null,
    state: unreadable === undefined ? watchState(watch, need) : "needs you",
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
    title: null,
    labels: {},
    project: run.project,
    agent: null,
    state: runState(run, need),
    standing: unreadable === undefined ? runStanding(run) : "its log cannot be read",
    need,
    at: run.lastEventAt
  }
}

/** Returns the state of a job on one line, with its need or the words that say more. */
export const jobLine = ({ need, standing, state }: Pick<Job, "need" | "standing" | "state">): string =>
  stateLine(state, need?.why ?? standing)

/** Returns a job as a program reads it. */
export const jobJson = ({ at, kind, ...job }: Job) => ({ kind, ...job, last_event_at: iso(at) })
