import { digestOf, type ResolvedSettings } from "@souffleur/domain"
import { Effect } from "effect"
import { replaceDurably } from "../file/DurableFile.ts"
import { keptOfPage, pageFile } from "./PageFile.ts"
import { pageServedNow } from "./ServedPages.ts"

/** The name of the file of its token, in the state folder. */
const tokenFile = "page.token"

/** 256 random bits, in hex. */
const form = /^[0-9a-f]{64}$/u

/** Reads the token of the page; `undefined`: there is none. Fails with `FileRefused` where others could read it. */
export const pageToken = Effect.fn("pageToken")(function* (stateDir: string) {
  const token = yield* keptOfPage(stateDir, tokenFile)
  return form.test(token) ? token : undefined
})

/** Returns a secret of the page that leads to no other. */
export const pageSecretOf = (name: string, token: string) => digestOf(`souffleur page ${name} ${token}`)

/** Keeps the token of the page. Fails with `PlatformError`. */
export const keepPageToken = Effect.fn("keepPageToken")(function* (stateDir: string, token: string) {
  yield* replaceDurably(yield* pageFile(stateDir, tokenFile), `${token}\n`)
})

type Reached = Pick<ResolvedSettings, "pageUrl" | "stateDir">

/** Returns the origin that is set for the page, else the origin of a page that runs; `null`: neither. */
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
 * runs. Another user may have the port of a page that has ended.
 */
export const pageLinkOf = Effect.fn("pageLinkOf")(function* (reached: Reached, subject: Subject) {
  const origin = yield* pageNow(reached)
  return origin === null ? null : pageLink(origin, subject)
})
