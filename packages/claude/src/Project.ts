import { inHead } from "@souffleur/session"
import { Effect, Path } from "effect"

/**
 * Returns the folder in which a session began, as its first record with a folder says. `None`: no record has one, or
 * the file cannot be read.
 */
export const projectOf = Effect.fn("projectOf")(function* (file: string) {
  const path = yield* Path.Path
  return yield* inHead(file, ({ cwd }) => (typeof cwd === "string" && path.isAbsolute(cwd) ? cwd : undefined))
})
