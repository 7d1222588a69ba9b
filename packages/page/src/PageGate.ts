import { Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse, UrlParams } from "effect/http"
import { written } from "./Html.ts"
import { isSameSecret, type PageSecrets } from "./PageSecrets.ts"
import { doorPage, linkFromElsewhere, linkFromHere } from "./view/DoorPage.ts"
import { queryOf } from "./view/Links.ts"

/** The most bytes of a form: an answer to a task is the longest. */
const maxFormBytes = 65_536

/**
 * The headers of every answer. Scripts, styles and forms are the page's own alone, and nothing frames it or keeps it.
 * The referrer goes to the page itself alone: without any, a browser would send no `Origin` with a form.
 */
const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

/** Answers with a sentence. */
export const refusal = (status: number, sentence: string) => HttpServerResponse.text(`${sentence}\n`, { status })

type Answer<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Seconds for which a browser stays let in. */
const cookieSeconds = 30 * 86_400

/** The port of a page, and its address from elsewhere. */
export interface Reached {
  readonly port: number
  /** `null`: it is reached on this machine alone. */
  readonly pageUrl: string | null
}

/** The addresses of the page, its secrets, and whether it takes a person's word. */
export interface GateOptions extends Reached {
  readonly secrets: PageSecrets
  readonly acts: boolean
}

/** The origins of the page: on this machine, and that which its user set. Another one is a rebound name. */
const originsOf = ({ pageUrl, port }: Reached): ReadonlyArray<string> => [
  `http://127.0.0.1:${port}`,
  `http://localhost:${port}`,
  ...(pageUrl === null ? [] : [pageUrl])
]

/** Returns whether a request came by the address that its user set. */
const isFromElsewhere = ({ pageUrl }: Reached, { headers }: HttpServerRequest.HttpServerRequest): boolean =>
  pageUrl !== null && new URL(pageUrl).host === headers["host"]

/** Gives each answer the headers, and refuses a request for another host. */
export const hardened =
  (gate: Reached) =>
  <E, R>(answer: Answer<E, R>) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const hosts = originsOf(gate).map((origin) => new URL(origin).host)
      return hosts.includes(request.headers["host"] ?? "")
        ? yield* answer
        : refusal(421, "This page is for 127.0.0.1, localhost and the address that was set for it.")
    }).pipe(Effect.map(HttpServerResponse.setHeaders(headers)))

/**
 * Answers a browser that is not let in. A browser sends no strict cookie when a page of others leads here, such as a
 * mail. `again`: this page then asks for the same address once more, by itself, and so with the cookie.
 */
const door = (gate: GateOptions, again = false) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const main = isFromElsewhere(gate, request) ? linkFromElsewhere : linkFromHere
    return HttpServerResponse.setStatus(HttpServerResponse.html(written(doorPage({ again, main }))), 401)
  })

/** Returns whether somebody else's page led a browser here. Such a request brings no strict cookie. */
export const wasLed = ({ headers, method }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["sec-fetch-site"] === "cross-site" && headers["sec-fetch-mode"] === "navigate" && method === "GET"

/** Leads a browser on to the page under its secret path, with its cookie. */
export const letIn = (
  gate: Reached,
  request: HttpServerRequest.HttpServerRequest,
  { cookie, path }: Pick<PageSecrets, "cookie" | "path">
) =>
  HttpServerResponse.redirect(`${path}/`, { status: 303 }).pipe(
    HttpServerResponse.setCookieUnsafe("souffleur", cookie, {
      httpOnly: true,
      sameSite: "strict",
      secure: isFromElsewhere(gate, request) && new URL(gate.pageUrl ?? "").protocol === "https:",
      maxAge: cookieSeconds * 1000,
      path: `${path}/`
    })
  )

/** Trades the link with the token for the cookie. The token then leaves the bar of addresses. */
export const entrance = (gate: GateOptions) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const given = new URLSearchParams(queryOf(request)).get("token") ?? undefined
    return isSameSecret(gate.secrets.token, given) ? letIn(gate, request, gate.secrets) : yield* door(gate)
  })

/** Refuses a collector without its token. It has no browser, so it brings the token each time. */
export const collecting =
  ({ secrets }: GateOptions) =>
  <E, R>(answer: Answer<E, R>) =>
    Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const [, token] = /^Bearer +(\S+)$/iu.exec(headers["authorization"] ?? "") ?? []
      return isSameSecret(secrets.metrics, token)
        ? yield* answer
        : HttpServerResponse.setHeader(refusal(401, "Bring the token in metrics.token."), "www-authenticate", "Bearer")
    })

/** Refuses a request without the cookie. */
export const entered =
  (gate: GateOptions) =>
  <E, R>(answer: Answer<E, R>) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (isSameSecret(gate.secrets.cookie, request.cookies["souffleur"])) return yield* answer
      return yield* door(gate, wasLed(request) && request.url.startsWith(`${gate.secrets.path}/`))
    })

type Act<E, R> = (field: (name: string) => string) => Answer<E, R>

/** Hands on the fields of a form whose `Origin` is the page. A field that is there twice counts once. */
export const formed =
  (gate: Reached) =>
  <E, R>(act: Act<E, R>) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!originsOf(gate).includes(request.headers["origin"] ?? ""))
        return refusal(403, "This form is of another page.")
      if (Number(request.headers["content-length"] ?? maxFormBytes + 1) > maxFormBytes)
        return refusal(413, "This form is too long.")
      const form = yield* Effect.option(request.urlParamsBody)
      if (Option.isNone(form)) return refusal(400, "This form cannot be read.")
      return yield* act((name) => Option.getOrElse(UrlParams.getFirst(form.value, name), () => ""))
    })

/** Hands on the fields of a form that this page has sent. It has the secret of forms besides. */
export const posted =
  ({ acts, secrets, ...gate }: GateOptions) =>
  <E, R>(act: Act<E, R>) =>
    acts
      ? formed(gate)((field) =>
          isSameSecret(secrets.form, field("secret"))
            ? act(field)
            : Effect.succeed(refusal(403, "This form is of another page."))
        )
      : Effect.succeed(refusal(403, "This page takes no word: it was started in an agent's session."))
