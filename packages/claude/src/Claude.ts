import { Agent, capsGiven, type Processes, SessionNotFound, sumSpent } from "@souffleur/domain"
import type { AgentOptions, TrustedFiles } from "@souffleur/process"
import { makeSaidPart, makeStreamJsonReader, markOf, newestMode } from "@souffleur/session"
import { Duration, Effect, type FileSystem, Layer, Option, type Path } from "effect"
import { makeFolders } from "./Folders.ts"
import { capNames } from "./command/AgentFlags.ts"
import { agentName } from "./command/AgentProgram.ts"
import { claudeCommand, compactPrompt, takesForm } from "./command/ClaudeCli.ts"
import { compactedSince } from "./session/CompactBoundary.ts"
import { makeHandoffReceipt } from "./session/HandoffReceipt.ts"
import { subagentsOf } from "./session/SessionFile.ts"
import { isKeptFor, projectOf } from "./Project.ts"
import { lastTurnEnded, makeSessionSigns } from "./session/SessionSigns.ts"
import { modeIn } from "./session/Mode.ts"
import { lastAnswer } from "./session/LastAnswer.ts"
import { runsAgent } from "./command/RunsAgent.ts"
import { makeToolResults } from "./session/ToolResults.ts"
import { makeSpend } from "./session/Spend.ts"
import { ownLimits } from "./settings/OwnLimits.ts"
import { makeConversation } from "./export/ClaudeConversation.ts"
import { exportTranscript, isOther } from "./export/ClaudeExport.ts"
import { claudePast } from "./export/ClaudePast.ts"

/**
 * Measured (spec: claude-code#trouble). Version 2.1.329 used 10 ms of the processor each 20 s in print mode, and each
 * second in a terminal. This held for calls without an answer (361 s) and an answer that broke off (300 s). It also
 * held for a tool that slept (420 s).
 */
export const stall = Duration.seconds(361)

