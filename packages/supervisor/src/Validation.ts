import {
  Agent,
  type AlreadyWatched,
  BadTarget,
  type Baseline,
  baselineOf,
  claimedIfPossible,
  Claims,
  Comms,
  Event,
  holdingOf,
  Processes,
  type ProcessIdentity,
  type Target,
  type Watch
} from "@souffleur/domain"
import { Effect, Equal, Option, Schema } from "effect"

/** A check of bootstrap that did not pass (spec: behaviour#validation). */
export class Invalid extends Schema.TaggedError<Invalid>()("Invalid", { check: Event.Check, message: Schema.String }) {}

/** Neither passed nor failed: comms is locked. Asked again without counting. */
export class Undecided extends Schema.TaggedError<Undecided>()("Undecided", { message: Schema.String }) {}

/** What generation 1 is, when all checks pass. */
export interface Validated {
  readonly conductor: ProcessIdentity
  readonly sessionId: string
  readonly print: boolean
  readonly baseline: Baseline
}

/**
 * A process that no watch may have: souffleur itself, one of its ancestors, another user's (usage errors, exit 2).
 * `detaching`: who watches is another process, of whom that one is no ancestor.
 */
export const refuseTarget = Effect.fn("Validation.refuseTarget")(function* (pid: number, detaching = false) {
  const processes = yield* Processes
  if (pid === processes.self.pid) return yield* new BadTarget({ message: `pid ${pid} is souffleur itself` })
  if (!detaching && (yield* processes.ancestors).includes(pid))
    return yield* new BadTarget({
      message: `pid ${pid} started this souffleur, which might end with it: "souffleur watch --detach" outlives it`
    })
  const found = yield* processes.find(pid)
  if (Option.isSome(found) && found.value.uid !== processes.host.uid) {
    return yield* new BadTarget({
      message: `pid ${pid} belongs to another user (uid ${found.value.uid}): run souffleur as that user`
    })
  }
})

/**
 * Who is named must not be known to be another than the Conductor: its tree is stopped one day. Where nothing is known,
 * a person's word is enough, and where the evidence is against it, only with `--force`; a reply's word needs evidence
 * for it.
 */
const unlessAnother = Effect.fnUntraced(function* (
  { correctedBy, forced }: Watch,
  process: ProcessIdentity,
  sessionId: string
) {
  const agent = yield* Agent
  const processes = yield* Processes
  const holding = yield* holdingOf(process, sessionId)
  const replied = correctedBy > 0
  // A pid file is evidence of an agent alone: of any other process it is somebody else's word.
  const holds = holding._tag === "Holds" && (!replied || agent.isAgent(yield* processes.commandLine(process.pid)))
  if (holds || (forced && !replied) || (holding._tag === "Unknown" && !replied)) return
  const known =
    holding._tag === "Another"
      ? holding.message
      : `nothing says that process ${process.pid} is an agent that holds session ${sessionId}`
  const advice = replied
    ? "a reply names the agent itself"
    : 'name that one, or release this watch and say "souffleur watch --force"'
  return yield* new Invalid({ check: "process", message: `${known}: ${advice}` })
})

/** The same of a reply, before it is taken in place of what a person has named. */
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
  const whole = Option.match(file, { onNone: () => sessionId, onSome: (one) => one.sessionId })
  yield* unlessAnother({ ...watch, correctedBy: messageId }, found.value.identity, whole)
})

const claimed =
  (check: Invalid["check"]) =>
  ({ problem }: AlreadyWatched) =>
    Effect.fail(new Invalid({ check, message: problem }))

/** The three checks, stopping at the first failure: process alive, session file there, row `souffleur` in comms. */
export const validate = Effect.fn("Validation.validate")(function* (watch: Watch, { pid, sessionId }: Target) {
  const agent = yield* Agent
  const claims = yield* Claims
  const comms = yield* Comms
  const processes = yield* Processes
  yield* Effect.catchTag(refuseTarget(pid), "BadTarget", ({ message }) =>
    Effect.fail(new Invalid({ check: "process", message }))
  )
  const found = Option.getOrUndefined(yield* processes.find(pid))
  if (found === undefined) return yield* new Invalid({ check: "process", message: `no process ${pid} is running` })
  if (found.condition === "zombie")
    return yield* new Invalid({ check: "process", message: `process ${pid} has ended (a zombie)` })

  if (!Equal.equals(watch.named, found.identity)) {
    const who =
      watch.named === null ? `pid ${pid} was nobody's when it was named` : `the process that was pid ${pid} has ended`
    return yield* new Invalid({ check: "process", message: `${who}: that pid is another one's by now` })
  }

  const session = yield* Effect.catchTag(agent.sessionFile(sessionId), "SessionNotFound", ({ message }) =>
    Effect.fail(new Invalid({ check: "session-file", message }))
  )
  yield* unlessAnother(watch, found.identity, session.sessionId)
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
  yield* Effect.catchTag(claimedIfPossible(claims.claim(found.identity)), "AlreadyWatched", claimed("process"))
  yield* Effect.catchTag(
    claimedIfPossible(claims.claim({ session: session.sessionId })),
    "AlreadyWatched",
    claimed("session-file")
  )
  return {
    conductor: found.identity,
    sessionId: session.sessionId,
    print: agent.inPrintMode(yield* processes.commandLine(pid)),
    baseline: baselineOf(snapshot)
  } satisfies Validated
})
