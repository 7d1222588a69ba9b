import { Effect, Schedule } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Collects all garbage, and all compiled code that was not run of late. V8 does so by itself only in need. */
const collect = Effect.sync(() => {
  setFlagsFromString("--expose-gc")
  // The flag gives the function to new contexts alone.
  const gc = runInNewContext("gc") as NodeJS.GCFunction
  gc({ type: "major", execution: "sync", flavor: "last-resort" })
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
