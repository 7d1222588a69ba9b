import { Agent, type AgentSession, Processes, type ProcessIdentity } from "@souffleur/domain"
import { Effect } from "effect"
import { isGone } from "./EndProcess.ts"

/** By what the processes are known that an agent started. */
export interface Rooted {
  readonly root: ProcessIdentity
  /** Sessions that it had: its tools carry their tags. */
  readonly sessionIds: ReadonlyArray<string>
  /** `undefined`: souffleur did not launch it. */
  readonly launchId: string | undefined
  /** What was seen of its tree while it lived. */
  readonly known?: ReadonlyArray<ProcessIdentity>
}

/**
 * Finds what an agent started, by parent, by tag, and by what was seen before, without what is protected (spec:
 * behaviour#stop). `othersOf` names the pids of the agents that are none of its tree, the root among them or not.
 */
export const treeOf = Effect.fn("treeOf")(function* <E, R>(
  { known = [], launchId, root, sessionIds }: Rooted,
  othersOf: (sessions: ReadonlyArray<AgentSession>) => Effect.Effect<ReadonlyArray<number>, E, R>
) {
  const agent = yield* Agent
  const processes = yield* Processes
  const holders = Effect.gen(function* () {
    const sessions = yield* agent.sessions
    // Another agent may have reused both pid and session of a root that is gone. Its tools carry the same tags, so tags
    // tell nothing.
    const reused = sessions.some(({ pid }) => pid === root.pid) && (yield* isGone(processes, root))
    const others = yield* othersOf(sessions)
    return { pids: others.filter((pid) => reused || pid !== root.pid), reused }
  })
  const treeBeside = ({ pids, reused }: { readonly pids: ReadonlyArray<number>; readonly reused: boolean }) => {
    const tags = [
      ...(reused ? [] : sessionIds.flatMap((sessionId) => agent.tags({ pid: root.pid, sessionId }))),
      ...(launchId === undefined ? [] : [{ environment: { SOUFFLEUR_LAUNCH_ID: launchId } }])
    ]
    return processes.tree(root, tags, pids, known)
  }
  const before = yield* holders
  const found = yield* treeBeside(before)
  // souffleur may have been suspended between the two looks, and another process got that pid meanwhile.
  const after = yield* holders
  return after.reused && !before.reused ? yield* treeBeside(after) : found
})
