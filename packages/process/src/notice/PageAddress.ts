import { digestOf, type ResolvedSettings } from "@souffleur/domain"
import { Effect, Path } from "effect"
import { readTrusted } from "../file/TrustedFiles.ts"

/** The name of the file with the token of the page, in the state folder. */
const file = "page.token"

/** 256 random bits, in hex. */
const form = /^[0-9a-f]{64}$/u

/** The file of the page's token. */
export const pageTokenFile = (stateDir: string) => Effect.map(Path.Path, (path) => path.join(stateDir, file))

/** Reads the token of the page; `undefined`: there is none. Fails with `FileRefused` where others could read it. */
export const pageToken = Effect.fn("pageToken")(function* (stateDir: string) {
  const bytes = yield* readTrusted(yield* pageTokenFile(stateDir), { own: true, others: "nothing", atMost: 1024 }).pipe(
    Effect.catchTag("FileRefused", (refused) =>
      refused.missing ? Effect.succeed(new Uint8Array()) : Effect.fail(refused)
    )
  )
  const kept = new TextDecoder().decode(bytes).trim()
  return form.test(kept) ? kept : undefined
})

/** Returns a secret of the page that leads to no other. */
export const pageSecretOf = (name: string, token: string) => digestOf(`souffleur page ${name} ${token}`)

/** Returns the path that begins each address of the page. */
export const pagePathOf = (token: string) => Effect.map(pageSecretOf("path", token), (hex) => `/${hex.slice(0, 20)}`)

/** The name of a watch or a run, as a notice has it. */
export type Subject = Readonly<Record<string, string>>

/**
 * Returns the address of a watch or a run on the page. It opens nothing: a browser needs the cookie too. `null`: no
 * page was served here yet.
 */
export const pageLinkOf = Effect.fn("pageLinkOf")(
  function* ({ pageUrl, stateDir }: Pick<ResolvedSettings, "pageUrl" | "stateDir">, { run, watch }: Subject) {
    const token = yield* pageToken(stateDir)
    if (token === undefined) return null
    const list = `${pageUrl}${yield* pagePathOf(token)}/`
    if (watch !== undefined) return `${list}watches/${encodeURIComponent(watch)}`
    return run === undefined ? list : `${list}runs/${encodeURIComponent(run)}`
  },
  Effect.orElseSucceed(() => null)
)
