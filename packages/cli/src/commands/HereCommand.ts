import { HookFiles } from "@souffleur/node"
import { plain } from "@souffleur/domain"
import {
  jobJson,
  jobLine,
  layerAgentFiles,
  layerHost,
  layerStoreReading,
  type Overview,
  overview
} from "@souffleur/embed/internal"
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { agentKind } from "../agent/Kind.ts"
import { paint, printJson, printLines } from "../Printing.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** UTF-16 units of a cell. `--json` prints everything. */
const maxLength = 200

const cell = (text: string, width = 0) => plain(text, maxLength).padEnd(width)
const widest = (texts: ReadonlyArray<string>) => Math.max(0, ...texts.map((text) => plain(text, maxLength).length))

/** A command to type next, and why. */
interface Next {
  readonly next: string
  readonly why: string
}

/** Returns the commands to type next, the most urgent first. */
const nextOf = ({ agents, jobs }: Overview): ReadonlyArray<Next> => {
  const needs = jobs.flatMap(({ id, kind, need }) =>
    need === null ? [] : [{ next: need.next, why: `${kind === "run" ? "run " : ""}${id}: ${need.why}` }]
  )
  const left = needs.filter(({ next }) => next.startsWith("souffleur resume "))
  const resuming =
    left.length > 1 ? [{ next: "souffleur resume --all", why: `${left.length} watches have no souffleur` }] : left
  const others = needs.filter((need) => !left.includes(need))
  const unwatched = agents.map(({ next, pid }) => ({ next, why: `watch the agent with pid ${pid}` }))
  const planned = jobs
    .filter(({ kind, need }) => kind === "run" && need === null)
    .map((run) => ({ next: `souffleur conduct status --run ${run.id}`, why: `run ${run.id}: ${run.standing}` }))
  const looking = jobs.every(({ kind }) => kind === "run")
    ? []
    : [{ next: "souffleur status", why: "how the watches are" }]
  const starting =
    agents.length + jobs.length > 0
      ? []
      : [
          { next: `souffleur run -- ${agentKind.program} "do it"`, why: "start an agent and watch it" },
          { next: "souffleur demo", why: "see it work" },
          { next: "souffleur setup", why: "agent, hooks, notices and service, one question each" }
        ]
  return [...resuming, ...others, ...unwatched, ...planned, ...looking, ...starting]
}

const number = (count: number, one: string, more: string) => `${count} ${count === 1 ? one : more}`

/** Says in a line how much is here. */
const summary = ({ agents, jobs }: Overview): string => {
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
  return `${watched}; ${agents.length === 0 ? "no agent runs" : number(agents.length, "agent runs", "agents run")} unwatched.`
}

const linesOf = (found: Overview, dim: (text: string) => string): ReadonlyArray<string> => {
  const { agents, jobs } = found
  const part = (title: string, lines: ReadonlyArray<string>) => (lines.length === 0 ? [] : ["", dim(title), ...lines])
  const width = widest(jobs.map(({ id }) => id))
  const state = widest(jobs.map(jobLine))
  const next = nextOf(found)
  return [
    summary(found),
    ...part(
      "WATCHES AND RUNS",
      jobs.map((one) => `  ${cell(one.id, width)}  ${cell(jobLine(one), state)}  ${cell(one.project)}`)
    ),
    ...part(
      "UNWATCHED AGENTS",
      agents.map(
        ({ pid, project, session_id, status }) => `  pid ${pid}  ${cell(status)}  ${cell(project)}  ${cell(session_id)}`
      )
    ),
    ...part(
      "NEXT",
      next.flatMap((one) => [`  ${cell(one.next)}`, dim(`      ${cell(one.why)}`)])
    )
  ]
}

/** The root of all commands. Alone it says what is here. */
export const hereCommand = Command.make(
  "souffleur",
  { projectDir, json },
  Effect.fnUntraced(function* (flags) {
    const { colour } = yield* Environment
    const found = yield* overview(yield* Project)
    if (flags.json)
      return yield* printJson({
        agents: found.agents,
        jobs: found.jobs.map(jobJson),
        next: nextOf(found)
      })
    const brush = paint(colour)
    yield* printLines(linesOf(found, (text) => brush("dim", text)).join("\n"))
  })
).pipe(
  withLayers((settings) =>
    Layer.mergeAll(layerAgentFiles(settings), HookFiles.layer(settings.stateDir), layerStoreReading(settings)).pipe(
      Layer.provideMerge(layerHost)
    )
  )
)
