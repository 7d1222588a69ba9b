import { agentsOwn, Bounds } from "@souffleur/domain"
import { readTrusted } from "@souffleur/process"
import { Effect } from "effect"

/**
 * Reads the longest time in ms that the user gives the service for an answer, by settings of the agent; 0: they say
 * none. `keys`: names of such settings, in JSON or TOML. The greatest value counts, wherever it stands: one that is too
 * great only puts a hang off.
 */
export const longestSet = Effect.fn("longestSet")(function* ({
  files,
  keys,
  values = []
}: {
  readonly files: ReadonlyArray<string>
  readonly keys: ReadonlyArray<string>
  /** Values of variables that say the same. */
  readonly values?: ReadonlyArray<string | undefined>
}) {
  const named = new RegExp(`["']?\\b(?:${keys.join("|")})\\b["']?\\s*[:=]\\s*["']?(\\d+)`, "gu")
  const texts = yield* Effect.forEach(files, (file) =>
    readTrusted(file, { ...agentsOwn, atMost: 1_000_000 }).pipe(
      Effect.map((bytes) => new TextDecoder().decode(bytes)),
      Effect.orElseSucceed(() => "")
    )
  )
  const said = [...values, ...texts.flatMap((text) => Array.from(text.matchAll(named), ([, value]) => value))]
  return { call: Math.max(0, ...said.map((value) => Bounds.setLimit(value) ?? 0)) }
})
