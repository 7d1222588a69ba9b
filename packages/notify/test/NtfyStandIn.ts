import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect } from "effect"
import { listening } from "./StubServer.ts"

/** A button of a published notice, as the app of ntfy gets it. */
export interface PublishedAction {
  readonly label: string
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Message {
  readonly id: string
  readonly time: number
  readonly event: "message"
  readonly topic: string
  readonly message: string
}

/** The token of its only user, in the form of ntfy's. */
export const ntfyToken = "tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2"

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = ""
  for await (const part of request.setEncoding("utf8")) body += part as string
  return body
}

/**
 * Starts a server on loopback that speaks the published protocol of ntfy: publishing as JSON and to a topic, a stream of
 * lines with `open` and `keepalive`, and `since`. Only its user reads and publishes; to `souffleur-*` everyone writes.
 */
export const ntfyStandIn = Effect.fnUntraced(function* () {
  const kept: Array<Message> = []
  const published: Array<{
    readonly title: string
    readonly message: string
    readonly actions?: ReadonlyArray<PublishedAction>
  }> = []
  const asked: Array<string> = []
  const open = new Map<ServerResponse, string>()
  const deliver = (topic: string, message: string): Message => {
    // Its ids are 12 letters and digits.
    const id = `id${String(kept.length).padStart(10, "0")}`
    const one = { id, time: 0, event: "message", topic, message } as const
    kept.push(one)
    for (const [response, to] of open) if (to === topic) response.write(`${JSON.stringify(one)}\n`)
    return one
  }
  const url = yield* listening((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://ntfy")
    const [, topic = "", json] = pathname.split("/")
    const isUser = request.headers.authorization === `Bearer ${ntfyToken}`
    const answer = (status: number, what: unknown) => void response.writeHead(status).end(`${JSON.stringify(what)}\n`)
    if (request.method === "POST")
      return void bodyOf(request).then((body) => {
        if (topic !== "")
          return topic.startsWith("souffleur-") || isUser ? answer(200, deliver(topic, body)) : answer(403, {})
        if (!isUser) return answer(403, {})
        const notice = JSON.parse(body)
        published.push(notice)
        return answer(200, deliver(notice.topic, notice.message))
      })
    if (json !== "json" || !isUser) return answer(403, {})
    asked.push(request.url ?? "")
    const since = searchParams.get("since")
    const own = kept.filter((one) => one.topic === topic)
    const from = own.findIndex(({ id }) => id === since) + 1
    response.writeHead(200, { "content-type": "application/x-ndjson" })
    response.write(`${JSON.stringify({ id: "o", time: 0, event: "open", topic })}\n`)
    for (const one of own.slice(from)) response.write(`${JSON.stringify(one)}\n`)
    response.write(`${JSON.stringify({ id: "k", time: 0, event: "keepalive", topic })}\n`)
    open.set(response, topic)
    response.on("close", () => open.delete(response))
  })
  return { url, published, asked, deliver, listeners: () => open.size }
})

/** Presses a button as the app of ntfy does. Returns the status. */
export const pressButton = ({ body, headers, method, url }: PublishedAction): Effect.Effect<number> =>
  Effect.promise(async () => (await fetch(url, { method, headers, body })).status)
