import { type Duration, Effect, Schema } from "effect"
import {
  isOver,
  type NotPermitted,
  Processes,
  type ProcessIdentity,
  type ProcessInfo,
  type Signal
} from "@souffleur/domain"

/** Not provably gone: nothing may be launched in its place (spec: behaviour#stop). */
export class StopFailed extends Schema.TaggedError<StopFailed>()("StopFailed", { message: Schema.String }) {}

/** How a process ended, and how many processes of its tree had to be ended besides. */
export const Stopped = Schema.Struct({
  ended: Schema.Literals(["already gone", "SIGTERM", "SIGKILL"]),
  others: Schema.Int
})
export type Stopped = typeof Stopped.Type

/** How often we look whether a process that was told to end is gone. */
const lookEvery = "100 millis"
/** After SIGKILL only the kernel can delay an end; longer than this, it is not provably gone (spec: behaviour#stop). */
const killedWithin = "5 seconds"

/** A zombie does nothing any more. */
export const isGone = (processes: Processes["Service"], identity: ProcessIdentity) =>
  Effect.map(processes.condition(identity), isOver)

const notPermitted = ({ pid }: NotPermitted) =>
  new StopFailed({ message: `process ${pid} belongs to somebody else: not allowed to signal it` })

/**
 * SIGTERM, grace, SIGKILL, each only to that very process and while it is granted; `undefined` when it is still there.
 */
export const endProcess = Effect.fnUntraced(function* <E, G>(
  identity: ProcessIdentity,
  grace: Duration.Input,
  granted: Effect.Effect<void, E, G>
) {
  const processes = yield* Processes
  const gone = isGone(processes, identity)
  const waitFor = (limit: Duration.Input) =>
    Effect.andThen(Effect.timeoutOption(processes.untilOver(identity, lookEvery), limit), gone)
  const signal = (name: Signal) =>
    Effect.andThen(granted, Effect.mapError(processes.signal(identity, name), notPermitted))
  if (yield* gone) return "already gone" as const
  yield* signal("SIGTERM")
  if (yield* waitFor(grace)) return "SIGTERM" as const
  yield* signal("SIGKILL")
  return (yield* waitFor(killedWithin)) ? ("SIGKILL" as const) : undefined
})

/**
 * Ends a process, only if it still is that one, and its `tree` with it. The tree is looked at before the first signal,
 * while parents are known, and again after: tools run in sessions of their own and outlive a kill. `granted` is asked
 * right before each signal: once it fails, none is sent any more.
 */
export const endTree = Effect.fn("endTree")(function* <E, R, G>(
  root: ProcessIdentity,
  tree: Effect.Effect<ReadonlyArray<ProcessInfo>, never, R>,
  grace: Duration.Input,
  granted: Effect.Effect<void, E, G>
) {
  const before = yield* tree
  const ended = yield* endProcess(root, grace, granted)
  if (ended === undefined)
    return yield* new StopFailed({ message: `process ${root.pid} did not end, not even by SIGKILL` })
  const left = new Map<number, ProcessInfo>()
  for (const info of [...before, ...(yield* tree)]) left.set(info.identity.pid, info)
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
