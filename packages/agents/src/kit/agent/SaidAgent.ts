import {
  Agent,
  AgentNotFound,
  agentsOwn,
  isOver,
  isSessionKnown,
  nothingSpent,
  parseSessionId,
  Processes,
  type Reported,
  type SessionFile,
  SessionNotFound,
  type SessionSigns,
  sumSpent,
  type TurnState
} from "@souffleur/domain"
import { lookTrusted } from "@souffleur/process"
import { Clock, Effect, FileSystem, Option, Path, Result } from "effect"
import { markOf } from "../lines/FileIdentity.ts"
import { newestMode } from "../lines/NewestMode.ts"
import { inHead } from "../lines/Head.ts"
import { recordOf } from "../lines/JsonRecord.ts"
import { newestWrite } from "../lines/NewestWrite.ts"
import { fromTheEnd, stateOf, writtenAtOf } from "../lines/Tail.ts"
import { makeReceipt, makeResults, makeUseCount } from "../said/SaidCounts.ts"
import { makeSaidConversation, makeSaidExport } from "../said/SaidExport.ts"
import { makeSaidPart } from "../said/SaidPart.ts"
import { makeSessionPast } from "../said/SessionPast.ts"
import { saidCompacted } from "../said/SaidCompaction.ts"
import { makeTurnReading } from "../said/SaidTurn.ts"
import type { AgentDialect, Needs, OwnTimes } from "./AgentDialect.ts"
import { begunSession } from "./BegunSession.ts"
import { carriedSessions } from "./CarriedSessions.ts"
import { makeKeptCounts } from "./KeptCounts.ts"
import { makeSessionSearch } from "./FindSession.ts"
import { makeSubagentSearch } from "./FindSubagents.ts"

/** Limits in bytes. A record of the conversation holds at most a result of a tool. */
const limits = { bytes: 8 << 20, line: 4 << 20 }

