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
 * What the Conductor's process has started itself, and no other agent of it: an agent whose wrapper stays as its parent
 * is among them, and holds the session in its place.
 */
export const startedByItself = Effect.fn("Recovery.startedByItself")(function* (
  watch: Watch,
  conductor: ProcessIdentity,
  agents: ReadonlyArray<AgentSession>
) {
  const strangers = agents.filter(({ pid, sessionId }) => pid !== conductor.pid && !watch.sessions.includes(sessionId))
  const tree = yield* (yield* Processes).tree(
    conductor,
    [],
    strangers.map(({ pid }) => pid)
  )
  return tree.map(({ identity }) => identity.pid)
})

/**
 * Who was confirmed long ago may be somebody else's by now: a person has gone on with the session in another process,
 * or with another project's conversation in this one. Nobody signals that. Another conversation of this project, such
 * as after a `/clear`, is still the Conductor's; whom a person named against the evidence stays who they said.
 */
export const unlessElsewhere = Effect.fn("Recovery.unlessElsewhere")(function* (watch: Watch) {
  const { conductor, forced, kind, project, sessionId } = watch
  if (conductor === undefined || forced || kind === "command") return
  const holding = yield* holdingOf(conductor, sessionId)
  if (holding._tag !== "Another") return
  if (holding.holds !== undefined && isWithin(project, yield* folderOf(holding.holds))) return
  const own = holding.by === undefined ? [] : yield* startedByItself(watch, conductor, yield* (yield* Agent).sessions)
  if (own.some((pid) => pid === holding.by)) return
  // Of one that has ended there is nobody to spare, and its tree is told from others by itself.
  if (yield* isGone(yield* Processes, conductor)) return
  return yield* new FailedClosed({ stage: "stop", message: `${holding.message}: it is not stopped` })
})
