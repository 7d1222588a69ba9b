import { HookFiles } from "@souffleur/node"
import { Settings } from "@souffleur/domain"
import {
  type AgentHere,
  agentsHere,
  agentStanding,
  installsAgent,
  jobJson,
  jobLine,
  layerAgentFiles,
  layerHost,
  layerStoreReading,
  type Need,
  type Overview,
  overview,
  usualProgram
} from "@souffleur/embed/internal"
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { firstTyped } from "../agent/FirstTyped.ts"
import { agentKind } from "../agent/Kind.ts"
import { nextLines } from "../explain/NextLine.ts"
import { withProgressLine } from "../explain/Progress.ts"
import { shortTitle } from "../explain/ShortTitle.ts"
import { table } from "../explain/TextTable.ts"
import { paint, printJson, printLines } from "../Printing.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { wrapped } from "../Wrapped.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

const isNothing = ({ agents, ended, jobs }: Overview) => agents.length + ended.length + jobs.length === 0

/** Returns what to type first. `null`: no agent is installed. */
const beginning = (first: string | null): ReadonlyArray<Need> => [
  first === null
    ? { next: installsAgent(agentKind), why: `install an agent, such as ${agentKind.title}` }
    : { next: first, why: "start an agent and watch it" },
  { next: "souffleur demo", why: "see it work, without an agent" },
  { next: "souffleur setup", why: "agent, hooks, notices and service, one question each" }
]

/** Returns the commands to type next, the most urgent first. */
const nextOf = (found: Overview, first: string | null): ReadonlyArray<Need> => {
  const { agents, ended, jobs } = found
  const needs = [...jobs, ...ended].flatMap(({ id, kind, need }) =>
    need === null ? [] : [{ next: need.next, why: `${kind === "run" ? "run " : ""}${id}: ${need.why}` }]
  )
  const left = needs.filter(({ next }) => next.startsWith("souffleur resume "))
  const resuming =
    left.length > 1 ? [{ next: "souffleur resume --all", why: `${left.length} watches have no souffleur` }] : left
  const others = needs.filter((need) => !left.includes(need))
  const unwatched = agents.map(({ next, why }) => ({ next, why }))
  const planned = jobs
    .filter(({ kind, need }) => kind === "run" && need === null)
    .map((run) => ({ next: `souffleur conduct status --run ${run.id}`, why: `run ${run.id}: ${run.standing}` }))
  const looking = [...jobs, ...ended].every(({ kind }) => kind === "run")
    ? []
    : [{ next: "souffleur status", why: `how the watches are${ended.length === 0 ? "" : ", and what happened"}` }]
  return [...resuming, ...others, ...unwatched, ...planned, ...looking, ...(isNothing(found) ? beginning(first) : [])]
}

const number = (count: number, one: string, more: string) => `${count} ${count === 1 ? one : more}`

/** Says in a line how much is here. */
const summary = ({ agents, ended, jobs }: Overview): string => {
  const needing = jobs.filter(({ state }) => state === "needs you").length
  const watches = jobs.filter(({ kind }) => kind === "watch").length
  const kinds = [
    ...(watches === 0 ? [] : [number(watches, "watch", "watches")]),
    ...(watches === jobs.length ? [] : [number(jobs.length - watches, "run", "runs")])
  ]
  const watched =
    jobs.length === 0
      ? "Nothing is watched"
      : `${kinds.join(" and ")}, ${needing === 0 ? "none needs you" : number(needing, "needs you", "need you")}`
  const failed = ended.filter(({ need }) => need !== null).length
  const over =
    ended.length === 0 ? "" : `; ${ended.length} ended since you looked${failed === 0 ? "" : `, ${failed} failed`}`
  return `${watched}${over}; ${agents.length === 0 ? "no agent runs" : number(agents.length, "agent runs", "agents run")} unwatched.`
}

/** Returns the agents that a newcomer is told of: those that are installed, else all. */
const shownOf = (known: ReadonlyArray<AgentHere>) => {
  const there = known.filter(({ isInstalled }) => isInstalled)
  return there.length === 0 ? known : there
}

const linesOf = (
  found: Overview,
  { known, next }: { readonly known: ReadonlyArray<AgentHere>; readonly next: ReadonlyArray<Need> },
  dim: (text: string) => string,
  columns: number | undefined
): ReadonlyArray<string> => {
  const { agents, ended, jobs } = found
  const part = (title: string, lines: ReadonlyArray<string>) => (lines.length === 0 ? [] : ["", dim(title), ...lines])
  const layout = { columns, indent: "  " }
  const rows = table(
    [...jobs, ...ended].map((one) => [one.id, shortTitle(one), jobLine(one), one.project]),
    layout
  )
  return [
    ...wrapped(summary(found), columns),
    ...part("WATCHES AND RUNS", rows.slice(0, jobs.length)),
    ...part("ENDED SINCE YOU LOOKED", rows.slice(jobs.length)),
    ...part(
      "UNWATCHED AGENTS",
      table(
        agents.map(({ pid, project, session_id, status }) => [`pid ${pid}`, status, project, session_id]),
        layout
      )
    ),
    ...part(
      "AGENTS",
      table(
        shownOf(known).map((one) => [one.kind.title, agentStanding(one)]),
        layout
      )
    ),
    ...part("NEXT", nextLines(next, dim))
  ]
}

/** The root of all commands. Alone it says what is here. */
export const hereCommand = Command.make(
  "souffleur",
  { projectDir, json },
  Effect.fnUntraced(function* (flags) {
    const { colour, columns } = yield* Environment
    const found = yield* overview(yield* Project)
    const settings = yield* Settings
    const known = isNothing(found) ? yield* withProgressLine("asking the agents")(agentsHere(settings)) : []
    const isNone = settings.agentCommand === agentKind.program && !known.some(({ isInstalled }) => isInstalled)
    const first = isNone ? null : firstTyped(yield* usualProgram(settings), settings.maxExternalPermission)
    const next = nextOf(found, first)
    if (flags.json)
      return yield* printJson({
        agents: found.agents,
        jobs: found.jobs.map(jobJson),
        ended: found.ended.map(jobJson),
        next
      })
    const brush = paint(colour)
    yield* printLines(linesOf(found, { known, next }, (text) => brush("dim", text), columns).join("\n"))
  })
).pipe(
  withLayers((settings) =>
    Layer.mergeAll(layerAgentFiles(settings), HookFiles.layer(settings.stateDir), layerStoreReading(settings)).pipe(
      Layer.provideMerge(layerHost)
    )
  )
)
