import { Agent, Processes, type Target } from "@souffleur/domain"
import { commsIn, trustOf } from "@souffleur/embed/internal"
import { Effect, Option, Schedule } from "effect"
import { agentKind } from "../agent/Kind.ts"
import { Environment } from "../world/CommandEnvironment.ts"

/** Returns whether a process was started by an agent, or by a launch of souffleur. It then has a variable of theirs. */
const isOfAgent = Effect.fnUntraced(function* (pid: number) {
  const { carriers } = yield* Processes
  const marked = yield* Effect.forEach(["SOUFFLEUR_LAUNCH_ID", ...agentKind.marks], carriers)
  return marked.flat().some(({ identity }) => identity.pid === pid)
})

/** The agent writes its session file after the hook that this command was started by. */
const written = Schedule.max([Schedule.spaced("500 millis"), Schedule.recurs(120)])

/**
 * Returns the session whose hook runs this command, once its file is there. `None`: such a session gets no watch of its
 * own. Another agent or souffleur has started it, nobody has trusted the folder, or the folder has comms, whose
 * Conductor asks for its watch itself.
 */
export const hookedSession = Effect.fn("hookedSession")(function* (project: string) {
  const { variables } = yield* Environment
  const { pid, sessionId } = agentKind.identity(variables)
  if (pid === undefined || sessionId === "" || (yield* isOfAgent(pid))) return Option.none<Target>()
  const { trusted } = yield* trustOf(project)
  if (Option.isNone(trusted) || (yield* commsIn(project)) !== null) return Option.none<Target>()
  const agent = yield* Agent
  const file = yield* Effect.option(Effect.retry(agent.sessionFile(sessionId), written))
  return Option.map(file, (): Target => ({ pid, sessionId }))
})
