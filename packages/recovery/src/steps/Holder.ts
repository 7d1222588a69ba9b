import {
  Agent,
  type AgentSession,
  folderOf,
  holdingOf,
  isWithin,
  Processes,
  type ProcessIdentity,
  type Watch
} from "@souffleur/domain"
import { isGone } from "@souffleur/process"
import { Effect } from "effect"
import { FailedClosed } from "../Provider.ts"

/**
 * Lists the pids that the Conductor's process started itself, without the trees of other agents. An agent below its
 * wrapper is among them, and holds the session in the wrapper's place. Where it outlives its wrapper,
 * it is among what was seen before (`known`).
 */
export const startedByItself = Effect.fn("Recovery.startedByItself")(function* (
  watch: Watch,
  conductor: ProcessIdentity,
  agents: ReadonlyArray<AgentSession>,
  known: ReadonlyArray<ProcessIdentity> = []
) {
  const isOwn = ({ pid, sessionId }: AgentSession) => pid === conductor.pid || watch.sessions.includes(sessionId)
  const pidsOf = (some: ReadonlyArray<AgentSession>) => some.map(({ pid }) => pid)
  const tree = yield* (yield* Processes).tree(conductor, {
    others: pidsOf(agents.filter((one) => !isOwn(one))),
    own: pidsOf(agents.filter(isOwn)),
    known
  })
  return tree.map(({ identity }) => identity.pid)
})

/**
 * Fails with `FailedClosed` when the confirmed process is no longer the Conductor: it is not signalled. A person may
 * have gone on with the session in another process, or with another project's conversation in this one.
 *
 * Another conversation of this project, such as after a `/clear`, is still the Conductor's.
 */
export const unlessElsewhere = Effect.fn("Recovery.unlessElsewhere")(function* (watch: Watch) {
  const { conductor, kind, project, sessionId } = watch
  if (conductor === undefined || kind === "command") return
  // An ended process needs no protection, and its tree is told from others by its own marks.
  if (yield* isGone(yield* Processes, conductor)) return
  const holding = yield* holdingOf(conductor, sessionId)
  if (holding._tag !== "Another") return
  if (holding.holds !== undefined && isWithin(project, yield* folderOf(holding.holds))) return
  const own = holding.by === undefined ? [] : yield* startedByItself(watch, conductor, yield* (yield* Agent).sessions)
  if (own.some((pid) => pid === holding.by)) return
  return yield* new FailedClosed({ stage: "stop", message: `${holding.message}: it is not stopped` })
})
