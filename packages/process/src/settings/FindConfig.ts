import { type FoundConfig, parseConfigFile } from "@souffleur/domain"
import { Effect, Path, Result } from "effect"
import { FileRefused, lookTrusted, readTrusted, type TrustedFiles } from "../file/TrustedFiles.ts"

/** Most bytes of a config file. */
const maxBytes = 1_000_000

/**
 * Reads the text of a config file. Its folder must be as trusted as the file: a writer of the folder can write the
 * file.
 */
const textOf = Effect.fnUntraced(function* (folder: string, source: string) {
  const bytes = yield* readTrusted(source, { atMost: maxBytes })
  yield* lookTrusted(folder, { folder: true })
  return yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => new FileRefused({ path: source, problem: "it is not UTF-8", missing: false })
  })
})

/** Returns the places of a project's config file, the nearest first. */
export const configPlaces = (path: Path.Path, project: string): ReadonlyArray<string> => [
  ...new Set([project, path.dirname(project)].map((folder) => path.join(folder, ".orchestra_configs", "souffleur")))
]

/**
 * Finds `<project>/.orchestra_configs/souffleur`, else the same file in the project's parent. The nearest file is used
 * alone. If it cannot be read or is not trusted, the result has the defaults and a warning. It never has the parent's
 * values (spec: settings#config-file).
 */
export const findConfig = Effect.fn("findConfig")(function* (
  projectDir: string
): Effect.fn.Return<FoundConfig, never, TrustedFiles | Path.Path> {
  const path = yield* Path.Path
  for (const source of configPlaces(path, path.resolve(projectDir))) {
    const text = yield* Effect.result(textOf(path.dirname(source), source))
    if (Result.isSuccess(text)) return { ...parseConfigFile(text.success), source, refused: null }
    if (text.failure.missing) continue
    const { message } = text.failure
    return {
      values: new Map(),
      warnings: [`${message}. It is not used: the defaults apply`],
      source,
      refused: message
    }
  }
  return { values: new Map(), warnings: [], source: null, refused: null }
})
