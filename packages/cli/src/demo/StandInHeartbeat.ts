import { Clock, Config, Effect, FileSystem, Option, Path, Schedule } from "effect"

/**
 * Where `SOUFFLEUR_STANDIN_DIARY` names a folder, the stand-in writes down when it lived: `<pid>.diary`, a line of
 * epoch milliseconds at its start, every 20 ms, and at its end. After a SIGKILL the last line is the last moment at
 * which it is known to have lived.
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
