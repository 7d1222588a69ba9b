import {
  allRuns,
  blockers,
  chosenRoles,
  invocation,
  isRunOver,
  modelInWords,
  parallelOf,
  stateJson,
  type NamedRun,
  type Run,
  treesThatStay,
  workPlace
} from "@souffleur/plan"
import {
  iso,
  Launcher,
  plain,
  type ResolvedSettings,
  Settings,
  stateLine,
  urgentFirst,
  Words,
  type Zone
} from "@souffleur/domain"
import { Clock, Console, Duration, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import type { AgentAtWork } from "@souffleur/embed"
import {
  findPlan,
  layerAgentFiles,
  layerHost,
  layerLaunches,
  layerStore,
  planStatus,
  taskLines
} from "@souffleur/embed/internal"
import { Environment } from "../world/CommandEnvironment.ts"
import { paint, printJson } from "../Printing.ts"
import { runName } from "./ConductAnswerCommand.ts"
import { json, namedIn, projectDir, utcFlag, zoneOf } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Characters of a workflow id. A plan has no longer one, but a damaged log may. */
const maxIdLength = 64

const agentJson = ({ age, assignment, condition, doing, output }: AgentAtWork) => ({
  role: assignment.role,
  program: assignment.agent,
  fallback: assignment.choice.standIn !== undefined,
  model: assignment.choice.model ?? null,
  effort: assignment.choice.effort ?? null,
  task: assignment.taskId,
  attempt: assignment.attempt,
  pid: assignment.launch?.process.pid ?? null,
  condition,
  runs_for_ms: age,
  doing,
  session_id: assignment.sessionId,
  output
})

const statusOf = Effect.fnUntraced(function* (named: NamedRun, zone?: Zone) {
  const { id, run, unreadable } = named
  const seen = yield* planStatus(named, zone)
  const working = seen.agents.map(agentJson)
  return {
    run: id,
    project: run.project,
    plan: run.plan,
    state: seen.state,
    need: seen.need,
    needs: seen.needs,
    standing: seen.standing,
    unreadable: unreadable === undefined ? null : { revision: unreadable.revision, why: unreadable.problem },
    revision: run.revision,
    owner: run.owner === null ? null : { ...run.owner.process, condition: seen.owner },
    beat_age_ms: seen.beatAge,
    paused: run.paused,
    held_since: run.held === null ? null : iso(run.held.since),
    stopped_since: run.stop === null ? null : iso(run.stop.since),
    permission: { ceiling: run.pin.ceiling, file_asks_for: run.overreach?.keys ?? [] },
    used: run.used,
    agents: chosenRoles(run),
    deadline: run.chosen?.deadline === undefined ? null : iso(run.chosen.deadline),
    /** The agents that the service refuses, by the role, and the fallbacks that are asked meanwhile. */
    away: Object.entries(run.away).map(([role, { agent, by, kind, until }]) => ({
      role,
      agent,
      kind,
      by,
      until: iso(until)
    })),
    wait: run.wait === null ? null : { kind: run.wait.kind, until: iso(run.wait.until) },
    agent: working[0] ?? null,
    /** All of them, where several may be at work. */
    ...(parallelOf(run) > 1 || working.length > 1 ? { at_work: working } : {}),
    escalations: run.tasks.flatMap(({ escalation, id: task }) =>
      escalation === null ? [] : [{ task, ...escalation }]
    ),
    ...stateJson(run),
    workflow_id: plain(run.workflowId, maxIdLength),
    finishing: run.finishing,
    /** What a reviewer asked about the plan. */
    questions: run.questions?.list ?? [],
    /** The branch of its work, and where souffleur itself brought that. */
    branch: run.branch ?? null,
    delivered: run.delivered,
    /** The work trees of tasks: of those that are not over, and those that stay. */
    trees: [
      ...run.tasks.flatMap(({ id: task, tree }) =>
        tree === null ? [] : [{ task, folder: tree.folder, branch: tree.branch, kept: null }]
      ),
      ...run.trees.map(({ branch, folder, kept, taskId: task }) => ({ task, folder, branch, kept }))
    ],
    /** Tasks that cannot begin, and those that wait for a person for which they do not. */
    blocked: run.tasks.flatMap((task) => {
      const by = blockers(run, task)
      return by.length === 0 ? [] : [{ task: task.id, by }]
    })
  }
})

/** Says which agent each role has, where a person or the plan chose one. */
const roleLines = (agents: ReturnType<typeof chosenRoles>): ReadonlyArray<string> =>
  agents.map(({ agent, role, ...choice }) =>
    plain(`  ${role}: ${agent ?? "the configured agent"}${modelInWords(choice)}`)
  )

/** Says which agents the service refuses still, and who is asked in their place. */
const awayLines = ({ away }: Run, now: number, zone: Zone | undefined): ReadonlyArray<string> =>
  Object.entries(away).flatMap(([role, { agent, by, kind, until }]) =>
    until <= now
      ? []
      : [
          plain(
            `  the service refuses ${agent ?? "the configured agent"} (${kind}): ${by} is the ${role} until ${Words.deadline(until, now, zone)}`
          )
        ]
  )

/** Describes an agent at work: its time, its limit, its session and its output. */
const agentLines = (
  agent: ReturnType<typeof agentJson>,
  settings: ResolvedSettings,
  isOne: boolean
): ReadonlyArray<string> => {
  if (agent.runs_for_ms === null) return []
  const limit = agent.role === "reviewer" ? settings.reviewerTimeout : settings.implementerTimeout
  const time =
    agent.condition === "gone"
      ? "is gone"
      : `at work for ${Words.duration(agent.runs_for_ms)} of at most ${Words.duration(Duration.toMillis(limit))}`
  const doing = agent.doing === null ? "" : `: it ${agent.doing}`
  return [
    `  ${isOne || agent.task === null ? "" : `${agent.task}: `}${agent.role}${agent.program === null ? "" : ` by ${agent.program}`}${modelInWords({ models: agent.model === null ? [] : [agent.model], effort: agent.effort })}, pid ${agent.pid}, ${time}${doing}`,
    `    ${agent.session_id === "" ? "" : `session ${agent.session_id}, `}output ${agent.output}`
  ].map((line) => plain(line))
}

/** Says what a person is to do for a run, and how it continues then. */
const nextLines = (needs: ReadonlyArray<string>, then: string): ReadonlyArray<string> =>
  needs.slice(-1).map((need) => `  next: ${need}${then}`)

/** Prints how a run is, or how all of them are (spec: command-line#plans). */
export const conductStatusCommand = Command.make(
  "status",
  {
    run: runName,
    all: Flag.Boolean("all").pipe(Flag.withDescription("Every run of this machine"), Flag.withDefault(false)),
    projectDir,
    utc: utcFlag,
    json
  },
  Effect.fnUntraced(function* ({ all, json, run, utc }) {
    const { colour, cwd } = yield* Environment
    const brush = paint(colour)
    const zone = json ? undefined : yield* zoneOf({ utc })
    const named = all ? yield* allRuns : [yield* findPlan(namedIn(yield* Project, run))]
    const seen = yield* Effect.forEach(named, (one) =>
      Effect.map(statusOf(one, zone), (status) => ({ ...one, status }))
    )
    const found = urgentFirst(seen, ({ run, status: { state } }) => ({ state, at: run.lastEventAt }))
    const statuses = found.map(({ status }) => status)
    if (json) return yield* printJson(all ? statuses : statuses[0])
    if (found.length === 0) return yield* Console.log("No run yet. Start one: souffleur conduct PLAN")
    for (const { id, run, status, unreadable } of found) {
      const { agent, at_work = agent === null ? [] : [agent], beat_age_ms, needs, owner } = status
      const isOwned = owner !== null && owner.condition !== "gone"
      const goOn = invocation(run, cwd)
      const left = isRunOver(run) || (!all && needs.length > 0) ? "" : `  no souffleur conducts it: ${goOn}`
      const conducted = isOwned ? `  by pid ${owner.pid}, beat ${Words.duration(beat_age_ms)} ago` : left
      const by = unreadable === undefined ? conducted : ""
      yield* Console.log(
        `${id}  ${plain(run.workflowId, maxIdLength)}  ${plain(stateLine(status.state, status.standing))}${brush("dim", by)}`
      )
      if (all) continue
      const { outputPath } = yield* Launcher
      const settings = yield* Settings
      for (const line of [
        ...roleLines(status.agents),
        ...awayLines(run, yield* Clock.currentTimeMillis, zone),
        ...at_work.flatMap((one) => agentLines(one, settings, at_work.length === 1)),
        ...(run.questions?.list ?? []).map((question) => `  asked of the plan: ${plain(question)}`),
        ...run.tasks.flatMap((task) => taskLines(run, task, outputPath)),
        ...[workPlace(run)].flatMap((place) => (place === undefined ? [] : [`  the work: ${plain(place)}`])),
        ...treesThatStay(run).map((tree) => `  a work tree stays: ${plain(tree)}`),
        ...nextLines(needs, isOwned ? "" : `; then ${goOn}`)
      ])
        yield* Console.log(line)
    }
  })
).pipe(
  withLayers((settings) =>
    Layer.mergeAll(layerStore(settings), layerLaunches(settings), layerAgentFiles(settings)).pipe(
      Layer.provideMerge(layerHost)
    )
  ),
  Command.withDescription("Print the state of a run: its tasks, its agent, what it waits for")
)
