import type { NamedWatch } from "@souffleur/embed"
import { newestOfSession, watchById } from "@souffleur/embed/internal"
import { isLaunchOf, Processes, type Variables } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { agentKind } from "../agent/Kind.ts"
import { Environment } from "../world/CommandEnvironment.ts"

/** The agent that calls this command: the Conductor of a watch, an earlier one, or another agent. */
export type Caller = "conductor" | "earlier generation" | "another session"

/**
 * Identifies the caller by the session of this process, then by its agent (`agentPid`; `undefined`: not known). A
 * session that a tool of the Conductor has started is not the Conductor, though it descends from it. A caller without a
 * session is known by its launch alone. A caller without session and launch is believed. A command has a launch and no
 * session.
 */
export const identifyCaller = Effect.fn("identifyCaller")(function* (
  { id, watch }: NamedWatch,
  agentPid: number | undefined
): Effect.fn.Return<Caller, never, Environment | Processes> {
  const { variables } = yield* Environment
  const { sessionId: session } = agentKind.identity(variables)
  const launch = variables["SOUFFLEUR_LAUNCH_ID"] ?? ""
  const { conductor, launchId, recovery } = watch
  const mine = launch !== "" && (launch === launchId || launch === recovery?.launch?.launchId)
  if (session === "" || watch.kind === "command") {
    if (mine || (launch === "" && session === "")) return "conductor"
    return isLaunchOf(id, launch) ? "earlier generation" : "another session"
  }
  if (session === watch.sessionId || session === recovery?.launch?.sessionId) return "conductor"
  const processes = yield* Processes
  // An agent that has begun another conversation is still the same process.
  const same = conductor !== undefined && conductor.pid === agentPid && (yield* processes.ancestors).includes(agentPid)
  if (same && (yield* processes.condition(conductor)) !== "gone") return "conductor"
  return watch.sessions.includes(session) ? "earlier generation" : "another session"
})

/** The longest launch id that is read. */
const maxLaunchId = 200

/**
 * Returns the watch of the agent that runs this command. Finds it by its session, else by the launch that the command
 * descends from. `None`: this command is in no agent of a watch.
 */
export const ofAgent = Effect.fn("ofAgent")(function* (variables: Variables) {
  const { sessionId: session } = agentKind.identity(variables)
  const launch = (variables["SOUFFLEUR_LAUNCH_ID"] ?? "").slice(0, maxLaunchId)
  const inSession = session === "" ? Option.none<NamedWatch>() : yield* newestOfSession(session)
  if (Option.isSome(inSession)) return inSession
  // A launch is named after its watch. The id of one watch may begin the id of another, so the longest counts.
  for (let end = launch.lastIndexOf("-g"); end > 0; end = launch.lastIndexOf("-g", end - 1)) {
    const found = yield* watchById(launch.slice(0, end))
    if (Option.isSome(found)) return found
  }
  return Option.none<NamedWatch>()
})
