import { type Condition, isOver, Launcher, Processes, type StateWord, turnInWords, type Zone } from "@souffleur/domain"
import { Beats } from "@souffleur/eventlog"
import { assignedAgent, type NamedRun, needsPerson, streamOf, stuck } from "@souffleur/plan"
import { launchOutput } from "@souffleur/process"
import { Clock, Effect, Option } from "effect"
import { runNeeds, runStanding } from "../explain/RunSentence.ts"
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
  /** The condition of the agent at work. */
  readonly agent: Condition | null
  /** Milliseconds since that agent was launched. */
  readonly agentAge: number | null
  /** The act of that agent by its records, such as `runs the tool Bash, for 8 s`. */
  readonly doing: string | null
  /** The file with the output of that agent. */
  readonly output: string | null
}

/** Returns the status of a run, with the launches and the agent's files in the context. */
export const planStatus = Effect.fn("planStatus")(function* (named: NamedRun, zone?: Zone) {
  const { id, run, unreadable } = named
  const { outputPath } = yield* Launcher
  const beats = yield* Beats
  const processes = yield* Processes
  const now = yield* Clock.currentTimeMillis
  const beat = yield* beats.last(streamOf(id))
  const { assignment } = run
  const launched = assignment?.launch ?? null
  const agent = launched === null ? null : yield* processes.condition(launched.process)
  const living = assignment !== null && agent !== null && !isOver(agent)
  const signs = living
    ? yield* (yield* assignedAgent(assignment)).signs(assignment.sessionId, yield* launchOutput(launched?.launchId))
    : Option.none()
  const turn = Option.getOrUndefined(signs)?.turn
  const owner = run.owner === null ? null : yield* processes.condition(run.owner.process)
  const { held, need, state } = runJob(named, owner !== null && !isOver(owner))
  return {
    ...named,
    state,
    held,
    need,
    standing: unreadable === undefined ? runStanding(run, agent, zone) : unreadableInWords(unreadable),
    needs: unreadable === undefined && (needsPerson(run) || stuck(run).length > 0) ? runNeeds(id, run, outputPath) : [],
    owner,
    beatAge: Option.match(beat, { onNone: () => null, onSome: ({ at }) => now - at }),
    agent,
    agentAge: launched === null ? null : now - launched.at,
    doing: turn === undefined ? null : turnInWords(turn, now),
    output: launched === null ? null : outputPath(launched.launchId)
  } satisfies PlanStatus
})
