import { Processes } from "@souffleur/domain"
import { Effect, FileSystem, Option, Path } from "effect"
import { agentKind } from "../agent/Kind.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { identifyCaller } from "../watching/Caller.ts"
import { unfinished } from "@souffleur/embed/internal"
import { ofAgent } from "../watching/Caller.ts"

/** The folder that the agent works in, as its real path. */
export const projectHere = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const { cwd, variables } = yield* Environment
  const folder = agentKind.identity(variables).project || cwd
  return yield* Effect.orElseSucceed(fs.realPath(folder), () => folder)
})

/**
 * Finds the watch of the calling agent by its session or launch, else the newest unfinished watch of its folder. It
 * looks at each call, because a watch may begin later than its agent.
 */
export const lookUp = Effect.fn("CallContext.lookUp")(function* (project: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const { sessionId: session } = agentKind.identity(variables)
  const own = yield* ofAgent(variables)
  const lives = Option.filter(own, ({ watch }) => watch.phase !== "Exited")
  const watched = Option.getOrUndefined(Option.isSome(lives) ? lives : yield* unfinished({ project }))
  const comms = path.join(project, "comms.db")
  const there = yield* Effect.orElseSucceed(fs.exists(comms), () => false)
  // An agent starts its server itself, so it is the nearest ancestor.
  const [agent] = yield* (yield* Processes).ancestors
  return {
    project,
    session,
    /** The unfinished watch; `undefined`: none. */
    watched,
    /** The role of the caller in that watch, or `unwatched`. */
    role: watched === undefined ? ("unwatched" as const) : yield* identifyCaller(watched, agent),
    /** The session's own watch, when it has ended. */
    ended: watched === undefined ? Option.getOrUndefined(own) : undefined,
    /** The comms file. `null`: there is none, or the watch is solo. */
    comms: watched === undefined ? (there ? comms : null) : watched.watch.comms
  }
})
/** The watch, the session and the comms of a calling agent, as far as they are known. */
export type CallContext = Effect.Success<ReturnType<typeof lookUp>>
