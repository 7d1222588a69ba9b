import { type Duration, Effect, Schema } from "effect"
import {
  isOver,
  type NotPermitted,
  Processes,
  type ProcessIdentity,
  type ProcessInfo,
  type Signal
} from "@souffleur/domain"

/** A process is not provably gone, so nothing may be launched in its place (spec: behaviour#stop). */
export class StopFailed extends Schema.TaggedError<StopFailed>()("StopFailed", { message: Schema.String }) {}

/** How a process ended, and how many other processes of its tree had to be ended. */
export const Stopped = Schema.Struct({
  ended: Schema.Literals(["already gone", "SIGTERM", "SIGKILL"]),
  others: Schema.Int
})
export type Stopped = typeof Stopped.Type

/** Time between two checks whether a process is gone. */
const pollInterval = "100 millis"
/** Time limit after SIGKILL, when only the kernel can delay an end (spec: behaviour#stop). */
const killTimeout = "5 seconds"

/** Returns whether a process is gone. A zombie counts as gone, since it does nothing any more. */
export const isGone = (processes: Processes["Service"], identity: ProcessIdentity) =>
  Effect.map(processes.condition(identity), isOver)

const notPermitted = ({ pid }: NotPermitted) =>
  new StopFailed({ message: `process ${pid} belongs to another user and cannot be signalled` })

/**
 * Sends SIGTERM, waits for the grace, and sends SIGKILL, each only to that very process and only while `granted`
 * succeeds. `undefined`: it is still there. Fails with `StopFailed` when a signal is not permitted, and as `granted`
 * does.
 */
export const endProcess = Effect.fnUntraced(function* <E, G>(
  identity: ProcessIdentity,
  grace: Duration.Input,
  granted: Effect.Effect<void, E, G>
) {
  const processes = yield* Processes
  const gone = isGone(processes, identity)
  const waitFor = (timeout: Duration.Input) =>
    Effect.andThen(Effect.timeoutOption(processes.untilOver(identity, pollInterval), timeout), gone)
  const signal = (name: Signal) =>
    Effect.andThen(granted, Effect.mapError(processes.signal(identity, name), notPermitted))
  if (yield* gone) return "already gone" as const
  yield* signal("SIGTERM")
  if (yield* waitFor(grace)) return "SIGTERM" as const
  yield* signal("SIGKILL")
  return (yield* waitFor(killTimeout)) ? ("SIGKILL" as const) : undefined
})

/**
 * Ends a process, only if it still is that one, and its `tree` with it. It reads the tree before the first signal,
 * while parents are known, and once more later, with what it had `seen`. Tools run in sessions of their own and outlive
 * a kill. It checks `granted` right before each signal, and sends none once that fails.
 *
 * Fails with `StopFailed` when a process does not end or may not be signalled, and as `granted` does.
 *
 * @example
 * ```ts
 * import type { ProcessIdentity } from "@souffleur/domain"
 * import { endTree } from "@souffleur/process"
 * import { Effect } from "effect"
 *
 * // A process without children, and no condition on its end.
 * const end = Effect.fn("end")((job: ProcessIdentity) =>
 *   endTree(job, () => Effect.succeed([]), "5 seconds", Effect.void).pipe(
 *     Effect.map(({ ended }) => ended), // "already gone", "SIGTERM" or "SIGKILL"
 *     Effect.catchTag("StopFailed", ({ message }) => Effect.logError(message))
 *   )
 * )
 * ```
 */
export const endTree = Effect.fn("endTree")(function* <E, R, G>(
  root: ProcessIdentity,
  tree: (seen: ReadonlyArray<ProcessIdentity>) => Effect.Effect<ReadonlyArray<ProcessInfo>, never, R>,
  grace: Duration.Input,
  granted: Effect.Effect<void, E, G>
) {
  const { host } = yield* Processes
  const before = yield* tree([])
  const ended = yield* endProcess(root, grace, granted)
  if (ended === undefined)
    return yield* new StopFailed({ message: `process ${root.pid} did not end, not even by SIGKILL` })
  // Of what was seen, some may have another agent by now. What is another user's is not looked for again.
  const left = new Map<number, ProcessInfo>()
  const after = yield* tree(before.map(({ identity }) => identity))
  for (const info of [...before.filter(({ uid }) => uid !== host.uid), ...after]) left.set(info.identity.pid, info)
  const ends = yield* Effect.forEach(left.values(), (info) => endProcess(info.identity, grace, granted), {
    concurrency: "unbounded"
  })
  const stubborn = [...left.values()].filter((_, index) => ends[index] === undefined)
  if (stubborn.length > 0)
    return yield* new StopFailed({
      message: `processes of its tree did not end: ${stubborn.map((info) => info.identity.pid).join(", ")}`
    })
  return { ended, others: ends.filter((how) => how !== "already gone").length } satisfies Stopped
})
