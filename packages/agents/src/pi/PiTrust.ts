import { Effect, FileSystem, Path } from "effect"
import { type Json, jsonOf, recordOf } from "../kit/lines/JsonRecord.ts"

/** Returns the newest word on a folder: of the folder itself, else of the nearest one above it. */
const wordOn = (words: Json, parents: ReadonlyArray<string>): boolean | undefined =>
  parents.map((folder) => words[folder]).find((word) => typeof word === "boolean")

/**
 * Returns whether a person has trusted a folder in pi, or has pi trust every one. Otherwise pi asks in its window once
 * the project has settings of pi's, also where they came after the session began.
 */
export const isTrustedInPi = Effect.fn("isTrustedInPi")(function* (agentDir: string, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const read = (name: string) =>
    fs.readFileString(path.join(agentDir, name)).pipe(
      Effect.map((text) => jsonOf(recordOf(text))),
      Effect.orElseSucceed((): Json => ({}))
    )
  const parents = [yield* Effect.orElseSucceed(fs.realPath(folder), () => folder)]
  for (let at = parents[0]!; path.dirname(at) !== at; at = path.dirname(at)) parents.push(path.dirname(at))
  const word = wordOn(yield* read("trust.json"), parents)
  return word ?? (yield* read("settings.json"))["defaultProjectTrust"] === "always"
})
