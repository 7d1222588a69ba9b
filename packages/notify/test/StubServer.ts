import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

/** A request as the server got it. */
export interface Received {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** Answers with a status and nothing else. */
export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end()

/** Has a server listen on loopback until its scope ends, and returns its address. */
export const listening = Effect.fnUntraced(function* (handle: RequestListener) {
  const server = createServer(handle)
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
})

/** Starts a real server on loopback, which ends with its scope. `answer` may also never answer. */
export const stubServer = Effect.fnUntraced(function* (answer: (response: ServerResponse, path: string) => void) {
  const received: Array<Received> = []
  const url = yield* listening((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      received.push({ path: request.url ?? "", headers: request.headers, body })
      answer(response, request.url ?? "")
    })
  })
  return { url, received }
})
