import { Effect, FileSystem, Option, Path } from "effect"
import { Environment } from "../world/CommandEnvironment.ts"

/** Returns the path of the comms file, unread. `null`: no file was named, and none exists (solo). */
export const namedComms = Effect.fn("namedComms")(function* (named: Option.Option<string>, project: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { cwd } = yield* Environment
  if (Option.isSome(named)) return path.resolve(cwd, named.value)
  const file = path.join(project, "comms.db")
  return (yield* Effect.orElseSucceed(fs.exists(file), () => false)) ? file : null
})
