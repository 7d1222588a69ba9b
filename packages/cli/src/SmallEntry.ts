import { guardianFlags } from "@souffleur/node"
import { Effect, FileSystem, Path } from "effect"
import { Environment } from "./world/CommandEnvironment.ts"

/**
 * Returns the words that start one errand of this program. The published command has a small file of its own for each,
 * which starts sooner and in less memory. The source and the single executable have none, and run the whole command.
 */
export const errandWords = Effect.fn("errandWords")(function* (
  errand: "comms" | "guardian" | "hook" | "launch" | "notify"
) {
  const { self } = yield* Environment
  const [program, script] = self
  if (script === undefined) return self
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  // npm starts the command by a link to it.
  const real = yield* Effect.orElseSucceed(fs.realPath(script), () => script)
  const entry = path.join(path.dirname(real), `${errand}.cjs`)
  if (!(yield* Effect.orElseSucceed(fs.exists(entry), () => false))) return self
  return [program, ...(errand === "guardian" ? guardianFlags() : []), entry] as const
})
