import { plain } from "@souffleur/domain"
import type { ReadFailed, ResultError, PlanReadFailed, Souffleur } from "@souffleur/embed"
import { Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Excerpts } from "./history/Excerpts.ts"
import type { Pasts } from "./history/Pasts.ts"
import type { Histories } from "./history/Histories.ts"
import { html, written } from "./Html.ts"
import type { Feeds } from "./LiveFeed.ts"
import type { GateOptions } from "./PageGate.ts"
import type { FrameLinks, Links } from "./view/Links.ts"
import { type Framed, pageFrame } from "./view/PageFrame.ts"
import type { Seen } from "./view/Seen.ts"
import { eventsOnPage } from "./view/WatchPage.ts"

/** Parts of every view of the page. */
export interface PageWorld {
  readonly souffleur: Souffleur["Service"]
  readonly gate: GateOptions
  readonly links: Links
  readonly feed: Feeds
  readonly excerpts: Excerpts<ReadFailed>
  readonly pasts: Pasts<ResultError>
  readonly histories: Histories<PlanReadFailed>
  readonly seen: Effect.Effect<Seen>
}

/** The addresses around a page. */
interface Framing {
  readonly links: FrameLinks
}

/** Answers with a whole page. */
export const framed = (page: Framed, { links }: Framing, status = 200) =>
  HttpServerResponse.html(written(pageFrame(page, links))).pipe(HttpServerResponse.setStatus(status))

const statusOf = (tag: string) => {
  if (tag.endsWith("NotFound")) return 404
  if (tag === "StoreOut") return 503
  if (tag === "OperatorOnly") return 403
  return ["GuidanceUnfit", "Refused", "WordKept"].includes(tag) ? 409 : 500
}

/** Answers a failure with its sentence. A missing name is 404, a refused word 409, a store that is out 503. */
export const withFailures =
  (world: Framing) =>
  <E extends { readonly _tag: string; readonly message: string }, R>(
    answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) =>
    Effect.catch(answer, ({ _tag, message }) => {
      const status = statusOf(_tag)
      const main = html`<div>
          <p class="crumb"><a href="${world.links.list}">${world.links.listName}</a></p>
          <h1>${status === 404 ? "Not here" : status < 500 ? "Not possible now" : "It failed"}</h1>
        </div>
        <p class="panel">${plain(message, 2000)}</p>`
      return Effect.succeed(framed({ title: "souffleur", live: null, main }, world, status))
    })

const Query = Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Array(Schema.String)]))

/** How often the processes and the files of one agent are looked at for a reader. */
export const stateEvery = "5 seconds"

/** Reads a part of the address. */
export const inPath = (name: string) => Effect.map(HttpRouter.params, (params) => params[name] ?? "")

/** Reads the name of a job in the address. */
export const idInPath = inPath("id")

/** Reads the words of the address. A word that is there twice is left out. */
export const queried = Effect.map(
  Effect.option(HttpServerRequest.schemaSearchParams(Query)),
  (query) => (name: string) => {
    const word = Option.getOrUndefined(query)?.[name]
    return typeof word === "string" ? word : ""
  }
)

/**
 * Reads the revision after which a feed resumes. A page that was away for long gets only the newest events, as a fresh
 * one does.
 */
export const goesOnAfter = Effect.fnUntraced(function* (revision: number) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const known = numberOf(headers["last-event-id"] ?? "") ?? numberOf((yield* queried)("after")) ?? 0
  return Math.min(revision, Math.max(known, revision - eventsOnPage))
})

/** Reads a revision or a page number, from 1 on. Returns `undefined` if the text is not a positive integer. */
export const numberOf = (word: string): number | undefined => (/^[1-9]\d{0,8}$/u.test(word) ? Number(word) : undefined)
