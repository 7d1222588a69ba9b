import {
  Agent,
  agentBelow,
  type AlreadyWatched,
  BadTarget,
  type Baseline,
  baselineOf,
  claimedIfPossible,
  Claims,
  Comms,
  Event,
  holdingOf,
  isWithin,
  namesSession,
  Processes,
  type ProcessIdentity,
  type Target,
  type Watch
} from "@souffleur/domain"
import { Effect, Equal, Option, Schema } from "effect"

/** A check of bootstrap that did not pass (spec: behaviour#validation). */
export class Invalid extends Schema.TaggedError<Invalid>()("Invalid", {
  check: Event.Check,
  message: Schema.String,
  /** Another attempt might do the work a second time. */
  final: Schema.optionalKey(Schema.Literal(true))
}) {}

/**
 * A check that neither passed nor failed, because comms is locked. The next poll asks again, and nothing is counted.
 */
export class Undecided extends Schema.TaggedError<Undecided>()("Undecided", { message: Schema.String }) {}

/** Generation 1, when all checks pass. */
export interface Validated {
  readonly conductor: ProcessIdentity
  /** See `ConductorConfirmed`. */
  readonly below?: number
  readonly sessionId: string
  /** See `ConductorConfirmed`. */
  readonly began: boolean
  readonly print: boolean
  readonly baseline: Baseline
}

/**
 * Refuses a process that no watch may have: souffleur itself, one of its ancestors, a process of another user. Fails
 * with `BadTarget` (usage error, exit 2). `detaching`: another process will watch, and the ancestors of this one are no
 * obstacle.
 */
export const refuseTarget = Effect.fn("Validation.refuseTarget")(function* (pid: number, detaching = false) {
  const processes = yield* Processes
  if (pid === processes.self.pid) return yield* new BadTarget({ message: `pid ${pid} is souffleur itself` })
  if (!detaching && (yield* processes.ancestors).includes(pid))
    return yield* new BadTarget({
      message: `pid ${pid} started this souffleur, which might end with it: a detached souffleur outlives it`
    })
  const found = yield* processes.find(pid)
  if (Option.isSome(found) && found.value.uid !== processes.host.uid) {
    return yield* new BadTarget({
      message: `pid ${pid} belongs to another user (uid ${found.value.uid}): run souffleur as that user`
    })
  }
})

/**
 * Refuses a session that works in a process that no launch can replace. Fails with `BadTarget`, and says what to type
 * instead.
 */
export const refuseSession = Effect.fn("Validation.refuseSession")(function* (sessionId: string) {
  const held = (yield* (yield* Agent).sessions).find((session) => session.sessionId === sessionId)
  if (held?.unwatchable !== undefined)
    return yield* new BadTarget({ message: `${held.unwatchable.why}: type ${held.unwatchable.next}` })
})

/**
 * Returns whether a process can only be the agent of that session, although no hook and no pid file says so. It is an
 * agent whose command line names the session, or the only agent that was started in the project. Its parent and its
 * children may be agents too, as a launcher is.
 */
const isOnlyAgent = Effect.fnUntraced(function* ({ project }: Watch, named: ProcessIdentity, sessionId: string) {
  const agent = yield* Agent
  const processes = yield* Processes
  const isAgent = (pid: number) => Effect.map(processes.commandLine(pid), agent.isAgent)
  if (!(yield* isAgent(named.pid))) return false
  const words = yield* processes.commandLine(named.pid)
  if (namesSession(words, sessionId)) return true
  const parent = Option.getOrUndefined(yield* processes.find(named.pid))?.parent
  const here = (yield* processes.carriers("PWD")).filter(({ value }) => isWithin(project, value))
  const others = here.filter(
    (one) => one.identity.pid !== named.pid && one.identity.pid !== parent && one.parent !== named.pid
  )
  const isHere = here.some(({ identity }) => identity.pid === named.pid)
  return isHere && (yield* Effect.filter(others, ({ identity }) => isAgent(identity.pid))).length === 0
})

/**
 * Returns the Conductor that a named process is, or that runs below it: a Conductor may hand over the pid of its
 * window. Refuses a process that is known to be another, because a recovery stops its tree later. A person's word is
 * enough when nothing is known. Against the evidence it needs `--force`. A reply always needs evidence for its word, so
 * that no message chooses what is stopped. Fails with `Invalid`.
 */
