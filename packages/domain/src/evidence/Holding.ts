import { Effect, Option } from "effect"
import { Agent } from "../port/Agent.ts"
import { Hooks } from "../port/HookSigns.ts"
import { Processes, type ProcessIdentity } from "../port/Process.ts"

/**
 * The evidence about a process as the agent of a session. `Unknown`: there is no evidence, as with an older agent or a
 * stand-in.
 */
export type Holding =
  | { readonly _tag: "Holds" }
  | { readonly _tag: "Unknown" }
  /**
   * `holds`: the session that the process itself names. `by`: the other process, which holds the session in question.
   */
  | { readonly _tag: "Another"; readonly message: string; readonly holds?: string; readonly by?: number }

/**
 * Returns whether a session that began in `folder` may belong to `project`. `undefined`: the folder is not known, as
 * before the session's first record.
 */
export const isWithin = (project: string, folder: string | undefined): boolean =>
  folder === undefined || folder === project || folder.startsWith(`${project}/`)

/**
 * Returns the folder where a session began, by its file, else by its pid file; `undefined`: neither names it. `here`
 * counts in its place where the agent keeps the session there.
 */
export const folderOf = Effect.fn("folderOf")(function* (sessionId: string, here?: string) {
  const agent = yield* Agent
  const said = Option.flatten(yield* Effect.option(agent.projectOf(sessionId, here)))
  return Option.isSome(said)
    ? said.value
    : (yield* agent.sessions).find((session) => session.sessionId === sessionId)?.project
})

/** Returns what hooks report of living processes. Each is checked by its start time, since a pid is reused. */
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
 * Returns the session that a process itself names, by its hooks, else by its pid file. Hooks know better, and both are
 * checked against start times.
 */
export const heldBy = Effect.fn("Holding.heldBy")(function* ({ pid, startTime }: ProcessIdentity) {
  const agent = yield* Agent
  const hooks = yield* Hooks
  const files = yield* agent.sessions
  return (
    Option.getOrUndefined(yield* hooks.holds({ pid, startTime })) ??
    files.find((session) => session.pid === pid)?.sessionId
  )
})

/**
 * Decides whether this process is the agent of that session. The process's own word comes first, then another holder of
 * the session. The mark that an agent leaves on its tools comes last.
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
  const reported = yield* heldByLiving()
  const moved = (holder: number) => reported.some((held) => held.pid === holder && held.sessionId !== sessionId)
  const holder =
    reported.find((held) => held.sessionId === sessionId) ??
    files.find((session) => session.sessionId === sessionId && !moved(session.pid))
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

/** Returns whether a command line names a session, as a word or as the value of a flag. */
export const namesSession = (words: ReadonlyArray<string>, sessionId: string): boolean =>
  words.some((word) => word === sessionId || word.endsWith(`=${sessionId}`))

/** The most parents between a window and the agent in it: a terminal, shells, launchers. */
const maxParents = 64

/**
 * Returns the agent that holds the session, where the named process only started it: a terminal's window, a shell or a
 * launcher. A Conductor that knows its window hands over that pid. `undefined`: the holder does not run below it.
 */
export const agentBelow = Effect.fn("agentBelow")(function* (named: ProcessIdentity, holding: Holding) {
  const processes = yield* Processes
  if (holding._tag !== "Another" || holding.by === undefined) return undefined
  const holder = Option.getOrUndefined(yield* processes.find(holding.by))
  let parent = holder?.parent
  for (let n = 0; n < maxParents && parent !== undefined && parent > 1; n++) {
    if (parent === named.pid) return holder
    parent = Option.getOrUndefined(yield* processes.find(parent))?.parent
  }
  return undefined
})
