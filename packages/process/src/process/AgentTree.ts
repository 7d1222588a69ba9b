import { Agent, type AgentSession, Processes, type ProcessIdentity } from "@souffleur/domain"
import { Effect } from "effect"
import { isGone } from "./EndProcess.ts"

/** The marks of the processes that an agent started. */
export interface Rooted {
  readonly root: ProcessIdentity
  /** Its sessions, whose tags its tools carry. */
  readonly sessionIds: ReadonlyArray<string>
  /** `undefined`: souffleur did not launch it. */
  readonly launchId: string | undefined
  /** Processes of its tree that were seen while it lived. */
  readonly known?: ReadonlyArray<ProcessIdentity>
}

/**
 * Finds the processes that an agent started, by parent, by tag, and by what was seen before. Protected processes are
 * left out (spec: behaviour#stop). `othersOf` returns the pids of agents outside its tree, with or without the root.
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
    // prove nothing.
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
  // souffleur may have been suspended between the two reads, and another process may have taken the pid.
  const after = yield* holders
  return after.reused && !before.reused ? yield* treeBeside(after) : found
})
