import type { ChildProcess } from "node:child_process"
import { Deferred, Effect } from "effect"

/** The children whose end Node has not reported yet, and what they wait for, by pid. */
const running = new Map<number, Deferred.Deferred<void>>()

/** Follows a child of this process until Node reports its end. */
export const follow = (child: ChildProcess): void => {
  const { pid } = child
  if (pid === undefined) return
  const end = Deferred.makeUnsafe<void>()
  running.set(pid, end)
  child.once("exit", () => {
    running.delete(pid)
    Deferred.doneUnsafe(end, Effect.void)
  })
}

/** Has the end of a followed child stand for the end of another process, which that child waits for. */
export const endsWith = (pid: number, child: number): void => {
  const end = running.get(child)
  if (end === undefined) return
  running.set(pid, end)
  Effect.runFork(
    Effect.andThen(
      Deferred.await(end),
      Effect.sync(() => running.delete(pid))
    )
  )
}

/** Returns when Node reports the end of a followed child. Never returns for any other process. */
export const reported = (pid: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    const end = running.get(pid)
    return end === undefined ? Effect.never : Deferred.await(end)
  })
