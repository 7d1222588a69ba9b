import { Effect, Schedule } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Collections after which V8 drops code that has not run between them. */
const untilOld = 3

/**
 * Collects all garbage, and all compiled code: that of a start is not run again for hours. V8 does so by itself only in
 * need. Code that runs again is compiled again.
 */
const collect = Effect.sync(() => {
  for (const flag of ["--expose-gc", "--flush-baseline-code"]) setFlagsFromString(flag)
  // The flag gives the function to new contexts alone.
  const gc = runInNewContext("gc") as NodeJS.GCFunction
  for (let count = 0; count < untilOld; count++) gc({ type: "major", execution: "sync", flavor: "last-resort" })
})

/**
 * Gives the memory back that a start or a recovery has used, after ten seconds and then each hour. Never ends. It is
 * for a process that rests for most of its life. Each collection stops it for a tenth of a second.
 */
export const givenBack: Effect.Effect<never> = collect.pipe(
  Effect.repeat(Schedule.spaced("1 hour")),
  Effect.delay("10 seconds"),
  Effect.andThen(Effect.never)
)
