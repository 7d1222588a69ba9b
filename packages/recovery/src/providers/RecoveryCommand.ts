import {
  Agent,
  agentAtWork,
  ceilingNow,
  digestOf,
  folderOf,
  isWithin,
  lower,
  parsePid,
  parseSessionId,
  plain,
  ProcessIdentity,
  Processes,
  Settings,
  stepNames,
  type Watch
} from "@souffleur/domain"
import { turnBefore } from "@souffleur/process"
import { Effect, Option, Result, Schedule, Schema } from "effect"
import { askOnceMore } from "../RecoverySchedule.ts"
import { RecoveryProgram } from "../program/RecoveryProgram.ts"
import { Escalated, FailedClosed, type Provider, type StepServices } from "../Provider.ts"
import { newestSession } from "../steps/ExportConversation.ts"
import { awaitSuccessor, outwaitProgram } from "../program/FoundSuccessor.ts"
import { grant } from "../launch/Launch.ts"
import { prepareSuccessor } from "../launch/LaunchSuccessor.ts"
import { unhindered } from "../launch/LaunchHindrance.ts"
import { promptToContinue, signed } from "../launch/LaunchPrompt.ts"
import { type Request, resumePromptOf } from "../steps/Request.ts"
import { stopConductor } from "../steps/StopConductor.ts"
import { Cycle, step, stillGranted } from "../steps/Step.ts"

const name = stepNames.recoveryCommand
const attempts = [`${name}#1`, `${name}#2`] as const
/** UTF-16 units of the program's notes, which go to the log. */
const maxNotes = 500

/** The answer of the program on standard output: one JSON object (docs/providers.md). */
const Answer = Schema.Union([
  Schema.Struct({
    status: Schema.Literals(["success", "failed"]),
    relaunch_started: Schema.Boolean,
    new_conductor_pid: Schema.optionalKey(Schema.Unknown),
    resumed_session_id: Schema.optionalKey(Schema.Unknown),
    notes: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({ applies: Schema.Literal(false), notes: Schema.optionalKey(Schema.String) })
])
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Answer))

/** The program says that it launched nothing, or it never ran. */
export class NothingLaunched extends Schema.TaggedError<NothingLaunched>()("NothingLaunched", {
  message: Schema.String,
  /** True if it may be asked once more. */
  again: Schema.Boolean
}) {}

/**
 * What came of a program that may have launched a successor. `Unseen`: it says so, and no process is found. `Lost`:
 * nothing may run beside what it did, or did not do.
 */
const Begun = Schema.Union([
  Schema.TaggedStruct("Found", { conductor: ProcessIdentity, sessionId: Schema.String }),
  Schema.TaggedStruct("Unseen", { sessionId: Schema.String, named: Schema.Boolean }),
  Schema.TaggedStruct("Lost", { message: Schema.String })
])

/** A watch whose program is asked. */
interface Asked {
  readonly watch: Watch
  readonly launchId: string
  /** The session that the program is to go on with. */
  readonly sessionId: string
}

/** What the program said of its launch. */
interface Said {
  /** Why it is not known to have succeeded; `undefined`: it says that it has. */
  readonly problem: string | undefined
  readonly pid?: unknown
  readonly session?: unknown
}

/** Returns the session that the program named, where it is one of the watch's project. */
const namedSession = Effect.fnUntraced(function* ({ sessions, project }: Watch, named: unknown) {
  const agent = yield* Agent
  const id = Result.getOrUndefined(parseSessionId(typeof named === "string" ? named : ""))
  if (id === undefined || sessions.includes(id)) return id
  const file = yield* Effect.option(agent.sessionFile(id))
  return Option.isSome(file) && isWithin(project, yield* folderOf(id)) ? file.value.sessionId : undefined
})

/** Looks for what the program may have launched. Nothing else is launched in this cycle, whatever is found. */
const begun = Effect.fnUntraced(function* ({ launchId, sessionId: asked, watch }: Asked, said: Said) {
  const { permissionOf } = yield* RecoveryProgram
  const { watch: ref } = yield* Cycle
  const named = yield* namedSession(watch, said.session)
  const sessionId = named ?? asked
  const pid = Result.getOrUndefined(parsePid(String(said.pid)))
  const found = yield* awaitSuccessor({ sessionId, launchId, pid })
  if (found === undefined) {
    const unseen = said.problem ?? `it says that it launched a successor, and no agent is found that holds ${sessionId}`
    return said.problem === undefined && watch.comms !== null
      ? { _tag: "Unseen" as const, sessionId, named: named !== undefined }
      : { _tag: "Lost" as const, message: `${unseen}: whether a successor runs is unknown` }
  }
  const { conductor, words } = found
  const ceiling = yield* ceilingNow(ref.dispatch)
  const permission = Option.getOrUndefined(permissionOf(words))
  if (permission !== undefined && lower(permission, ceiling) !== permission)
    return {
      _tag: "Lost" as const,
      message: `process ${conductor.pid}, which it launched, has permission ${permission}, above the ceiling ${ceiling}`
    }
  return { _tag: "Found" as const, conductor, sessionId }
})

