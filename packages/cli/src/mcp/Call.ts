import { CommsErrand } from "@souffleur/comms"
import { CommsLink, CommsUnavailable } from "@souffleur/domain"
import { Effect } from "effect"
import { layerCommsLink, layerSouffleur, settingsOf } from "@souffleur/embed/internal"
import { sentenceOf } from "../Failure.ts"
import { type CallContext, lookUp, projectHere } from "./CallContext.ts"
import { ToolFailed } from "./Tools.ts"

const afterwards: Record<CommsUnavailable["reason"], string> = {
  locked: "It is locked by another program: call this again in a moment.",
  missing: '"souffleur init" makes one.',
  foreign: '"souffleur doctor" says what is wrong with it.',
  stuck: '"souffleur doctor" says what is wrong with it.',
  schema: '"souffleur doctor" says what is wrong with it.',
  row: '"souffleur init" makes the row.',
  failed: '"souffleur doctor" says what is wrong with it.'
}

/** Turns a failure into words for the model: the problem, and what to do. */
const heard = (failure: Error): ToolFailed => {
  if (failure instanceof ToolFailed) return failure
  if (failure instanceof CommsUnavailable)
    return new ToolFailed({ message: `comms: ${failure.message}. ${afterwards[failure.reason]}` })
  return new ToolFailed({ message: `souffleur: ${sentenceOf(failure)}.` })
}

/**
 * Runs one call of a tool. It opens everything for this call and closes it afterwards, so that nothing is held while
 * the model thinks. Fails with `ToolFailed`.
 */
export const call = <A, E extends Error, R>(act: (here: CallContext) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const project = yield* projectHere
    const settings = yield* settingsOf(project)
    return yield* Effect.provide(Effect.flatMap(lookUp(project), act), layerSouffleur(settings))
  }).pipe(Effect.mapError(heard))

/** Says how a person starts a watch of this session. */
export const startWith = ({ project, session }: CallContext): string =>
  `a person starts watching with: souffleur watch --pid <pid of the agent> --session-id ${session || "<session id>"} --project-dir ${project}`

const noComms = (here: CallContext) =>
  new ToolFailed({
    message:
      here.watched === undefined
        ? `There is no comms.db in ${here.project}, and souffleur does not watch it. "souffleur init" makes the database; ${startWith(here)}`
        : `The watch ${here.watched.id} has no comms (solo). Here there are heartbeat, request_context_recovery, done, my_state and status.`
  })

/**
 * Runs one statement on comms, and tries again while another program holds it. Fails with `ToolFailed`
 * where there is no database, and with `CommsUnavailable` where it cannot be used.
 */
export const onComms = <A>(
  here: CallContext,
  act: (link: CommsLink["Service"]) => Effect.Effect<A, CommsUnavailable>
) =>
  here.comms === null
    ? Effect.fail(noComms(here))
    : Effect.provide(CommsErrand.patiently(CommsLink.use(act)), layerCommsLink(here.comms))

/**
 * Lets only the Conductor speak as task-00. A beat of another agent would hide its death, and another's word could end
 * its work. Fails with `ToolFailed` for another session.
 */
export const asConductor = (here: CallContext): Effect.Effect<void, ToolFailed> => {
  if (here.role === "conductor" || here.role === "unwatched") return Effect.void
  const { id, watch } = here.watched!
  return Effect.fail(
    new ToolFailed({
      message: `You are session ${here.session}, not the Conductor: ${id} watches session ${watch.sessionId} (generation ${watch.generation}). Only that one may say this.`
    })
  )
}
