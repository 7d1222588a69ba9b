import { type Condition, isOver, Launcher, Processes, type StateWord, turnInWords, type Zone } from "@souffleur/domain"
import { Beats } from "@souffleur/eventlog"
import { assignedAgent, type Assignment, type NamedRun, needsPerson, streamOf, stuck } from "@souffleur/plan"
import { launchOutput } from "@souffleur/process"
import { Clock, Effect, Option } from "effect"
import { runNeeds, runStanding, type SeenAgent } from "../explain/RunSentence.ts"
import type { Need } from "../explain/StatusLine.ts"
import { runJob, unreadableInWords } from "../jobs/Job.ts"

/** A run as it is now, with a look at its processes. `null`: unknown, or there is none. */
export interface PlanStatus extends NamedRun {
  readonly state: StateWord
  /** True while somebody holds it. */
  readonly held: boolean
  /** The most urgent need of a person, with the command to type next; `null`: nothing. */
  readonly need: Need | null
  /** The state in a few words for a person, which may change. */
  readonly standing: string
  /** The acts of a person that the run waits for, a line each. Empty: none. */
  readonly needs: ReadonlyArray<string>
  /** The condition of the souffleur that conducts it. */
  readonly owner: Condition | null
  /** Milliseconds since its conductor's last beat. */
  readonly beatAge: number | null
  /** The agents at work, as they were asked for. */
  readonly agents: ReadonlyArray<AgentAtWork>
}

/** An agent at work as it is now. `null`: unknown, or it was not launched. */
export interface AgentAtWork extends SeenAgent {
  /** Milliseconds since it was launched. */
  readonly age: number | null
  /** Its act by its records, such as `runs the tool Bash, for 8 s`. */
  readonly doing: string | null
  /** The file with its output. */
  readonly output: string | null
}

const atWork = Effect.fnUntraced(function* (assignment: Assignment, now: number) {
  const { launch, sessionId } = assignment
  const none = { assignment, condition: null, age: null, doing: null, output: null } satisfies AgentAtWork
  if (launch === null) return none
  const condition = yield* (yield* Processes).condition(launch.process)
  const signs = isOver(condition)
    ? Option.none()
    : yield* (yield* assignedAgent(assignment)).signs(sessionId, yield* launchOutput(launch.launchId))
  const turn = Option.getOrUndefined(signs)?.turn
  return {
    assignment,
    condition,
    age: now - launch.at,
    doing: turn === undefined ? null : turnInWords(turn, now),
    output: (yield* Launcher).outputPath(launch.launchId)
  } satisfies AgentAtWork
})

/** Returns the status of a run, with the launches and the agent's files in the context. */
export const planStatus = Effect.fn("planStatus")(function* (named: NamedRun, zone?: Zone) {
  const { id, run, unreadable } = named
  const { outputPath } = yield* Launcher
  const beats = yield* Beats
  const processes = yield* Processes
  const now = yield* Clock.currentTimeMillis
  const beat = yield* beats.last(streamOf(id))
  const agents = yield* Effect.forEach(run.assignments, (assignment) => atWork(assignment, now))
  const owner = run.owner === null ? null : yield* processes.condition(run.owner.process)
  const { held, need, state } = runJob(named, owner !== null && !isOver(owner))
  return {
    ...named,
    state,
    held,
    need,
    standing: unreadable === undefined ? runStanding(run, agents, zone) : unreadableInWords(unreadable),
    needs: unreadable === undefined && (needsPerson(run) || stuck(run).length > 0) ? runNeeds(id, run, outputPath) : [],
    owner,
    beatAge: Option.match(beat, { onNone: () => null, onSome: ({ at }) => now - at }),
    agents
  } satisfies PlanStatus
})
