import { Effect } from "effect"
import { createServer } from "node:http"
import { json } from "node:stream/consumers"
import type { AddressInfo } from "node:net"

/** The part of what npm publishes that a registry looks into. */
interface Published {
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>
}

/**
 * A registry on loopback, which asks no other one. It keeps what npm publishes and gives it back. `put` lists each
 * package with the token that published it. Like a registry that trusts a workflow, it trades the workflow's identity
 * for a token. GitHub, which tells a workflow its identity, is `/identity`.
 */
export const registry = Effect.acquireRelease(
  Effect.callback<{ readonly address: string; readonly put: Array<string>; readonly close: () => void }>((resume) => {
    const put: Array<string> = []
    const packages = new Map<string, Published>()
    const server = createServer(async (request, response) => {
      const { authorization } = request.headers
      const path = decodeURIComponent(new URL(request.url!, "http://registry").pathname).slice(1)
      const [name = "", file] = path.split("/-/")
      const send = (code: number, body: unknown) =>
        response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body))

      if (request.method === "PUT") {
        packages.set(name, (await json(request)) as Published)
        put.push(`${name} ${authorization}`)
        return send(201, {})
      }
      // npm would have the package of a public repository signed, by a service that is not on loopback.
      if (path === "identity") return send(200, { value: `a.${btoa('{"repository_visibility":"private"}')}.c` })
      const trusted = path.split("-/npm/v1/oidc/token/exchange/package/")[1]
      if (trusted !== undefined) return send(authorization?.startsWith("Bearer a.") ? 201 : 401, { token: trusted })
      const found = packages.get(name)
      if (found === undefined) return send(404, {})
      if (file === undefined) return send(200, found)
      return response.end(Buffer.from(found._attachments[file]!.data, "base64"))
    }).listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed({ address: `http://127.0.0.1:${port}/`, put, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)