/** Makes the port of an agent by its dialect. */
export const makeSaidAgent = Effect.fn("makeSaidAgent")(function* (dialect: AgentDialect) {
  const { sayings, sessionIn, variable } = dialect
  const services = yield* Effect.context<Needs>()
  const path = yield* Path.Path
  const find = dialect.find ?? makeSessionSearch(dialect)
  const exported = makeSaidExport(dialect)
  const conversationPart = makeSaidPart({
    conversation: makeSaidConversation(dialect),
    isOther: dialect.isOther ?? (() => false)
  })
  const pastIn = makeSessionPast(() => sayings, dialect.isOther)
  const results = makeResults(sayings)
  const spend = makeUseCount(sayings)
  const receipt = makeReceipt(sayings)
  const projects = new Map<string, string>()
  const subagents = dialect.subagents ?? makeSubagentSearch(dialect)
  let seen:
    | ({ readonly state: string; readonly resumable: boolean } & Effect.Success<ReturnType<typeof readEnd>>)
    | undefined

  /** A subagent may write while its session waits for it. */
  const subagentsWroteAt = (session: SessionFile) =>
    Effect.flatMap(subagents(session), (files) =>
      Effect.forEach(files, (file) =>
        Effect.orElseSucceed(Effect.map(lookTrusted(file, agentsOwn), writtenAtOf), () => 0)
      )
    ).pipe(Effect.map((times) => Math.max(0, ...times)))
  const sessionFile = (sessionId: string) => find(sessionId).pipe(Effect.provide(services))
  /** Reads the file of a session; `otherwise` where there is none, or it cannot be read. */
  const reading = <A, E>(sessionId: string, otherwise: A, read: (file: string) => Effect.Effect<A, E, Needs>) =>
    sessionFile(sessionId).pipe(
      Effect.flatMap((file) => read(file.path)),
      Effect.orElseSucceed(() => otherwise),
      Effect.provide(services)
    )
  const projectOf = Effect.fnUntraced(function* (sessionId: string) {
    const known = projects.get(sessionId)
    if (known !== undefined) return Option.some(known)
    const file = yield* sessionFile(sessionId)
    const found = yield* inHead(file.path, (record) => {
      for (const said of sayings(record))
        if (said._tag === "Session" && typeof said.folder === "string" && path.isAbsolute(said.folder))
          return said.folder
      return undefined
    }).pipe(Effect.provide(services))
    if (Option.isSome(found)) projects.set(sessionId, found.value)
    return found
  })
  const anyProjectOf = (sessionId: string) =>
    projectOf(sessionId).pipe(
      Effect.map(Option.getOrElse(() => "")),
      Effect.orElseSucceed(() => "")
    )
  const carried = Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    // Without its folder there is no such agent, and no process is looked at.
    const there = yield* Effect.orElseSucceed(fs.exists(dialect.folder), () => false)
    return there ? yield* carriedSessions(dialect, known) : []
  })
  const readEnd = Effect.fnUntraced(function* (file: string, end = makeTurnReading(sayings)) {
    const writtenAt = yield* fromTheEnd(file, limits, (line, at) => {
      const record = recordOf(line)
      return record === undefined ? "more" : end.take(record, at)
    })
    return { writtenAt, ...end.result() }
  })
  const isResumable = Effect.fnUntraced(function* (file: string) {
    const { resumable } = dialect
    if (resumable === undefined) return true
    let found: boolean | undefined
    yield* fromTheEnd(file, limits, (line) => {
      found = resumable(recordOf(line) ?? {})
      return found === undefined ? "more" : "enough"
    })
    return found ?? false
  })
  /**
   * Returns whether the agent waits at its prompt: no turn has begun, or the turn is over and the agent does not mend
   * it.
   */
  const isIdle = (sessionId: string) =>
    reading(sessionId, true, (file) =>
      Effect.gen(function* () {
        const { mendsUntil, turn, unclear } = yield* readEnd(file)
        if (turn === undefined) return !unclear
        const mends = mendsUntil > (yield* Clock.currentTimeMillis)
        return turn._tag === "Finished" || (turn._tag === "Failed" && !mends)
      })
    )
  const isSubagent = (sessionId: string) =>
    dialect.worksFor === undefined
      ? Effect.succeed(false)
      : reading(sessionId, false, (file) => Effect.map(inHead(file, dialect.worksFor!), Option.isSome))
  const known = { projectOf: anyProjectOf, isIdle, isSubagent }
  const sessions = Effect.provide(dialect.sessions?.(known) ?? carried, services)
  /** Returns a failed turn that the agent may mend by itself. It is outstanding as long as the agent lives. */
  const mended = (sessionId: string, turn: TurnState | undefined) =>
    Effect.map(sessions, (living) =>
      turn !== undefined && living.some((one) => one.sessionId === sessionId)
        ? ({ _tag: "Asked", at: turn.at } as const)
        : turn
    )
  /** Returns the turn that the output of a launch tells; `undefined`: there is no such output, or it tells none. */
  const turnIn = (output: string | undefined) =>
    output === undefined || dialect.outputSayings === undefined
      ? Effect.succeed(undefined)
      : readEnd(output, makeTurnReading(dialect.outputSayings(), { contextToo: false })).pipe(
          Effect.map(({ turn }) => turn),
          Effect.orElseSucceed(() => undefined),
          Effect.provide(services)
        )
  const signs = (sessionId: string, output?: string) =>
    reading(sessionId, Option.none<SessionSigns>(), (file) =>
      Effect.gen(function* () {
        const info = yield* lookTrusted(file, agentsOwn)
        const times: OwnTimes =
          dialect.ownTimes === undefined ? { call: 0 } : yield* dialect.ownTimes(yield* anyProjectOf(sessionId))
        const state = `${file} ${stateOf(info)} ${times.state ?? ""}`
        const end = makeTurnReading(sayings, { limitOf: times.ofTool })
        seen =
          seen?.state === state ? seen : { state, ...(yield* readEnd(file, end)), resumable: yield* isResumable(file) }
        const { context, limits: serviceLimits, mendsUntil, refused, resumable, writtenAt } = seen
        const turn = (yield* turnIn(output)) ?? seen.turn
        const mends = turn?._tag === "Failed" && mendsUntil > (yield* Clock.currentTimeMillis)
        return Option.some<SessionSigns>({
          writtenAt: Math.max(writtenAt, yield* subagentsWroteAt({ path: file, sessionId })),
          context,
          idles: dialect.idles,
          turn: mends ? yield* mended(sessionId, turn) : turn,
          ...(serviceLimits.length > 0 ? { limits: serviceLimits } : {}),
          ...(times.call > 0 ? { callLimit: times.call } : {}),
          ...(refused ? { refused } : {}),
          ...(resumable ? {} : { resumable })
        })
      })
    )
  const filesOf = (sessionId: string) =>
    reading(sessionId, [] as ReadonlyArray<string>, (file) =>
      Effect.map(subagents({ path: file, sessionId }), (below) => [file, ...below])
    )
  const resultsIn = makeKeptCounts(filesOf, 0, (file) =>
    Effect.map(Effect.provide(results(file), services), ({ progress }) => progress)
  )
  const spentIn = makeKeptCounts(filesOf, nothingSpent, (file, own, since) =>
    // The state of a follower keeps changing. A user bounds the turns and the calls of the session itself.
    Effect.map(Effect.provide(spend(file, since), services), ({ calls, credits, dollars, tokens, turns }) => ({
      calls: own ? calls : 0,
      credits,
      dollars,
      tokens,
      turns: own ? turns : 0
    }))
  )
  const tag = (sessionId: string) => ({ environment: { [variable]: sessionId } })

  const said = Agent.of({
    name: dialect.name,
    caps: dialect.caps,
    capNames: dialect.capNames,
    ...(dialect.exits === undefined ? {} : { exits: dialect.exits }),
    stall: dialect.stall,
    compactPrompt: dialect.compactPrompt ?? null,
    ...(sessionIn === undefined
      ? {}
      : {
          sessionOf: Effect.fnUntraced(function* (launch: Reported) {
            // The pid of an ended launch may be another agent's.
            const isEnded = isOver(yield* (yield* Processes).condition(launch.process))
            const held = isEnded ? undefined : (yield* sessions).find(({ pid }) => pid === launch.process.pid)
            if (held !== undefined) return Option.some(held.sessionId)
            const said = launch.output === undefined ? Option.none<string>() : yield* sessionIn(launch.output)
            // As long as it lives, its own sign tells more. A window keeps no output after the end.
            const isSought = Option.isNone(said) && dialect.idsLike === undefined
            return isSought && isEnded ? yield* begunSession(dialect, launch) : said
          }, Effect.provide(services))
        }),
    ...(dialect.loginFiles === undefined
      ? {}
      : { loginWrittenAt: () => Effect.provide(newestWrite(dialect.loginFiles!), services) }),
    ...(dialect.answersInForm === undefined ? {} : { answersInForm: dialect.answersInForm }),
    sessions,
    holds: Effect.fnUntraced(function* (process) {
      // The pid of an ended process may be another agent's.
      if (isOver(yield* (yield* Processes).condition(process))) return Option.none()
      const [one, ...more] = (yield* sessions).filter(({ pid }) => pid === process.pid)
      // A process that carries the marks of several holds one of them, and nothing tells which one.
      return more.length > 0 ? Option.none() : Option.fromUndefinedOr(one?.sessionId)
    }, Effect.provide(services)),
    sessionFile,
    projectOf,
    mark: Effect.fnUntraced(function* (sessionId) {
      const file = yield* sessionFile(sessionId)
      return yield* markOf(file).pipe(
        Effect.mapError(({ message }) => new SessionNotFound({ sessionId, reason: "missing", message })),
        Effect.provide(services)
      )
    }),
    compactedSince: (mark) => Effect.provide(saidCompacted(sayings, mark), services),
    toolResults: (sessionIds) =>
      Effect.map(resultsIn(sessionIds), (counts) => counts.reduce((sum, count) => sum + count, 0)),
    usedTools: (sessionId) => reading(sessionId, false, (file) => Effect.map(results(file), ({ any }) => any)),
    isAgent: dialect.runs,
    inPrintMode: dialect.inPrintMode ?? (() => true),
    turnEnded: (_, sessionId, output) =>
      Effect.map(signs(sessionId, output), (said) => Option.exists(said, ({ turn }) => turn?._tag === "Finished")),
    signs,
    mode: (sessionId) =>
      reading(sessionId, Option.none(), (file) => {
        const modeIn = dialect.modes?.()
        return modeIn === undefined ? Effect.succeedNone : newestMode(file, modeIn)
      }),
    lastAnswer: (sessionId) =>
      reading(sessionId, "", (file) => {
        let found = ""
        const read = fromTheEnd(file, limits, (line) => {
          const answers = sayings(recordOf(line) ?? {}).flatMap((said) => (said._tag === "Answer" ? [said.text] : []))
          found = answers.join("\n")
          return found === "" ? "more" : "enough"
        })
        return Effect.map(read, () => found)
      }),
    conversation: (sessionId, place) => reading(sessionId, Option.none(), (file) => conversationPart(file, place)),
    past: (sessionId, bytes) => reading(sessionId, Option.none(), (file) => pastIn(file, bytes)),
    outputReader: (into) =>
      into === "pipe" && dialect.addsFormat !== true
        ? () => Option.none()
        : (dialect.outputReader?.() ?? (() => Option.none())),
    handoffTaken: (sessionId, launchId) =>
      reading(sessionId, Option.none(), (file) =>
        Effect.map(receipt(file, launchId), ({ taken }) => Option.fromUndefinedOr(taken))
      ),
    spent: (sessionIds, since) => Effect.map(spentIn(sessionIds, String(since)), sumSpent),
    exportSession: Effect.fnUntraced(function* (sessionId, out, newest) {
      const file = yield* sessionFile(sessionId)
      return yield* exported(file.path, out, newest).pipe(Effect.provide(services))
    }),
    tags: ({ sessionId }) => (isSessionKnown(sessionId) ? [tag(sessionId)] : []),
    sessionTag: tag,
    command: ({ file: path, session, ...order }) =>
      // An agent that chooses its ids begins a session without one.
      (session._tag === "Resume" || sessionIn === undefined) && Result.isFailure(parseSessionId(session.sessionId))
        ? Effect.fail(new AgentNotFound({ program: dialect.name, problem: "the session id cannot be one" }))
        : order.heldTo !== undefined && dialect.modes === undefined
          ? Effect.fail(
              new AgentNotFound({
                program: dialect.name,
                problem: "the session asks a person before it changes anything, and this agent cannot be held to that"
              })
            )
          : Effect.provide(
              dialect.command(
                { ...order, session },
                path === undefined ? sessionFile : (sessionId) => Effect.succeed({ path, sessionId })
              ),
              services
            )
  })
  return dialect.own === undefined ? said : Agent.of({ ...said, ...(yield* dialect.own(said)) })
})
