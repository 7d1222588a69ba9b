import { Effect, Option } from "effect"
import { Agent } from "../port/Agent.ts"
import { Hooks } from "../port/HookSigns.ts"
import { Processes, type ProcessIdentity } from "../port/Process.ts"

/**
 * What the evidence at hand says of a process as the agent of a session; where it says nothing, nobody knows (an older
 * agent, a stand-in).
 */
export type Holding =
  | { readonly _tag: "Holds" }
  | { readonly _tag: "Unknown" }
  /**
   * `holds`: the session that it says it holds itself; `by`: the other process that holds the one that was asked for.
   */
  | { readonly _tag: "Another"; readonly message: string; readonly holds?: string; readonly by?: number }

/**
 * Whether a session that began in `folder` may be one of `project`; `undefined`: nobody says where, as before its first
 * word.
 */
export const isWithin = (project: string, folder: string | undefined): boolean =>
  folder === undefined || folder === project || folder.startsWith(`${project}/`)

/** Where a session began: by its file, else by the pid file of who holds it; `undefined`: nobody says. */
export const folderOf = Effect.fn("folderOf")(function* (sessionId: string) {
  const agent = yield* Agent
  const said = Option.flatten(yield* Effect.option(agent.projectOf(sessionId)))
  return Option.isSome(said) ? said.value : (yield* agent.sessions).find((one) => one.sessionId === sessionId)?.project
})

/** What hooks told of processes that live, each by its start time: a pid is reused. */
export const heldByLiving = Effect.fn("heldByLiving")(function* () {
  const hooks = yield* Hooks
  const processes = yield* Processes
  return yield* Effect.filter(yield* hooks.held, ({ pid, startTime }) =>
    Effect.map(
      processes.find(pid),
      Option.exists(
        ({ condition, identity, uid }) =>
          identity.startTime === startTime && condition !== "zombie" && uid === processes.host.uid
      )
    )
  )
})

/**
 * The session that a process holds by its own word: of its hooks, which know better, else of its pid file, which is
 * held to start times.
 */
export const heldBy = Effect.fn("Holding.heldBy")(function* ({ pid, startTime }: ProcessIdentity) {
  const agent = yield* Agent
  const hooks = yield* Hooks
  const files = yield* agent.sessions
  return (
    Option.getOrUndefined(yield* hooks.holds({ pid, startTime })) ?? files.find((one) => one.pid === pid)?.sessionId
  )
})

/**
 * Whether this process is the agent of that session: by its own word, then by who else holds it, then by the mark that
 * an agent leaves on its tools.
 */
export const holdingOf = Effect.fn("holdingOf")(function* (
  process: ProcessIdentity,
  sessionId: string
): Effect.fn.Return<Holding, never, Agent | Hooks | Processes> {
  const { pid } = process
  const agent = yield* Agent
  const processes = yield* Processes
  const own = yield* heldBy(process)
  if (own === sessionId) return { _tag: "Holds" }
  if (own !== undefined)
    return { _tag: "Another", message: `process ${pid} holds session ${own}, not ${sessionId}`, holds: own }
  const files = yield* agent.sessions
  const told = yield* heldByLiving()
  const moved = (one: number) => told.some((held) => held.pid === one && held.sessionId !== sessionId)
  const holder =
    told.find((one) => one.sessionId === sessionId) ??
    files.find((one) => one.sessionId === sessionId && !moved(one.pid))
  if (holder !== undefined)
    return {
      _tag: "Another",
      message: `process ${holder.pid} holds session ${sessionId}, not process ${pid}`,
      by: holder.pid
    }
  const tools = yield* processes.tagged(agent.sessionTag(sessionId))
  return tools.some(({ identity }) => identity.pid === pid)
    ? { _tag: "Another", message: `process ${pid} is a tool of session ${sessionId}, not its agent` }
    : { _tag: "Unknown" }
})