const conductorOf = Effect.fnUntraced(function* (watch: Watch, named: ProcessIdentity, sessionId: string) {
  const { correctedBy, forced } = watch
  const agent = yield* Agent
  const processes = yield* Processes
  const replied = correctedBy > 0
  if (forced && !replied) return named
  const holding = yield* holdingOf(named, sessionId)
  const below = yield* agentBelow(named, holding)
  const conductor = below?.identity ?? named
  const holds = below !== undefined || holding._tag === "Holds"
  // A pid file is evidence only for an agent. For any other process it is the word of another program.
  if (holds && (!replied || agent.isAgent(yield* processes.commandLine(conductor.pid)))) return conductor
  if (holding._tag === "Unknown" && (!replied || (yield* isOnlyAgent(watch, named, sessionId)))) return named
  const known =
    holding._tag === "Another"
      ? holding.message
      : `nothing says that process ${named.pid} is an agent that holds session ${sessionId}`
  const advice = replied
    ? "a reply names the agent itself"
    : 'name that process, or release this watch and use "souffleur watch --force"'
  return yield* new Invalid({ check: "process", message: `${known}: ${advice}` })
})

/**
 * Refuses the process that a reply names, as {@link validate} does, before the reply replaces a person's arguments.
 * Fails with `Invalid`.
 */
export const refuseReply = Effect.fn("Validation.refuseReply")(function* (
  watch: Watch,
  { pid, sessionId }: Target,
  messageId: number
) {
  const agent = yield* Agent
  const processes = yield* Processes
  const found = yield* processes.find(pid)
  if (Option.isNone(found)) return
  const file = yield* Effect.option(agent.sessionFile(sessionId))
  const whole = Option.match(file, { onNone: () => sessionId, onSome: (found) => found.sessionId })
  yield* conductorOf({ ...watch, correctedBy: messageId }, found.value.identity, whole)
})

const claimed =
  (check: Invalid["check"]) =>
  ({ problem }: AlreadyWatched) =>
    Effect.fail(new Invalid({ check, message: problem }))

/**
 * Runs the three checks and stops at the first failure. They ask whether the process is alive, the session file exists,
 * and comms has the row `souffleur`. Fails with `Invalid`, or with `Undecided` when comms is locked.
 */
export const validate = Effect.fn("Validation.validate")(function* (watch: Watch, { pid, sessionId }: Target) {
  const agent = yield* Agent
  const claims = yield* Claims
  const comms = yield* Comms
  const processes = yield* Processes
  const refused = (pid: number) =>
    Effect.catchTag(refuseTarget(pid), "BadTarget", ({ message }) =>
      Effect.fail(new Invalid({ check: "process", message }))
    )
  yield* refused(pid)
  const found = Option.getOrUndefined(yield* processes.find(pid))
  if (found === undefined) return yield* new Invalid({ check: "process", message: `no process ${pid} is running` })
  if (found.condition === "zombie")
    return yield* new Invalid({ check: "process", message: `process ${pid} has ended (a zombie)` })

  if (!Equal.equals(watch.named, found.identity)) {
    const who =
      watch.named === null ? `there was no process ${pid} when it was named` : `the named process ${pid} has ended`
    return yield* new Invalid({ check: "process", message: `${who}: pid ${pid} now belongs to another process` })
  }

  if (agent.lookWhere !== undefined) yield* agent.lookWhere(found.identity)
  const session = yield* Effect.catchTag(agent.sessionFile(sessionId), "SessionNotFound", ({ message }) =>
    Effect.fail(new Invalid({ check: "session-file", message }))
  )
  const conductor = yield* conductorOf(watch, found.identity, session.sessionId)
  if (conductor.pid !== pid) yield* refused(conductor.pid)
  const snapshot = yield* Effect.catchTag(comms.snapshot, "CommsUnavailable", ({ problem, reason }) =>
    Effect.fail(
      reason === "locked" || reason === "stuck"
        ? new Undecided({ message: problem })
        : new Invalid({ check: "comms-row", message: problem })
    )
  )
  if (watch.comms !== null && Option.isNone(snapshot.souffleur)) {
    return yield* new Invalid({
      check: "comms-row",
      message: `there is no row "souffleur" in ${watch.comms}: run "souffleur init"`
    })
  }
  yield* Effect.catchTag(claimedIfPossible(claims.claim(conductor)), "AlreadyWatched", claimed("process"))
  yield* Effect.catchTag(
    claimedIfPossible(claims.claim({ session: session.sessionId })),
    "AlreadyWatched",
    claimed("session-file")
  )
  return {
    conductor,
    ...(conductor.pid === pid ? {} : { below: pid }),
    sessionId: session.sessionId,
    began: true,
    print: agent.inPrintMode(yield* processes.commandLine(conductor.pid)),
    baseline: baselineOf(snapshot)
  } satisfies Validated
})
