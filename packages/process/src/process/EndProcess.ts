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

/** Walks of a tree at most. A process may begin another while it ends. */
const maxWalks = 5

const pidsOf = (some: ReadonlyArray<ProcessInfo>): string => some.map(({ identity }) => identity.pid).join(", ")

/**
 * Ends processes, each before its children: a shell whose command ends goes on to the next one. Processes side by side
 * end at once.
 */
const endTopDown = Effect.fnUntraced(function* <A, E, R>(
  all: ReadonlyArray<ProcessInfo>,
  end: (identity: ProcessIdentity) => Effect.Effect<A, E, R>
) {
  const pids = new Set(all.map(({ identity }) => identity.pid))
  const ends: Array<{ readonly info: ProcessInfo; readonly how: A }> = []
  const down = (level: ReadonlyArray<ProcessInfo>): Effect.Effect<void, E, R> =>
    Effect.forEach(
      level,
      (info) =>
        Effect.flatMap(end(info.identity), (how) => {
          ends.push({ info, how })
          return down(all.filter(({ parent }) => parent === info.identity.pid))
        }),
      { concurrency: "unbounded", discard: true }
    )
  yield* down(all.filter(({ parent }) => !pids.has(parent)))
  return ends
})

/**
 * Ends a process, only if it still is that one, and its `tree` with it, from the top down. It reads the tree before the
 * first signal, while parents are known, and again later, with what it had `seen`, until nothing of it is left. Tools
 * run in sessions of their own and outlive a kill. It checks `granted` right before each signal, and sends none once
 * that fails.
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
  const seen = [...before]
  let others = 0
  for (let walk = 1; ; walk++) {
    const found = yield* tree(seen.map(({ identity }) => identity))
    // What is another user's is not looked for again by what was seen.
    const foreign = walk === 1 ? before.filter(({ uid }) => uid !== host.uid) : []
    const left = [...new Map([...foreign, ...found].map((info) => [info.identity.pid, info])).values()]
    if (left.length === 0) return { ended, others } satisfies Stopped
    if (walk > maxWalks)
      return yield* new StopFailed({ message: `its processes begin others faster than they end: ${pidsOf(left)}` })
    const ends = yield* endTopDown(left, (identity) => endProcess(identity, grace, granted))
    const stubborn = ends.filter(({ how }) => how === undefined).map(({ info }) => info)
    if (stubborn.length > 0)
      return yield* new StopFailed({ message: `processes of its tree did not end: ${pidsOf(stubborn)}` })
    others += ends.filter(({ how }) => how !== "already gone").length
    seen.push(...found)
  }
})