/**
 * Claude Code as an agent.
 *
 * @example
 * ```ts
 * import { Claude } from "@souffleur/claude"
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
export const layer = (
  options: AgentOptions
): Layer.Layer<Agent, never, FileSystem.FileSystem | Path.Path | Processes | TrustedFiles> =>
  Layer.effect(
    Agent,
    Effect.gen(function* () {
      const services = yield* Effect.context<FileSystem.FileSystem | Path.Path | Processes | TrustedFiles>()
      const [handoffTaken, sessionSigns, spend] = [makeHandoffReceipt(), makeSessionSigns(), makeSpend()]
      const folders = makeFolders(options.agentDir)
      const sessionFile = (sessionId: string) => folders.sessionFile(sessionId).pipe(Effect.provide(services))
      const results = makeToolResults()
      const conversationPart = makeSaidPart({ conversation: makeConversation, isOther })
      /** The files of each session and its subagents, as last seen: what was done there stays done. */
      const seen = new Map<string, ReadonlyArray<string>>()
      const filesOf = (sessionId: string) =>
        sessionFile(sessionId).pipe(
          Effect.flatMap(({ path }) => Effect.map(subagentsOf(path), (below) => [path, ...below])),
          Effect.tap((files) => Effect.sync(() => seen.set(sessionId, files))),
          Effect.orElseSucceed(() => seen.get(sessionId) ?? [])
        )
      /** The folder of each session that was looked at. */
      const projects = new Map<string, string>()
      return Agent.of({
        name: agentName(options.agentCommand),
        caps: capsGiven(options.agentCommand.args, options.environment, capNames),
        capNames,
        stall,
        ...(takesForm(options.agentCommand) ? { answersInForm: "at the end" } : {}),
        compactPrompt,
        sessions: folders.sessions.pipe(Effect.provide(services)),
        holds: (process) => folders.holds(process).pipe(Effect.provide(services)),
        lookWhere: (process) => folders.lookWhere(process).pipe(Effect.provide(services)),
        lookIn: folders.lookIn,
        loginWrittenAt: () => folders.loginWrittenAt.pipe(Effect.provide(services)),
        sessionFile,
        exportSession: Effect.fn("Claude.exportSession")(function* (sessionId, out, newest) {
          const { path } = yield* sessionFile(sessionId)
          return yield* exportTranscript(path, out, newest).pipe(Effect.provide(services))
        }),
        projectOf: Effect.fnUntraced(function* (sessionId, here) {
          const { path } = yield* sessionFile(sessionId)
          return here !== undefined && (yield* isKeptFor(path, here)) ? Option.some(here) : yield* projectOf(path)
        }, Effect.provide(services)),
        mark: Effect.fnUntraced(function* (sessionId) {
          const file = yield* sessionFile(sessionId)
          return yield* markOf(file).pipe(
            Effect.mapError(
              (error) =>
                new SessionNotFound({ sessionId, reason: "missing", message: `${file.path}: ${error.message}` })
            ),
            Effect.provide(services)
          )
        }),
        compactedSince: (mark) => Effect.provide(compactedSince(mark), services),
        toolResults: Effect.fnUntraced(function* (sessionIds) {
          return yield* results.count((yield* Effect.forEach(sessionIds, filesOf)).flat())
        }, Effect.provide(services)),
        usedTools: Effect.fnUntraced(function* (sessionId) {
          const file = yield* Effect.option(sessionFile(sessionId))
          return Option.isSome(file) && (yield* results.any(file.value.path))
        }, Effect.provide(services)),
        isAgent: (words) => runsAgent(words, options.agentCommand),
        inPrintMode: (args) => {
          const flags = args.includes("--") ? args.slice(0, args.indexOf("--")) : args
          return flags.includes("-p") || flags.includes("--print")
        },
        turnEnded: Effect.fnUntraced(function* ({ pid }, sessionId) {
          const file = yield* Effect.option(sessionFile(sessionId))
          if (Option.isNone(file) || !(yield* folders.leftNoPidFile(pid))) return false
          return lastTurnEnded(yield* sessionSigns(file.value.path))
        }, Effect.provide(services)),
        signs: Effect.fnUntraced(function* (sessionId) {
          const file = yield* Effect.option(sessionFile(sessionId))
          if (Option.isNone(file)) return Option.none()
          const { path } = file.value
          const project = projects.get(path) ?? Option.getOrUndefined(yield* projectOf(path))
          if (project !== undefined) projects.set(path, project)
          return yield* sessionSigns(path, yield* ownLimits(options, project))
        }, Effect.provide(services)),
        mode: Effect.fnUntraced(function* (sessionId) {
          const file = yield* Effect.option(sessionFile(sessionId))
          return Option.isNone(file) ? Option.none() : yield* newestMode(file.value.path, modeIn)
        }, Effect.provide(services)),
        lastAnswer: Effect.fnUntraced(function* (sessionId) {
          const file = yield* Effect.option(sessionFile(sessionId))
          return Option.isNone(file) ? "" : yield* lastAnswer(file.value.path)
        }, Effect.provide(services)),
        conversation: Effect.fnUntraced(function* (sessionId, place) {
          const file = yield* Effect.option(sessionFile(sessionId))
          return Option.isNone(file) ? Option.none() : yield* conversationPart(file.value.path, place)
        }, Effect.provide(services)),
        past: Effect.fnUntraced(function* (sessionId, bytes) {
          const file = yield* Effect.option(sessionFile(sessionId))
          return Option.isNone(file) ? Option.none() : yield* claudePast(file.value.path, bytes)
        }, Effect.provide(services)),
        // Only a flag of the user's own asks for records.
        outputReader: (into) => (into === "pipe" ? () => Option.none() : makeStreamJsonReader()),
        handoffTaken: Effect.fnUntraced(function* (sessionId, launchId) {
          const file = yield* Effect.option(sessionFile(sessionId))
          return Option.isNone(file) ? Option.none() : yield* handoffTaken(file.value.path, launchId)
        }, Effect.provide(services)),
        spent: Effect.fnUntraced(function* (sessionIds, since) {
          const files = (yield* Effect.forEach(sessionIds, filesOf)).flat()
          return sumSpent(yield* Effect.forEach(files, (file) => spend(file, since)))
        }, Effect.provide(services)),
        tags: ({ pid, sessionId }) => [{ environment: { CLAUDE_PID: String(pid), CLAUDE_CODE_SESSION_ID: sessionId } }],
        sessionTag: (sessionId) => ({ environment: { CLAUDE_CODE_SESSION_ID: sessionId } }),
        command: (order) => claudeCommand(options, order).pipe(Effect.provide(services))
      })
    })
  )
