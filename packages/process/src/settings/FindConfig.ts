import { type FoundConfig, parseConfigFile } from "@souffleur/domain"
import { Effect, Path, Result } from "effect"
import { FileRefused, lookTrusted, readTrusted, type TrustedFiles } from "../file/TrustedFiles.ts"

/** More is no config file. */
const largest = 1_000_000

/** The text of a config file, in a folder that is as trusted as it: who writes the folder writes the file. */
const textOf = Effect.fnUntraced(function* (folder: string, source: string) {
  const bytes = yield* readTrusted(source, { atMost: largest })
  yield* lookTrusted(folder, { folder: true })
  return yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => new FileRefused({ path: source, problem: "it is not UTF-8", missing: false })
  })
})

/**
 * `<project>/.orchestra_configs/souffleur`, else the same in the project's parent. The nearest that is there wins
 * whole: one that cannot be read, or may be somebody else's word, gives the defaults and a warning, never the parent's
 * values (spec: settings#config-file).
 */
export const findConfig = Effect.fn("findConfig")(function* (
  projectDir: string
): Effect.fn.Return<FoundConfig, never, TrustedFiles | Path.Path> {
  const path = yield* Path.Path
  const project = path.resolve(projectDir)
  for (const parent of new Set([project, path.dirname(project)])) {
    const folder = path.join(parent, ".orchestra_configs")
    const source = path.join(folder, "souffleur")
    const text = yield* Effect.result(textOf(folder, source))
    if (Result.isSuccess(text)) return { ...parseConfigFile(text.success), source, refused: null }
    if (text.failure.missing) continue
    const { message } = text.failure
    return {
      values: new Map(),
      warnings: [`${message}. Nothing of it is used: the defaults are`],
      source,
      refused: message
    }
  }
  return { values: new Map(), warnings: [], source: null, refused: null }
})