/** Asks the program once. The intent forbids every other launch, unless the program says that it launched nothing. */
const asked = (order: Asked, request: Request, number: number) =>
  step(attempts[number]!, {
    kind: "launch",
    outcome: Begun,
    failure: NothingLaunched,
    act: Effect.fnUntraced(function* () {
      const { launchId, sessionId, watch } = order
      const { compactTimeout } = yield* Settings
      const { ask } = yield* RecoveryProgram
      const { number: cycle, watch: ref } = yield* Cycle
      yield* unhindered(watch)
      const ceiling = yield* ceilingNow(ref.dispatch)
      const { effective, heldTo } = yield* grant(watch, request, ceiling)
      const question = {
        watch: ref.id,
        cycle,
        attempt: number + 1,
        trigger: watch.recovery!.trigger,
        project: watch.project,
        comms: watch.comms,
        agent: agentAtWork(watch) ?? null,
        session_id: sessionId,
        sessions: watch.sessions,
        conductor: watch.conductor ?? null,
        generation: watch.generation,
        permission: { requested: request.requested, effective, held_to: heldTo, ceiling },
        prompt: yield* promptFor(order, request),
        launch_id: launchId
      }
      const printed = yield* Effect.result(ask(question, compactTimeout))
      if (Result.isFailure(printed)) {
        const { message, ran } = printed.failure
        return ran ? yield* begun(order, { problem: message }) : yield* new NothingLaunched({ message, again: false })
      }
      const answer = Option.getOrUndefined(yield* Effect.option(decode(printed.success)))
      if (answer === undefined)
        return yield* begun(order, { problem: "its answer does not have the form of docs/providers.md" })
      const notes = answer.notes === undefined ? "" : `: ${plain(answer.notes, maxNotes)}`
      if ("applies" in answer)
        return yield* new NothingLaunched({ message: `it does not apply here${notes}`, again: false })
      if (!answer.relaunch_started)
        return yield* new NothingLaunched({ message: `it launched nothing${notes}`, again: true })
      return yield* begun(order, {
        problem: answer.status === "success" ? undefined : `its relaunch failed${notes}`,
        pid: answer.new_conductor_pid,
        session: answer.resumed_session_id
      })
    }),
    reconcile: Effect.fnUntraced(function* () {
      yield* outwaitProgram(order, stillGranted(order.watch))
      return Option.some(yield* begun(order, { problem: "souffleur was gone before it had answered" }))
    })
  })

const promptFor = ({ launchId, watch }: Asked, request: Request) =>
  Effect.map(resumePromptOf(watch, request), (words) => signed(promptToContinue(watch, words), launchId))

/** Lets a program of the user launch the successor (spec: behaviour#recovery_command). */
export const recoveryCommand: Provider<StepServices> = {
  name,
  // A cycle that has asked keeps to it, whatever the settings say now.
  applies: ({ handedFrom, recovery }, settings) =>
    handedFrom === undefined && (settings.recoveryCommand !== null || recovery?.steps[attempts[0]] !== undefined),
  recover: Effect.fn("recover")(function* (watch: Watch, { alreadyKilled, request }) {
    const agent = yield* Agent
    const processes = yield* Processes
    const { number: cycle, watch: ref } = yield* Cycle
    if (watch.provider === name && watch.retries > 0)
      return yield* new Escalated({
        stage: name,
        message: "what it launched died again without progress",
        alreadyKilled
      })
    if (!alreadyKilled) yield* stopConductor(watch)
    const launchId = `${ref.id}-g${watch.generation + 1}-c${cycle}-program`
    const { baseline, sessionId } = yield* prepareSuccessor(
      watch,
      `prepare ${name}`,
      request,
      Effect.gen(function* () {
        // First, because the log keeps one undecided launch alone.
        yield* unhindered(watch)
        const sessionId = yield* newestSession(watch)
        const digest = yield* digestOf(yield* promptFor({ watch, launchId, sessionId }, request))
        const ceiling = yield* ceilingNow(ref.dispatch)
        yield* ref.dispatch({
          _tag: "PrepareLaunch",
          cycle,
          launchId,
          digest,
          sessionId,
          requested: request.requested,
          ...(yield* grant(watch, request, ceiling)),
          turnBefore: yield* turnBefore(sessionId)
        })
        return sessionId
      })
    )
    const order = { watch, launchId, sessionId }
    const outcome = yield* Effect.flatMap(Schedule.CurrentMetadata, ({ attempt }) =>
      asked(order, request, attempt)
    ).pipe(
      Effect.retry({ schedule: askOnceMore, while: (error) => error instanceof NothingLaunched && error.again }),
      Effect.catchTag("NothingLaunched", ({ message }) =>
        Effect.fail(new Escalated({ stage: name, message, alreadyKilled: true }))
      )
    )
    if (outcome._tag === "Lost") return yield* new FailedClosed({ stage: name, message: outcome.message })
    const conductor = outcome._tag === "Found" ? outcome.conductor : null
    return {
      launchId,
      conductor,
      print: conductor !== null && agent.inPrintMode(yield* processes.commandLine(conductor.pid)),
      sessionId: outcome.sessionId,
      // Another session than the one that was asked for is told by comms.
      awaiting: outcome._tag === "Unseen" && !outcome.named,
      exportPath: null,
      baseline
    }
  })
}
