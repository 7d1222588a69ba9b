import { Effect, Path } from "effect"
import { readTrusted } from "../file/TrustedFiles.ts"

/** Returns the path of a file of the page, in the state folder. */
export const pageFile = (stateDir: string, name: string) => Effect.map(Path.Path, (path) => path.join(stateDir, name))

/** Reads a file of the page. Fails with `FileRefused` where others could read it; a missing one is empty. */
export const keptOfPage = Effect.fnUntraced(function* (stateDir: string, name: string) {
  const bytes = yield* readTrusted(yield* pageFile(stateDir, name), {
    own: true,
    others: "nothing",
    atMost: 16_384
  }).pipe(
    Effect.catchTag("FileRefused", (refused) =>
      refused.missing ? Effect.succeed(new Uint8Array()) : Effect.fail(refused)
    )
  )
  return new TextDecoder().decode(bytes).trim()
})
