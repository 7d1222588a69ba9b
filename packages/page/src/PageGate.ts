import { Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse, UrlParams } from "effect/http"
import { isSameSecret, type PageSecrets } from "./PageSecrets.ts"

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

/** The port of the page, its address from elsewhere, its secrets, and whether it takes a person's word. */
export interface GateOptions {
  readonly port: number
  readonly pageUrl: string
  readonly secrets: PageSecrets
  readonly acts: boolean
}

/** The origins of the page: on this machine, and that which its user set. Another one is a rebound name. */
const originsOf = ({ pageUrl, port }: Pick<GateOptions, "pageUrl" | "port">): ReadonlyArray<string> => [
  `http://127.0.0.1:${port}`,
  `http://localhost:${port}`,
  pageUrl
]

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

/** Trades the link with the token for the cookie. The token then leaves the bar of addresses. */
export const entrance = ({ secrets: { cookie, path, token } }: GateOptions) =>
  Effect.gen(function* () {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const given = new URL(url, "http://page").searchParams.get("token") ?? undefined
    if (!isSameSecret(token, given)) return refusal(401, 'Open the link that "souffleur page" prints.')
    return HttpServerResponse.redirect(`${path}/`, { status: 303 }).pipe(
      HttpServerResponse.setCookieUnsafe("souffleur", cookie, { httpOnly: true, sameSite: "strict", path: `${path}/` })
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
  ({ secrets }: GateOptions) =>
  <E, R>(answer: Answer<E, R>) =>
    Effect.gen(function* () {
      const { cookies } = yield* HttpServerRequest.HttpServerRequest
      return isSameSecret(secrets.cookie, cookies["souffleur"])
        ? yield* answer
        : refusal(401, 'Open the link that "souffleur page" prints.')
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
