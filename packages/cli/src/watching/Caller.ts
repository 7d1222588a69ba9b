import { Processes } from "@souffleur/domain"
import { Effect } from "effect"
import { agentKind } from "../agent/Kind.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import type { NamedWatch } from "./FindWatch.ts"

/** Which agent speaks here: the Conductor of a watch, one that was it before, another. */
export type Caller = "conductor" | "earlier generation" | "another session"

/**
 * Who speaks, by the session that this process is in, then by the agent under which it runs (`agentPid`; `undefined`:
 * not known): a session that a Conductor's tool has started is not the Conductor, though it descends from it. Who says
 * no session is known by its launch alone, and without one taken at its word. A command has a launch and no session.
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
    return launch.startsWith(`${id}-g`) ? "earlier generation" : "another session"
  }
  if (session === watch.sessionId || session === recovery?.launch?.sessionId) return "conductor"
  const processes = yield* Processes
  // An agent that has begun another conversation is still the same process.
  const same = conductor !== undefined && conductor.pid === agentPid && (yield* processes.ancestors).includes(agentPid)
  if (same && (yield* processes.condition(conductor)) !== "gone") return "conductor"
  return watch.sessions.includes(session) ? "earlier generation" : "another session"
})
