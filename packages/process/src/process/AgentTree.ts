import { Agent, type AgentSession, Processes, type ProcessIdentity, type ProcessInfo } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { isBehind, isClient } from "../agent/LauncherWords.ts"
import { isGone } from "./EndProcess.ts"
import type { TaskAgents } from "./TaskAgents.ts"

/** The marks of the processes that an agent started. */
export interface Rooted {
  readonly root: ProcessIdentity
  /** Its sessions, whose tags its tools carry. */
  readonly sessionIds: ReadonlyArray<string>
  /** `undefined`: souffleur did not launch it. */
  readonly launchId: string | undefined
  /** Processes of its tree that were seen while it lived. */
  readonly known?: ReadonlyArray<ProcessIdentity>
  /** `false`: tags are not looked at. */
  readonly byTags?: boolean
  /** The agents that tasks of comms name. Absent: there is no comms. `null`: they are not known. */
  readonly tasks?: TaskAgents | null | undefined
}

/**
 * Makes the test for a helper: an agent that a tool of the root runs. It carries a mark of the root, has no terminal
 * where a person could be, and no task of comms names it. With comms the mark must be that of the launch, since the
 * Musicians of a Conductor carry the marks of its tools.
 */
const makeIsHelper = Effect.fnUntraced(function* (
  { byTags = true, launchId, root, sessionIds, tasks }: Rooted,
  sessions: ReadonlyArray<AgentSession>,
  reused: boolean
) {
  const agent = yield* Agent
  const processes = yield* Processes
  const ofTools =
    reused || tasks !== undefined ? [] : sessionIds.flatMap((id) => agent.tags({ pid: root.pid, sessionId: id }))
  const ofLaunch = launchId === undefined ? [] : [{ environment: { SOUFFLEUR_LAUNCH_ID: launchId } }]
  const marks = byTags && tasks !== null ? [...ofTools, ...ofLaunch] : []
  // Most trees have no other agent, and then no environment is read.
  const marked = yield* Effect.cached(
    Effect.map(
      Effect.forEach(marks, processes.tagged),
      (found) => new Map(found.flat().map((one) => [one.identity.pid, one]))
    )
  )
  const isNamed = Effect.fnUntraced(function* (pid: number) {
    const sessionId = sessions.find((one) => one.pid === pid)?.sessionId
    if (sessionId !== undefined && tasks?.sessions.has(sessionId) === true) return true
    const seen = new Set<number>()
    for (let at = pid; at > 1 && !seen.has(at); at = Option.getOrUndefined(yield* processes.find(at))?.parent ?? 0) {
      if (tasks?.pids.has(at) === true) return true
      seen.add(at)
    }
    return false
  })
  return Effect.fnUntraced(function* (pid: number) {
    // Who holds the root's own session is its agent, or a person who went on with it.
    if (sessions.some((one) => one.pid === pid && sessionIds.includes(one.sessionId))) return false
    return (yield* marked).get(pid)?.hasTerminal === false && !(yield* isNamed(pid))
  })
})

/**
 * Tells the agents of a tree that no session names. An agent may not have written its pid file yet, or leave none. It
 * is the root's own agent when its command line names a session of the root's, or it is the agent behind the root as a
 * launcher. A launcher that is gone leaves it without a parent in the tree, and without the tags of a tool.
 */
