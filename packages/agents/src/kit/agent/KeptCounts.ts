import { Effect } from "effect"

/**
 * Makes a reader that counts something in the files of sessions and of their subagents, each file once. Where the files
 * of a session were swept away, its last counts stay: what was done stays done. `otherwise` is the count of a file that
 * cannot be read. `read` gets the `key` of the count, and whether the file is the session's own.
 */
export const makeKeptCounts = <A, R>(
  filesOf: (sessionId: string) => Effect.Effect<ReadonlyArray<string>, never, R>,
  otherwise: A,
  read: (file: string, own: boolean, key: string) => Effect.Effect<A, unknown, R>
) => {
  const last = new Map<string, ReadonlyArray<A>>()
  return Effect.fnUntraced(function* (sessionIds: ReadonlyArray<string>, key = "") {
    const all = yield* Effect.forEach(
      new Set(sessionIds),
      Effect.fnUntraced(function* (sessionId) {
        const name = `${key} ${sessionId}`
        const now = yield* Effect.forEach(yield* filesOf(sessionId), (file, at) =>
          Effect.orElseSucceed(read(file, at === 0, key), () => otherwise)
        )
        if (now.length > 0) last.set(name, now)
        return last.get(name) ?? []
      })
    )
    return all.flat()
  })
}
