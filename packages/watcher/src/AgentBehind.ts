import { Agent, type Condition, type ProcessIdentity, Processes } from "@souffleur/domain"
import { isBehind, isLauncher } from "@souffleur/process"
import { Effect } from "effect"

/**
 * Reads a Conductor's process, and the agent behind it where it is a launcher. A launcher does nothing itself. So it is
 * stopped where that agent is, and it used the processor where that agent did.
 */
export const readAgentProcess = Effect.fn("readAgentProcess")(function* (conductor: ProcessIdentity) {
  const agent = yield* Agent
  const processes = yield* Processes
  const condition: Condition = yield* processes.condition(conductor)
  const processorTime = yield* processes.processorTime(conductor)
  const words = yield* processes.commandLine(conductor.pid)
  if (processorTime === undefined || !isLauncher(agent, words)) return { condition, processorTime }
  const below = (yield* processes.tree(conductor, {})).filter(({ parent }) => parent === conductor.pid)
  const behind = yield* Effect.filter(below, ({ identity }) =>
    Effect.map(processes.commandLine(identity.pid), (one) => isBehind(agent, words, one))
  )
  const used = yield* Effect.forEach(behind, ({ identity }) => processes.processorTime(identity))
  return {
    condition: condition === "running" && behind.some((one) => one.condition === "stopped") ? "stopped" : condition,
    processorTime: used.reduce<number>((sum, one) => sum + (one ?? 0), processorTime)
  } satisfies { readonly condition: Condition; readonly processorTime: number }
})
