import type { Agent } from "@souffleur/domain"
import { Effect, FileSystem, Option, Path } from "effect"
import type { Needs } from "../kit/agent/AgentDialect.ts"
import type { SaidFacts } from "../kit/agent/SaidPackage.ts"
import { makeStreamJsonReader } from "../kit/agent/StreamJson.ts"
import { linesBelow } from "../kit/lines/LinesBelow.ts"
import { claudeCommand, claudeCompactPrompt, claudeTakesForm } from "./command/ClaudeCommand.ts"
import { isOtherRecord } from "./export/OtherRecord.ts"
import { makeFolders, sessionFiles } from "./Folders.ts"
import { claudeSayings } from "./session/ClaudeSayings.ts"
import { modeIn } from "./session/Mode.ts"
import { ownLimits } from "./settings/OwnLimits.ts"

const variable = "CLAUDE_CODE_SESSION_ID"

/** Returns whether Claude Code keeps a session file among those of a folder, named by the folder's real path. */
const isKeptFor = Effect.fn("isKeptFor")(function* (file: string, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const real = yield* Effect.orElseSucceed(fs.realPath(folder), () => folder)
  return path.basename(path.dirname(file)) === real.replaceAll(/[^A-Za-z0-9]/gu, "-")
})

/** Says what only Claude Code has: it leaves a file for each process, and may have several folders. */
export const claudeDialect: SaidFacts["dialect"] = (options) => {
  const folders = makeFolders(options.agentDir)
  return {
    ...sessionFiles,
    find: folders.find,
    sayings: claudeSayings,
    isOther: isOtherRecord,
    ...(claudeTakesForm(options.agentCommand) ? { answersInForm: "at the end" } : {}),
    idles: false,
    inPrintMode: (args) => {
      const flags = args.includes("--") ? args.slice(0, args.indexOf("--")) : args
      return flags.includes("-p") || flags.includes("--print")
    },
    variable,
    sessions: () => folders.sessions,
    // projects/FOLDER/ID/subagents/…/agent-ID.jsonl
    subagents: ({ path }) =>
      Path.Path.use(({ join }) => linesBelow(join(path.slice(0, -".jsonl".length), "subagents"))),
    ownTimes: (project) => ownLimits(options, project),
    compactPrompt: claudeCompactPrompt,
    outputReader: makeStreamJsonReader,
    modes: () => modeIn,
    command: (order) => claudeCommand(options, order),
    own: Effect.fnUntraced(function* (said) {
      const services = yield* Effect.context<Needs>()
      return {
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
      } satisfies Partial<Agent["Service"]>
    })
  }
}
