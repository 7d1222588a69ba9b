import { Agent, type AgentOrder, Launcher, LaunchFailed, type LaunchOrder } from "@souffleur/domain"
import { Effect } from "effect"

/** Makes the agent's command line. Fails with `LaunchFailed` when there is no such agent. */
export const agentCommand = Effect.fn("agentCommand")(function* (order: AgentOrder) {
  const agent = yield* Agent
  return yield* Effect.catchTag(agent.command(order), "AgentNotFound", ({ missing, problem, program }) =>
    Effect.fail(
      new LaunchFailed({ message: `${program}: ${problem}`, ...(missing === true ? { momentary: missing } : {}) })
    )
  )
})

/** Puts the digest of a launch file into the log. */
type RecordDigest<E, R> = (digest: string) => Effect.Effect<unknown, E, R>

/**
 * Writes a launch file and records its digest, so that the log has it before anything runs
 * (spec: behaviour#launch-at-most-once). Fails with `LaunchFailed` when the file cannot be written, and as `record`
 * does.
 */
export const prepareLaunch = Effect.fn("prepareLaunch")(function* <E, R>(
  order: LaunchOrder,
  record: RecordDigest<E, R>
) {
  const launcher = yield* Launcher
  yield* record(yield* launcher.prepare(order))
})

/**
 * Writes a launch file, records it, and starts it, once under its id. Returns the process that took its receipt. Fails
 * with `LaunchFailed`, and as `record` does.
 */
export const launchOnce = Effect.fn("launchOnce")(function* <E, R>(order: LaunchOrder, record: RecordDigest<E, R>) {
  const launcher = yield* Launcher
  yield* prepareLaunch(order, record)
  return yield* launcher.launch(order.id)
})
