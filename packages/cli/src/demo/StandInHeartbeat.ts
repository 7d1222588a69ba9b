import { Clock, Config, Effect, FileSystem, Option, Path, Schedule } from "effect"

/**
 * Writes down when the stand-in lived, where `SOUFFLEUR_STANDIN_DIARY` names a folder. The file `<pid>.diary` gets a
 * line of epoch milliseconds at the start, every 20 ms, and at the end. After a SIGKILL the last line is the last known
 * moment of its life.
 */
export const keepHeartbeatFile = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* Config.option(Config.String("SOUFFLEUR_STANDIN_DIARY"))
  if (Option.isNone(folder)) return
  const file = path.join(folder.value, `${process.pid}.diary`)
  const note = Effect.flatMap(Clock.currentTimeMillis, (at) =>
    Effect.orDie(fs.writeFileString(file, `${at}\n`, { flag: "a" }))
  )
  yield* note
  yield* Effect.addFinalizer(() => note)
  yield* Effect.forkScoped(Effect.repeat(note, Schedule.spaced("20 millis")))
})
