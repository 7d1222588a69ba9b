import { Agent, type ProcessIdentity, type Watch, type WatchRef } from "@souffleur/domain"
import { Effect } from "effect"

/**
 * Looks for sessions where a living process keeps them. A folder that no setting names goes into the log, since the
 * process may be gone when another souffleur looks.
 */
export const noteFolders = Effect.fnUntraced(function* (ref: WatchRef, process: ProcessIdentity) {
  const { lookWhere } = yield* Agent
  if (lookWhere === undefined) return
  const found = yield* lookWhere(process)
  if (found.length === 0) return
  const { agentFolders } = yield* ref.state
  for (const folder of found) if (!agentFolders.includes(folder)) yield* ref.dispatch({ _tag: "ReportFolder", folder })
})

/** Looks for sessions, from now on, also where a watch has found that its agent keeps them. */
export const lookAsWatched = ({ agentFolders }: Pick<Watch, "agentFolders">): Effect.Effect<void, never, Agent> =>
  Effect.flatMap(Agent, ({ lookIn }) => lookIn?.(agentFolders) ?? Effect.void)
