import type { Zone } from "@souffleur/domain"
import { Souffleur } from "@souffleur/embed"
import { Clock, Effect } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { doorScript } from "./asset/DoorScript.ts"
import { neededIcon, pageIcon } from "./asset/PageIcon.ts"
import { pageScript } from "./asset/PageScript.ts"
import { pageStyle } from "./asset/PageStyle.ts"
import { makeExcerpts } from "./history/Excerpts.ts"
import { makeHistories } from "./history/Histories.ts"
import { makePasts } from "./history/Pasts.ts"
import { makeListPages } from "./ListPages.ts"
import { makeFeeds } from "./LiveFeed.ts"
import { collecting, entered, entrance, type GateOptions, hardened, refusal } from "./PageGate.ts"
import { pageSecrets } from "./PageSecrets.ts"
import { type PageWorld, withFailures } from "./PageWorld.ts"
import { reportPages } from "./ReportPages.ts"
import { makeRunPages } from "./run/RunPages.ts"
import { runWorkPages } from "./run/RunWorkPages.ts"
import { linksUnder, looks } from "./view/Links.ts"
import { makeChangesPages } from "./shown/ChangesPages.ts"
import { conversationPages } from "./shown/ConversationPages.ts"
import { watchPages } from "./WatchPages.ts"

/** The type of the text format of Prometheus. */
const prometheus = "text/plain; version=0.0.4; charset=utf-8"

/** A page of one state folder. */
export interface PageOptions {
  /** The state folder, absolute: it keeps the token. */
  readonly stateDir: string
  /** The origin by which a person reaches it from elsewhere; `null`: it is loopback alone. */
  readonly pageUrl?: string | null
  /** True if it takes a person's word. An agent that starts it gets none of the buttons. */
  readonly acts: boolean
  /** The zone of its times. */
  readonly zone: Zone
}

/**
 * Serves the page until its scope closes, and returns its address with the token. Notices have links to it. Fails with
 * `FileRefused` where others could read the token, and with `PlatformError` where it cannot be kept.
 *
 * @example
 * ```ts
 * import { personsZone } from "@souffleur/domain"
 * import { Souffleur } from "@souffleur/embed"
 * import { HostServices, Processes } from "@souffleur/node"
 * import * as LoopbackServer from "@souffleur/node/loopback"
 * import { servePage } from "@souffleur/page"
 * import { Effect, Layer } from "effect"
 *
 * const stateDir = "/var/lib/app/souffleur"
 * const page = Effect.gen(function* () {
 *   const address = yield* servePage({ stateDir, acts: true, zone: yield* personsZone })
 *   yield* Effect.logInfo(address)
 *   return yield* Effect.never
 * }).pipe(
 *   Effect.scoped,
 *   Effect.provide(
 *     Layer.mergeAll(
 *       Souffleur.layerNode({ stateDir }),
 *       LoopbackServer.layer({ port: 7433 }),
 *       HostServices.layer,
 *       Processes.layer
 *     )
 *   )
 * )
 * ```
 */
export const servePage = Effect.fn("servePage")(function* ({ acts, pageUrl = null, stateDir, zone }: PageOptions) {
  const server = yield* HttpServer.HttpServer
  const port = server.address._tag === "UnixPathAddress" ? 0 : server.address.port
  const origin = `http://127.0.0.1:${port}`
  const secrets = yield* pageSecrets(stateDir, origin)
  const gate: GateOptions = { port, pageUrl, secrets, acts }
  const souffleur = yield* Souffleur
  const world: PageWorld = {
    souffleur,
    excerpts: yield* makeExcerpts(souffleur),
    pasts: yield* makePasts(souffleur),
    histories: yield* makeHistories(souffleur),
    gate,
    links: linksUnder(secrets.path),
    feed: yield* makeFeeds,
    seen: Effect.map(Clock.currentTimeMillis, (now) => ({ now, zone }))
  }
  const asset = (text: string, contentType: string) => Effect.succeed(HttpServerResponse.text(text, { contentType }))
  const numbers = yield* Effect.cachedWithTTL(world.souffleur.metrics, "1 second")
  const metrics = withFailures(world)(
    Effect.map(numbers, ({ text }) => HttpServerResponse.text(text, { contentType: prometheus }))
  )
  const routes = HttpRouter.addAll(
    [
      ...(yield* makeListPages(world)),
      ...watchPages(world),
      ...conversationPages(world),
      ...(yield* makeChangesPages(world)),
      ...(yield* makeRunPages(world)),
      ...runWorkPages(world),
      ...reportPages(world),
      HttpRouter.route("GET", "/metrics", metrics)
    ],
    { prefix: secrets.path }
  )
  const known = yield* HttpRouter.toHttpEffect(routes)
  const inside = entered(gate)(
    Effect.catchTag(known, "HttpServerError", ({ reason }) =>
      Effect.succeed(reason._tag === "RouteNotFound" ? refusal(404, "Nothing is here.") : refusal(400, "Bad request."))
    )
  )
  const outside: Readonly<Record<string, typeof inside>> = {
    "/": entrance(gate),
    "/metrics": collecting(gate)(metrics),
    // The door shows them too. They hold no word of this machine.
    [looks.style]: asset(pageStyle, "text/css"),
    [looks.icon]: asset(pageIcon, "image/svg+xml"),
    [looks.needed]: asset(neededIcon, "image/svg+xml"),
    [looks.script]: asset(pageScript, "text/javascript"),
    [looks.door]: asset(doorScript, "text/javascript")
  }
  const answer = Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    ({ url }) => outside[url.split("?", 1)[0]!] ?? inside
  )
  yield* server.serve(hardened(gate)(answer))
  return `${origin}/?token=${secrets.token}`
})
