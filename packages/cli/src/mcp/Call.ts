import { CommsLink, CommsUnavailable } from "@souffleur/domain"
import { Effect, Schedule } from "effect"
import { commsLink, host, launches, settingsOf, store } from "../world/App.ts"
import { type CallContext, lookUp, projectHere } from "./CallContext.ts"
import { ToolFailed } from "./Tools.ts"

/** Another program's lock is waited for so long, in all. */
const untilUnlocked = Schedule.spaced("100 millis").pipe(Schedule.jittered, Schedule.upTo({ duration: "5 seconds" }))

const afterwards: Record<CommsUnavailable["reason"], string> = {
  locked: "It is locked by another program: call this again in a moment.",
  missing: '"souffleur init" makes one.',
  foreign: '"souffleur doctor" says what is wrong with it.',
  stuck: '"souffleur doctor" says what is wrong with it.',
  schema: '"souffleur doctor" says what is wrong with it.',
  failed: '"souffleur doctor" says what is wrong with it.'
}

/** A failure as the model hears it: what is the matter, and what to do. */
const heard = (failure: Error): ToolFailed => {
  if (failure instanceof ToolFailed) return failure
  if (failure instanceof CommsUnavailable)
    return new ToolFailed({ message: `The task database: ${failure.message}. ${afterwards[failure.reason]}` })
  return new ToolFailed({ message: `souffleur: ${failure.message}.` })
}

/**
 * One call of a tool: everything is looked at anew, and closed again after it, so that nothing is held while the model
 * thinks.
 */
export const call = <A, E extends Error, R>(act: (here: CallContext) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const project = yield* projectHere
    const settings = yield* settingsOf(project)
    return yield* Effect.flatMap(lookUp(project), act).pipe(Effect.provide([store(settings), launches(settings), host]))
  }).pipe(Effect.mapError(heard))

/** How a person has this session watched. */
export const startWith = ({ project, session }: CallContext): string =>
  `a person starts watching with: souffleur watch --pid <pid of the agent> --session-id ${session || "<session id>"} --project-dir ${project}`

const noBoard = (here: CallContext) =>
  new ToolFailed({
    message:
      here.watched === undefined
        ? `There is no task database in ${here.project}, and nobody watches it. "souffleur init" makes the database; ${startWith(here)}`
        : `The watch ${here.watched.id} has no task database (solo). CallContext are heartbeat, request_context_recovery, done, my_state and status.`
  })

/** One statement on the task database of here, tried again while another program holds it. */
export const onComms = <A>(
  here: CallContext,
  act: (link: CommsLink["Service"]) => Effect.Effect<A, CommsUnavailable>
) =>
  here.comms === null
    ? Effect.fail(noBoard(here))
    : CommsLink.use(act).pipe(
        Effect.retry({ while: ({ reason }) => reason === "locked", schedule: untilUnlocked }),
        Effect.provide(commsLink(here.comms))
      )

/** Only the Conductor may speak as task-00: another's beat would hide its death, another's word end its work. */
export const asConductor = (here: CallContext): Effect.Effect<void, ToolFailed> => {
  if (here.role === "conductor" || here.role === "unwatched") return Effect.void
  const { id, watch } = here.watched!
  return Effect.fail(
    new ToolFailed({
      message: `You are session ${here.session}, not the Conductor: ${id} watches session ${watch.sessionId} (generation ${watch.generation}). Only that one may say this.`
    })
  )
}
