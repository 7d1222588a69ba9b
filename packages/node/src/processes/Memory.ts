import { Effect, Queue, Schedule } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Collections after which V8 drops code that has not run between them. */
const untilOld = 3

/**
 * Collects all garbage and all compiled code, since the code of a start is not run again for hours. V8 does so by
 * itself only in need. Code that runs again is compiled again.
 */
const collect = (gc: NodeJS.GCFunction) =>
  Effect.sync(() => {
    for (let count = 0; count < untilOld; count++) gc({ type: "major", execution: "sync", flavor: "last-resort" })
  })

/** Collects young garbage, in a millisecond. V8 would let it grow to two megabytes in a resting process. */
const collectYoung = (gc: NodeJS.GCFunction) => Effect.sync(() => void gc({ type: "minor", execution: "sync" }))

/**
 * Makes the function that collects. The flags come with the first rest: V8 rejects the kept compiled code of other
 * flags.
 */
const makeCollector = Effect.sync(() => {
  for (const flag of ["--expose-gc", "--flush-baseline-code"]) setFlagsFromString(flag)
  // The flag gives the function to new contexts alone.
  return runInNewContext("gc") as NodeJS.GCFunction
})

/** Lets V8 compile for speed what runs most, or not. Code that was compiled so stays. */
const optimizing = (allowed: boolean) =>
  Effect.sync(() => {
    for (const compiler of ["opt", "maglev"]) setFlagsFromString(`--${allowed ? "" : "no-"}${compiler}`)
  })

/**
 * Gives back the memory of a start or a recovery, ten seconds after the last `wake` and then each hour, until its scope
 * closes. It is for a process that rests for most of its life, since each collection stops the process for a tenth of a
 * second. `wake`: work begins or continues.
 *
 * V8 compiles for speed what has run each second for two minutes. At rest that takes 7 MB and saves nothing, so V8 may
 * do it during work alone.
 */
export const makeRest = Effect.gen(function* () {
  const work = yield* Queue.sliding<void>(1)
  const rest = Effect.gen(function* () {
    yield* Effect.sleep("10 seconds")
    const gc = yield* makeCollector
    const each = [
      Effect.repeat(Effect.andThen(collect(gc), optimizing(false)), Schedule.spaced("1 hour")),
      Effect.repeat(collectYoung(gc), Schedule.spaced("1 minute"))
    ]
    yield* Effect.all(each, { concurrency: "unbounded", discard: true })
  })
  yield* Effect.addFinalizer(() => optimizing(true))
  yield* Effect.forkScoped(Effect.forever(Effect.raceFirst(rest, Queue.take(work))))
  return { wake: Effect.andThen(optimizing(true), Effect.asVoid(Queue.offer(work, undefined))) }
})
