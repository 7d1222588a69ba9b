import {
  Agent,
  agentBelow,
  BadTarget,
  Claims,
  claimTried,
  holdingOf,
  Processes,
  type Target,
  type Watch
} from "@souffleur/domain"
import { programOfSession } from "@souffleur/process"
import { adopt, adoptedBaseline, refuseSession, refuseTarget } from "@souffleur/supervisor"
import { Effect, Equal, Option } from "effect"
import { spanOf, spansOf } from "../trace/OwnSpans.ts"
import { Parts } from "../world/Parts.ts"
import { partsOf } from "./BeginWatch.ts"
import { findWatch, type WatchName } from "./FindWatch.ts"

/**
 * Makes a running process the Conductor of a watch. `force` outranks the evidence that it is another. Fails with
 * `BadTarget` where no such process runs, or where it holds another session.
 */
const conductorOf = Effect.fnUntraced(function* (
  id: string,
  watch: Watch,
  { force, pid, sessionId: named }: Target & { readonly force: boolean }
) {
  const agent = yield* Agent
  const claims = yield* Claims
  const processes = yield* Processes
  yield* refuseTarget(pid)
  const found = yield* processes.find(pid)
  if (Option.isNone(found) || found.value.condition === "zombie")
    return yield* new BadTarget({ message: `no process ${pid} is running` })
  // It may keep its sessions where no setting says so.
  if (agent.lookWhere !== undefined) yield* agent.lookWhere(found.value.identity)
  const { sessionId } = yield* agent.sessionFile(named)
  yield* refuseSession(sessionId)
  const holding = yield* holdingOf(found.value.identity, sessionId)
  const below = force ? undefined : yield* agentBelow(found.value.identity, holding)
  if (below !== undefined) yield* refuseTarget(below.identity.pid)
  const conductor = below?.identity ?? found.value.identity
  if (holding._tag === "Another" && below === undefined && !force)
    return yield* new BadTarget({ message: `${holding.message}: adopt that one, or use force where you know better` })
  // The claim is tried and released: its owner has it already, or takes it with the event.
  for (const one of [conductor, { session: sessionId }]) {
    yield* Effect.catchIf(
      claimTried(claims, one),
      (error) => error._tag === "AlreadyWatched" && Equal.equals(error.owner, watch.owner),
      () => Effect.void
    )
  }
  const baseline = yield* adoptedBaseline(watch, sessionId)
  const print = agent.inPrintMode(yield* processes.commandLine(conductor.pid))
  const program = watch.kind === "command" ? null : yield* programOfSession(agent, sessionId)
  return yield* adopt(id, {
    conductor,
    sessionId,
    print,
    forced: holding._tag === "Another" && below === undefined,
    agent: program,
    baseline
  })
})

/** Makes a running process the Conductor of a watch, with the parts of its project. */
export const adoptProcess = Effect.fn("adoptProcess")(function* (
  name: WatchName,
  { force = false, ...target }: Target & { readonly force?: boolean }
) {
  const { settings } = yield* Parts
  const { id, watch } = yield* findWatch(name)
  const { comms, project } = watch
  yield* spanOf({ project, watch: id })
  return yield* Effect.gen(function* () {
    const context = yield* partsOf({ settings: yield* settings(project), comms, project })
    return yield* Effect.provideContext(conductorOf(id, watch, { ...target, force }), context)
  }).pipe(spansOf({ project, watch: id }))
}, Effect.scoped)
