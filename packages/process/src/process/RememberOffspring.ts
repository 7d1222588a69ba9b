import { type ProcessIdentity, Processes } from "@souffleur/domain"
import { maxOffspring, Offspring } from "@souffleur/eventlog"
import { Effect } from "effect"
import { treeOf } from "./AgentTree.ts"
import { isGone } from "./EndProcess.ts"

/**
 * Finds the descendants of a Conductor, by parent and by what was seen before, and remembers them. Another agent with
 * its children is left out, and so are protected processes. `sessionIds` are the Conductor's own. Nothing is learned of
 * a Conductor that is gone.
 */
export const rememberOffspring = Effect.fnUntraced(function* (
  conductor: ProcessIdentity,
  sessionIds: ReadonlyArray<string>
) {
  const offspring = yield* Offspring
  const processes = yield* Processes
  if (yield* isGone(processes, conductor)) return
  const known = yield* offspring.recall(conductor)
  const found = yield* treeOf({ root: conductor, sessionIds, launchId: undefined, known, byTags: false }, (sessions) =>
    Effect.succeed(sessions.flatMap(({ pid, sessionId }) => (sessionIds.includes(sessionId) ? [] : [pid])))
  )
  // An agent that has just lost its launcher is a session by itself now, and would be forgotten.
  if (yield* isGone(processes, conductor)) return
  const newest = found.map(({ identity }) => identity).toSorted((first, second) => second.startTime - first.startTime)
  yield* offspring.remember(conductor, newest.slice(0, maxOffspring))
})
