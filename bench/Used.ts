import { Effect, FileSystem } from "effect"

/** Returns the words of a process's command line. */
const wordsOf = Effect.fnUntraced(function* (pid: number) {
  const fs = yield* FileSystem.FileSystem
  return (yield* fs.readFileString(`/proc/${pid}/cmdline`)).split("\0")
})

/** Returns the guardians that a souffleur, or an app, has started. */
export const guardiansOf = Effect.fnUntraced(function* (pid: number) {
  const fs = yield* FileSystem.FileSystem
  const children = (yield* fs.readFileString(`/proc/${pid}/task/${pid}/children`)).trim().split(" ").map(Number)
  return yield* Effect.filter(children, (child) =>
    Effect.map(wordsOf(child), (words) => words.some((word) => /^__guardian$|\/guard\.\w+$/u.test(word)))
  )
})

/** Returns the guardian that a souffleur has started. */
export const guardianOf = Effect.fnUntraced(function* (pid: number) {
  const [guardian] = yield* guardiansOf(pid)
  return guardian ?? (yield* Effect.die(new Error(`souffleur, pid ${pid}, has no guardian`)))
})

/**
 * Returns the megabytes that a process holds, and its processor time in seconds. Memory that it shares with others is
 * divided among them (PSS). The time is of all threads, by the nanosecond.
 */
export const used = Effect.fnUntraced(function* (pid: number) {
  const fs = yield* FileSystem.FileSystem
  const memory = yield* fs.readFileString(`/proc/${pid}/smaps_rollup`)
  let nanos = 0
  for (const thread of yield* fs.readDirectory(`/proc/${pid}/task`))
    nanos += Number((yield* fs.readFileString(`/proc/${pid}/task/${thread}/schedstat`)).split(" ")[0])
  return { megabytes: Number(/^Pss:\s*(\d+) kB/mu.exec(memory)?.[1]) / 1024, seconds: nanos / 1e9 }
})

/** Returns the percentage of a core that each process uses, while they rest for some seconds. */
export const shares = Effect.fnUntraced(function* (pids: ReadonlyArray<number>, seconds: number) {
  const before = yield* Effect.forEach(pids, used)
  yield* Effect.sleep(`${seconds} seconds`)
  const after = yield* Effect.forEach(pids, used)
  return after.map(({ megabytes, seconds: now }, index) => ({
    megabytes,
    percent: ((now - before[index]!.seconds) / seconds) * 100
  }))
})
