import { digestOf, isOver, ProcessIdentity, Processes, type ResolvedSettings } from "@souffleur/domain"
import { Effect, Path, Schema } from "effect"
import { replaceDurably } from "../file/DurableFile.ts"
import { readTrusted } from "../file/TrustedFiles.ts"

/** The names of the files of the page in the state folder: its token, and where it was served last. */
const [tokenFile, servedFile] = ["page.token", "page.served"] as const

/** 256 random bits, in hex. */
const form = /^[0-9a-f]{64}$/u

const fileIn = (stateDir: string, name: string) => Effect.map(Path.Path, (path) => path.join(stateDir, name))

/** Reads a file of the page. Fails with `FileRefused` where others could read it; a missing one is empty. */
const kept = Effect.fnUntraced(function* (stateDir: string, name: string) {
  const bytes = yield* readTrusted(yield* fileIn(stateDir, name), { own: true, others: "nothing", atMost: 1024 }).pipe(
    Effect.catchTag("FileRefused", (refused) =>
      refused.missing ? Effect.succeed(new Uint8Array()) : Effect.fail(refused)
    )
  )
  return new TextDecoder().decode(bytes).trim()
})

/** Reads the token of the page; `undefined`: there is none. Fails with `FileRefused` where others could read it. */
export const pageToken = Effect.fn("pageToken")(function* (stateDir: string) {
  const token = yield* kept(stateDir, tokenFile)
  return form.test(token) ? token : undefined
})

/** Returns a secret of the page that leads to no other. */
export const pageSecretOf = (name: string, token: string) => digestOf(`souffleur page ${name} ${token}`)

/** Keeps the token of the page. Fails with `PlatformError`. */
export const keepPageToken = Effect.fn("keepPageToken")(function* (stateDir: string, token: string) {
  yield* replaceDurably(yield* fileIn(stateDir, tokenFile), `${token}\n`)
})

const Served = Schema.fromJsonString(Schema.Struct({ origin: Schema.String, process: ProcessIdentity }))

/** Keeps where this process serves the page. Fails with `PlatformError`. */
export const keepPageServed = Effect.fn("keepPageServed")(function* (stateDir: string, origin: string) {
  const { self } = yield* Processes
  const text = yield* Effect.orDie(Schema.encodeEffect(Served)({ origin, process: self }))
  yield* replaceDurably(yield* fileIn(stateDir, servedFile), `${text}\n`)
})

/** Reads where the page was served last; `undefined`: nowhere, or the file cannot be read. */
const lastServed = Effect.fnUntraced(
  function* (stateDir: string) {
    return yield* Schema.decodeEffect(Served)(yield* kept(stateDir, servedFile))
  },
  Effect.orElseSucceed(() => undefined)
)

/** Returns the origin of a page of this state folder that is served now; `null`: there is none. */
export const pageServedNow = Effect.fn("pageServedNow")(function* (stateDir: string) {
  const served = yield* lastServed(stateDir)
  if (served === undefined) return null
  const { condition } = yield* Processes
  return isOver(yield* condition(served.process)) ? null : served.origin
})

type Reached = Pick<ResolvedSettings, "pageUrl" | "stateDir">

/** Returns the origin that is set for the page, else that of a page that runs; `null`: neither. */
export const pageNow = ({ pageUrl, stateDir }: Reached) =>
  pageUrl === null ? pageServedNow(stateDir) : Effect.succeed(pageUrl)

/** The name of a watch or a run, as a notice has it. */
export type Subject = Readonly<Record<string, string>>

/** Returns the address of a watch or a run, without a secret. The page leads a browser with its cookie on. */
export const pageLink = (origin: string, { run, watch }: Subject): string => {
  if (watch !== undefined) return `${origin}/watches/${encodeURIComponent(watch)}`
  return run === undefined ? `${origin}/` : `${origin}/runs/${encodeURIComponent(run)}`
}

/**
 * Returns the address of a watch or a run on the page, for a notice. It has no secret. `null`: none is set, and no page
 * was served yet.
 */
export const pageLinkOf = Effect.fn("pageLinkOf")(function* ({ pageUrl, stateDir }: Reached, subject: Subject) {
  const origin = pageUrl ?? (yield* lastServed(stateDir))?.origin
  return origin === undefined ? null : pageLink(origin, subject)
})
