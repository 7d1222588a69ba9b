import { maxOffspring, Offspring } from "@souffleur/eventlog"
import { Effect } from "effect"
import { Agent } from "@souffleur/domain"
import { Processes, type ProcessIdentity } from "@souffleur/domain"
import { isGone } from "./EndProcess.ts"

/**
 * Finds the descendants of a Conductor, by parent and by what was seen before, and remembers them. Another agent's
 * session with its children is left out, and so are protected processes. Nothing is learned of a Conductor that is
 * gone.
 */
export const rememberOffspring = Effect.fn("rememberOffspring")(function* (conductor: ProcessIdentity) {
  const agent = yield* Agent
  const offspring = yield* Offspring
  const processes = yield* Processes
  if (yield* isGone(processes, conductor)) return
  const others = (yield* agent.sessions).flatMap(({ pid }) => (pid === conductor.pid ? [] : [pid]))
  const found = yield* processes.tree(conductor, [], others, yield* offspring.recall(conductor))
  // An agent that has just lost its launcher is a session by itself now, and would be forgotten.
  if (yield* isGone(processes, conductor)) return
  const newest = found.map(({ identity }) => identity).toSorted((first, second) => second.startTime - first.startTime)
  yield* offspring.remember(conductor, newest.slice(0, maxOffspring))
})
