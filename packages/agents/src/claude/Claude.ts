import { Agent, capsGiven } from "@souffleur/domain"
import type { AgentOptions, AgentPackage } from "@souffleur/process"
import { Duration, Effect, FileSystem, Layer, Option, Path } from "effect"
import type { AgentDialect, Needs } from "../kit/agent/AgentDialect.ts"
import { makeSaidAgent } from "../kit/agent/SaidAgent.ts"
import { makeStreamJsonReader } from "../kit/agent/StreamJson.ts"
import { linesBelow } from "../kit/lines/LinesBelow.ts"
import { capNames } from "./command/AgentFlags.ts"
import { agentName } from "./command/AgentProgram.ts"
import { claudeCommand, compactPrompt } from "./command/ClaudeCli.ts"
import { runsAgent } from "./command/RunsAgent.ts"
import { isOther } from "./export/OtherRecord.ts"
import { makeFolders, sessionFiles } from "./Folders.ts"
import { claudeSayings } from "./session/ClaudeSayings.ts"
import { modeIn } from "./session/Mode.ts"
import { ownLimits } from "./settings/OwnLimits.ts"

/**
 * Measured (spec: claude-code#trouble). Version 2.1.329 used 10 ms of the processor each 20 s in print mode, and each
 * second in a terminal. This held for calls without an answer (361 s) and an answer that broke off (300 s). It also
 * held for a tool that slept (420 s).
 */
export const stall = Duration.seconds(361)

const variable = "CLAUDE_CODE_SESSION_ID"

const dialectOf = (options: AgentOptions, folders: ReturnType<typeof makeFolders>): AgentDialect => ({
  ...sessionFiles,
  name: agentName(options.agentCommand),
  title: "Claude Code",
  folder: `${options.agentDir}/projects`,
  find: folders.find,
  sayings: claudeSayings,
  isOther,
  runs: (words) => runsAgent(words, options.agentCommand),
  idles: false,
  inPrintMode: (args) => {
    const flags = args.includes("--") ? args.slice(0, args.indexOf("--")) : args
    return flags.includes("-p") || flags.includes("--print")
  },
  variable,
  sessions: () => folders.sessions,
  // projects/FOLDER/ID/subagents/…/agent-ID.jsonl
  subagents: ({ path }) => Path.Path.use(({ join }) => linesBelow(join(path.slice(0, -".jsonl".length), "subagents"))),
  ownTimes: (project) => ownLimits(options, project),
  caps: capsGiven(options.agentCommand.args, options.environment, capNames),
  capNames,
  stall,
  compactPrompt,
  outputReader: makeStreamJsonReader,
  modes: () => modeIn,
  command: (order) => claudeCommand(options, order)
})

/** Returns whether Claude Code keeps a session file among those of a folder, named by the folder's real path. */
const isKeptFor = Effect.fn("isKeptFor")(function* (file: string, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const real = yield* Effect.orElseSucceed(fs.realPath(folder), () => folder)
  return path.basename(path.dirname(file)) === real.replaceAll(/[^A-Za-z0-9]/gu, "-")
})

/**
 * Claude Code as an agent. Beside its records it leaves a file for each process, and it may have several folders.
 *
 * @example
 * ```ts
 * import { Claude } from "@souffleur/agents"
 * import { Agent } from "@souffleur/domain"
 * import { HostServices, Processes } from "@souffleur/node"
 * import { Effect, Layer } from "effect"
 *
 * const claude = Claude.layer({
 *   agentDir: "/home/ada/.claude",
 *   agentCommand: { program: "claude", args: [] },
 *   environment: { PATH: "/usr/bin" }
 * })
 * const running = Agent.use(({ sessions }) => sessions).pipe(
 *   Effect.provide(Layer.provide(claude, Layer.mergeAll(HostServices.layer, Processes.layer)))
 * )
 * ```
 */
export const layer: AgentPackage["layer"] = (options) =>
  Layer.effect(
    Agent,
    Effect.gen(function* () {
      const services = yield* Effect.context<Needs>()
      const folders = makeFolders(options.agentDir)
      const said = yield* makeSaidAgent(dialectOf(options, folders))
      return Agent.of({
        ...said,
        lookWhere: (process) => Effect.provide(folders.lookWhere(process), services),
        lookIn: folders.lookIn,
        holds: (process) => Effect.provide(folders.holds(process), services),
        loginWrittenAt: () => Effect.provide(folders.loginWrittenAt, services),
        projectOf: Effect.fnUntraced(function* (sessionId, here) {
          const { path } = yield* said.sessionFile(sessionId)
          return here !== undefined && (yield* isKeptFor(path, here))
            ? Option.some(here)
            : yield* said.projectOf(sessionId)
        }, Effect.provide(services)),
        turnEnded: (process, sessionId, output) =>
          Effect.flatMap(Effect.provide(folders.leftNoPidFile(process.pid), services), (left) =>
            left ? said.turnEnded(process, sessionId, output) : Effect.succeed(false)
          ),
        tags: ({ pid, sessionId }) => [{ environment: { CLAUDE_PID: String(pid), [variable]: sessionId } }]
      })
    })
  )
