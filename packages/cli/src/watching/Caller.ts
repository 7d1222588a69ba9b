import { type NamedWatch, newestOf } from "@souffleur/embed"
import { Processes, type Variables } from "@souffleur/domain"
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
    return launch.startsWith(`${id}-g`) ? "earlier generation" : "another session"
  }
  if (session === watch.sessionId || session === recovery?.launch?.sessionId) return "conductor"
  const processes = yield* Processes
  // An agent that has begun another conversation is still the same process.
  const same = conductor !== undefined && conductor.pid === agentPid && (yield* processes.ancestors).includes(agentPid)
  if (same && (yield* processes.condition(conductor)) !== "gone") return "conductor"
  return watch.sessions.includes(session) ? "earlier generation" : "another session"
})

/**
 * Returns the watch of the agent that runs this command, by its session, else by the launch that it descends from.
 * `None`: this command is in no agent of a watch.
 */
export const ofAgent = (watches: ReadonlyArray<NamedWatch>, variables: Variables) => {
  const { sessionId: session } = agentKind.identity(variables)
  const launch = variables["SOUFFLEUR_LAUNCH_ID"] ?? ""
  const inSession = newestOf(watches.filter(({ watch }) => session !== "" && watch.sessions.includes(session)))
  // A launch is named after its watch. The id of one watch may begin the id of another, so the longest counts.
  const launched = watches
    .filter(({ id }) => launch.startsWith(`${id}-g`))
    .toSorted((a, b) => a.id.length - b.id.length)
  return Option.orElse(inSession, () => newestOf(launched))
}
