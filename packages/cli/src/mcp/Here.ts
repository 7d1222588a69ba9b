import { Processes, type Watch } from "@souffleur/domain"
import { Effect, FileSystem, Option, Path } from "effect"
import { Environment } from "../Environment.ts"
import { allWatches, ofAgent, unfinished } from "../Watches.ts"

/** Who asks: the Conductor of a watch, a session that it had before, somebody else in its folder; or nobody watches here. */
export type Role = "conductor" | "earlier generation" | "another session" | "unwatched"

/** A session that a Conductor's tool has started is not the Conductor: the session says who asks, then the process it runs under. */
const roleOf = Effect.fnUntraced(function* (watch: Watch, session: string) {
  if (session === "" || session === watch.sessionId || session === watch.recovery?.launch?.sessionId) return "conductor" as const
  const processes = yield* Processes
  // An agent that has begun another conversation is still the same process.
  const [parent] = yield* processes.ancestors
  if (watch.conductor !== undefined && watch.conductor.pid === parent && (yield* processes.condition(watch.conductor)) !== "gone")
    return "conductor" as const
  return watch.sessions.includes(session) ? ("earlier generation" as const) : ("another session" as const)
})

/** The folder that the agent works in, as its real path. */
export const projectHere = Effect.gen(function* () {
  const [fs, { cwd, variables }] = [yield* FileSystem.FileSystem, yield* Environment]
  const folder = (variables["CLAUDE_PROJECT_DIR"] ?? "") || cwd
  return yield* Effect.orElseSucceed(fs.realPath(folder), () => folder)
})

/**
 * Whom this server speaks for, looked up at each call, since a watch may begin later than its agent: the watch of the agent's
 * session or launch, else the newest unfinished one of its folder.
 */
export const lookUp = Effect.fn("Here.lookUp")(function* (project: string) {
  const [fs, path, { variables }] = [yield* FileSystem.FileSystem, yield* Path.Path, yield* Environment]
  const session = variables["CLAUDE_CODE_SESSION_ID"] ?? ""
  const watches = yield* allWatches
  const own = ofAgent(watches, variables)
  const lives = Option.filter(own, ({ watch }) => watch.phase !== "Exited")
  const watched = Option.getOrUndefined(Option.orElse(lives, () => unfinished(watches, { project })))
  const board = path.join(project, "comms.db")
  const there = yield* Effect.orElseSucceed(fs.exists(board), () => false)
  return {
    project,
    session,
    /** The watch that is under way. */
    watched,
    role: watched === undefined ? ("unwatched" as const) : yield* roleOf(watched.watch, session),
    /** The session's own watch, when that has ended. */
    ended: watched === undefined ? Option.getOrUndefined(own) : undefined,
    /** `null`: there is none, or the watch is one without. */
    comms: watched === undefined ? (there ? board : null) : watched.watch.comms
  }
})
export type Here = Effect.Success<ReturnType<typeof lookUp>>
