import {
  Agent,
  folderOf,
  Hooks,
  isSameProcess,
  isSessionKnown,
  isWithin,
  type ProcessIdentity,
  type Watch,
  type WatchRef
} from "@souffleur/domain"
import { reportedSession } from "@souffleur/process"
import { Effect, Option, Ref } from "effect"
import { holderOf } from "./SessionHolder.ts"

/**
 * Makes the search for a session that the watch does not hold yet. It refuses a session of another project, and reports
 * it once.
 */
export const makeFindSession = Effect.fn("makeFindSession")(function* (ref: WatchRef, watch: Watch) {
  const agent = yield* Agent
  const hooks = yield* Hooks
  const refused = yield* Ref.make(watch.refused.includes("session"))

  const refuse = Effect.fnUntraced(function* (sessionId: string, named: string, folder: string | undefined) {
    if (yield* Ref.getAndSet(refused, true)) return undefined
    const where = folder === undefined ? "nothing says where it began" : `it began in ${folder}`
    const message = `session ${sessionId}, ${named}, is not taken: ${where}, and this watch is for ${watch.project}`
    yield* ref.dispatch({ _tag: "ReportRefused", what: "session", from: sessionId, message })
    return undefined
  })

  /**
   * Returns the session that a process names by its hooks, else by its own pid file. Hooks are told of a session before
   * its first word. A pid file may name another one while the agent starts, so there the session must have a file.
   */
  const namedBy = Effect.fnUntraced(function* (conductor: ProcessIdentity) {
    const hooked = yield* hooks.holds(conductor)
    if (Option.isSome(hooked)) return { sessionId: hooked.value, by: "which its hooks name" }
    const sessionId = Option.getOrUndefined(yield* agent.holds?.(conductor) ?? Effect.succeedNone)
    if (sessionId === undefined || Option.isNone(yield* Effect.option(agent.sessionFile(sessionId)))) return undefined
    return { sessionId, by: "which its pid file names" }
  })

  /**
   * Takes the session that a launch reports, if the agent chooses its ids, or a session that its process names, such
   * as after a `/clear`. Otherwise takes the session that `task-00` names while one is awaited: a new one, or the
   * launch's own (spec: behaviour#awaiting-a-session-id). For a new one it looks up the holder (spec: behaviour#modes).
   */
  return Effect.fnUntraced(function* (sessionId: string | null | undefined) {
    const reported =
      watch.kind === "command" || isSessionKnown(watch.sessionId) ? Option.none() : yield* reportedSession(watch)
    if (Option.isSome(reported)) return { sessionId: reported.value, holder: "the same" as const }
    const held = watch.kind === "command" || watch.conductor === undefined ? undefined : yield* namedBy(watch.conductor)
    if (held !== undefined && held.sessionId !== watch.sessionId) {
      // The Conductor may have begun it in a folder of the project. Before its first word it has no file.
      const folder = yield* folderOf(held.sessionId)
      if (isWithin(watch.project, folder)) return { sessionId: held.sessionId, holder: "the same" as const }
      yield* refuse(held.sessionId, held.by, folder)
    }
    if (!watch.awaiting || !sessionId) return undefined
    const found = Option.getOrUndefined(yield* Effect.option(agent.sessionFile(sessionId)))?.sessionId
    if (found === undefined || (found !== watch.sessionId && watch.sessions.includes(found))) return undefined
    if (found === watch.sessionId) return { sessionId: found, holder: "the same" as const }
    const folder = yield* folderOf(found)
    if (folder !== watch.project) return yield* refuse(found, "which task-00 names", folder)
    const holder = yield* holderOf(found)
    if (holder === undefined) return { sessionId: found, holder: "unknown" as const }
    const same = isSameProcess(holder.conductor, watch.conductor)
    return { sessionId: found, holder: same ? ("the same" as const) : holder }
  })
})