const tellApart = Effect.fn("treeOf.tellApart")(function* (
  tree: ReadonlyArray<ProcessInfo>,
  { root, sessionIds }: Rooted,
  named: ReadonlySet<number>,
  isHelper: (pid: number) => Effect.Effect<boolean>
) {
  const agent = yield* Agent
  const processes = yield* Processes
  const parents = new Map(tree.map(({ identity, parent }) => [identity.pid, parent]))
  const launcher = (yield* isGone(processes, root)) ? undefined : yield* processes.commandLine(root.pid)
  const isTool = Effect.fnUntraced(function* (pid: number) {
    const tags = sessionIds.flatMap((sessionId) => agent.tags({ pid: root.pid, sessionId }))
    const tools = yield* Effect.forEach(tags, processes.tagged)
    return tools.flat().some(({ identity }) => identity.pid === pid)
  })
  const isOwn = Effect.fnUntraced(function* (pid: number, words: ReadonlyArray<string>) {
    if (words.some((word) => sessionIds.includes(word))) return true
    const parent = parents.get(pid) ?? 0
    if (launcher !== undefined) return parent === root.pid && isBehind(agent, launcher, words)
    return !parents.has(parent) && !(yield* isTool(pid))
  })
  const own: Array<number> = []
  const others: Array<number> = []
  for (const pid of parents.keys()) {
    if (named.has(pid)) continue
    const words = yield* processes.commandLine(pid)
    if (agent.isAgent(words)) ((yield* isOwn(pid, words)) || (yield* isHelper(pid)) ? own : others).push(pid)
    else if (isClient(agent, words)) others.push(pid)
  }
  return { others, own, parents }
})

/**
 * Finds the processes that an agent started, by parent, by tag, and by what was seen before. Its helpers are among
 * them, and protected processes are left out (spec: behaviour#stop). `othersOf` returns the pids of agents outside its
 * tree, with or without the root.
 */
export const treeOf = Effect.fnUntraced(function* <E, R>(
  rooted: Rooted,
  othersOf: (sessions: ReadonlyArray<AgentSession>) => Effect.Effect<ReadonlyArray<number>, E, R>
) {
  const { byTags = true, known = [], launchId, root, sessionIds } = rooted
  const agent = yield* Agent
  const processes = yield* Processes
  const holders = Effect.gen(function* () {
    const sessions = yield* agent.sessions
    // Another agent may have reused both pid and session of a root that is gone. Its tools carry the same tags, so tags
    // prove nothing.
    const reused = sessions.some(({ pid }) => pid === root.pid) && (yield* isGone(processes, root))
    const outside = (yield* othersOf(sessions)).filter((pid) => reused || pid !== root.pid)
    const isHelper = yield* makeIsHelper(rooted, sessions, reused)
    const others = yield* Effect.filter(outside, (pid) => Effect.map(isHelper(pid), (helps) => !helps))
    return {
      isHelper,
      others,
      own: sessions.map(({ pid }) => pid).filter((pid) => !others.includes(pid)),
      reused
    }
  })
  // Without tags, no word of an agent changes what it started. Most agents at rest have started nothing.
  const untagged = byTags ? undefined : yield* processes.tree(root, { known })
  if (untagged?.length === 0) return untagged
  const treeBeside = Effect.fnUntraced(function* ({ isHelper, others, own, reused }: Effect.Success<typeof holders>) {
    const tags = [
      ...(reused ? [] : sessionIds.flatMap((sessionId) => agent.tags({ pid: root.pid, sessionId }))),
      ...(launchId === undefined ? [] : [{ environment: { SOUFFLEUR_LAUNCH_ID: launchId } }])
    ]
    const marks = { tags: byTags ? tags : [], known }
    const all = untagged ?? (yield* processes.tree(root, marks))
    if (all.length === 0) return all
    const told = yield* tellApart(all, rooted, new Set([...own, ...others]), isHelper)
    const mine = [...own, ...told.own]
    // A client may also be what the own agent runs in.
    const aboveMine = new Set<number>()
    for (const pid of mine)
      for (let at = told.parents.get(pid); at !== undefined && !aboveMine.has(at); at = told.parents.get(at))
        aboveMine.add(at)
    const strangers = [...others, ...told.others.filter((pid) => !aboveMine.has(pid))]
    return strangers.length === 0 ? all : yield* processes.tree(root, { ...marks, others: strangers, own: mine })
  })
  const before = yield* holders
  const found = yield* treeBeside(before)
  if (found.length === 0) return found
  // souffleur may have been suspended between the two reads, and another process may have taken the pid.
  const after = yield* holders
  return after.reused && !before.reused ? yield* treeBeside(after) : found
})
