import { Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse, UrlParams } from "effect/http"
import { written } from "./Html.ts"
import { isSameSecret, type PageSecrets } from "./PageSecrets.ts"
import { doorPage } from "./view/DoorPage.ts"

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

/** The port of the page, its address from elsewhere, its secrets, and whether it takes a person's word. */
export interface GateOptions {
  readonly port: number
  /** `null`: it is reached on this machine alone. */
  readonly pageUrl: string | null
  readonly secrets: PageSecrets
  readonly acts: boolean
}

/** The origins of the page: on this machine, and that which its user set. Another one is a rebound name. */
const originsOf = ({ pageUrl, port }: Pick<GateOptions, "pageUrl" | "port">): ReadonlyArray<string> => [
  `http://127.0.0.1:${port}`,
  `http://localhost:${port}`,
  ...(pageUrl === null ? [] : [pageUrl])
]

/** Holds if a request came by the address that its user set. */
const isFromElsewhere = ({ pageUrl }: GateOptions, { headers }: HttpServerRequest.HttpServerRequest): boolean =>
  pageUrl !== null && new URL(pageUrl).host === headers["host"]

/** Gives each answer the headers, and refuses a request for another host. */
export const hardened =
  (gate: GateOptions) =>
  <E, R>(answer: Answer<E, R>) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const hosts = originsOf(gate).map((origin) => new URL(origin).host)
      return hosts.includes(request.headers["host"] ?? "")
        ? yield* answer
        : refusal(421, "This page is for 127.0.0.1, localhost and the host of SOUFFLEUR_PAGE_URL.")
    }).pipe(Effect.map(HttpServerResponse.setHeaders(headers)))

/**
 * Answers a browser that is not let in. A browser sends no strict cookie when a page of others leads here, such as a
 * mail. `again`: this page then asks for the same address once more, by itself, and so with the cookie.
 */
const door = (gate: GateOptions, again = false) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
    HttpServerResponse.html(written(doorPage({ again, elsewhere: isFromElsewhere(gate, request) }))).pipe(
      HttpServerResponse.setStatus(401)
    )
  )

/** Trades the link with the token for the cookie. The token then leaves the bar of addresses. */
export const entrance = (gate: GateOptions) =>
  Effect.gen(function* () {
    const { cookie, path, token } = gate.secrets
    const request = yield* HttpServerRequest.HttpServerRequest
    const given = new URL(request.url, "http://page").searchParams.get("token") ?? undefined
    if (!isSameSecret(token, given)) return yield* door(gate)
    const secure = isFromElsewhere(gate, request) && new URL(gate.pageUrl ?? "").protocol === "https:"
    return HttpServerResponse.redirect(`${path}/`, { status: 303 }).pipe(
      HttpServerResponse.setCookieUnsafe("souffleur", cookie, {
        httpOnly: true,
        sameSite: "strict",
        secure,
        maxAge: cookieSeconds * 1000,
        path: `${path}/`
      })
    )
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
      const { cookies, headers, method, url } = yield* HttpServerRequest.HttpServerRequest
      if (isSameSecret(gate.secrets.cookie, cookies["souffleur"])) return yield* answer
      const led = headers["sec-fetch-site"] === "cross-site" && headers["sec-fetch-mode"] === "navigate"
      return yield* door(gate, led && method === "GET" && url.startsWith(`${gate.secrets.path}/`))
    })

/**
 * Hands on the fields of a form that this page has sent. Its `Origin` is the page, and it has the secret of forms. A
 * field that is there twice counts once.
 */
export const posted =
  ({ acts, secrets, ...gate }: GateOptions) =>
  <E, R>(act: (field: (name: string) => string) => Answer<E, R>) =>
    Effect.gen(function* () {
      if (!acts) return refusal(403, "This page takes no word: it was started in an agent's session.")
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!originsOf(gate).includes(request.headers["origin"] ?? ""))
        return refusal(403, "This form is of another page.")
      if (Number(request.headers["content-length"] ?? maxFormBytes + 1) > maxFormBytes)
        return refusal(413, "This form is too long.")
      const form = yield* Effect.option(request.urlParamsBody)
      if (Option.isNone(form)) return refusal(400, "This form cannot be read.")
      const field = (name: string) => Option.getOrElse(UrlParams.getFirst(form.value, name), () => "")
      return isSameSecret(secrets.form, field("secret"))
        ? yield* act(field)
        : refusal(403, "This form is of another page.")
    })
