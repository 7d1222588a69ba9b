import { trustNow } from "@souffleur/embed/internal"
import { findConfig, replaceDurably } from "@souffleur/process"
import { Effect, FileSystem, Path } from "effect"
import { BadUsage } from "../Failure.ts"

/** Sets keys in the text of a config file, and removes those without a value. All other lines stay as they are. */
const withKeys = (text: string, keys: ReadonlyArray<readonly [key: string, value: string]>): string => {
  const isOf = (key: string) => (line: string) => line.trim().startsWith(`${key}=`)
  const lines = text.trimEnd() === "" ? [] : text.trimEnd().split("\n")
  const kept = lines.filter((line) => !keys.some(([key]) => isOf(key)(line)))
  return `${[...kept, ...keys.flatMap(([key, value]) => (value === "" ? [] : [`${key}=${value}`]))].join("\n")}\n`
}

/** Writes keys into the config file in use, else into the project's own. Trusts it by this person's word. */
export const writeConfig = Effect.fnUntraced(function* (
  project: string,
  keys: ReadonlyArray<readonly [key: string, value: string]>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { refused, source } = yield* findConfig(project)
  if (refused !== null) return yield* new BadUsage({ message: `${refused}: nothing is set up` })
  const file = source ?? path.join(project, ".orchestra_configs", "souffleur")
  yield* fs.makeDirectory(path.dirname(file), { recursive: true, mode: 0o700 })
  yield* replaceDurably(file, withKeys(source === null ? "" : yield* fs.readFileString(file), keys))
  yield* trustNow(project)
  return file
}, Effect.scoped)
