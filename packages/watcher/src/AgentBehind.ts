import { Agent, type Condition, type ProcessIdentity, Processes, type ProcessInfo } from "@souffleur/domain"
import { isBehind, isLauncher } from "@souffleur/process"
import { Effect } from "effect"

/**
 * Lists the agents behind a Conductor that is a launcher, among processes of its tree; none where it is no launcher.
 */
export const agentsBehind = Effect.fn("agentsBehind")(function* <P extends ProcessInfo>(
  { pid }: ProcessIdentity,
  tree: Effect.Effect<ReadonlyArray<P>, never, Processes>
) {
  const agent = yield* Agent
  const processes = yield* Processes
  const words = yield* processes.commandLine(pid)
  if (!isLauncher(agent, words)) return []
  return yield* Effect.filter(
    (yield* tree).filter(({ parent }) => parent === pid),
    ({ identity }) => Effect.map(processes.commandLine(identity.pid), (one) => isBehind(agent, words, one))
  )
})

/**
 * Reads a Conductor's process, and the agent behind it where it is a launcher. A launcher does nothing itself. So it is
 * stopped where that agent is, and it used the processor where that agent did. `pids`: its own, and that agent's.
 */
export const readAgentProcess = Effect.fnUntraced(function* (conductor: ProcessIdentity) {
  const processes = yield* Processes
  const condition: Condition = yield* processes.condition(conductor)
  const processorTime = yield* processes.processorTime(conductor)
  if (processorTime === undefined) return { condition, processorTime, pids: [conductor.pid] }
  const behind = yield* agentsBehind(conductor, processes.tree(conductor, {}))
  const used = yield* Effect.forEach(behind, ({ identity }) => processes.processorTime(identity))
  return {
    condition: condition === "running" && behind.some((one) => one.condition === "stopped") ? "stopped" : condition,
    processorTime: used.reduce<number>((sum, one) => sum + (one ?? 0), processorTime),
    pids: [conductor.pid, ...behind.map(({ identity }) => identity.pid)]
  } satisfies { readonly condition: Condition; readonly processorTime: number; readonly pids: ReadonlyArray<number> }
})
