import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { inject } from "vitest"
import { problemsOf } from "../../release/Check.ts"
import { publish } from "../../release/Publish.ts"
import { readTarballs } from "../../release/Tarball.ts"

/** A registry on loopback that has one package already, and says what was put into it, and by which token. */
const registry = (has: string, version: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly put: Array<string>; readonly close: () => void; readonly address: string }>((resume) => {
      const put: Array<string> = []
      const server = createServer((request, response) => {
        const name = decodeURIComponent(request.url!.slice(1))
        if (request.method === "PUT") put.push(`${name} ${request.headers.authorization}`)
        const there = request.method === "PUT" || name === has
        response.writeHead(there ? 200 : 404, { "content-type": "application/json" })
        response.end(
          JSON.stringify(
            there ? { name, "dist-tags": { latest: version }, versions: { [version]: { name, version } } } : {}
          )
        )
        request.resume()
      }).listen(0, "127.0.0.1", () =>
        resume(
          Effect.succeed({
            put,
            close: () => server.close(),
            address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
          })
        )
      )
    }),
    ({ close }) => Effect.sync(close)
  )

const tarballs = Effect.suspend(() => readTarballs(inject("tarballs")))

it.live(
  "a release publishes what the registry lacks, each package behind those that it needs, and nothing without a token",
  () =>
    Effect.gen(function* () {
      const all = yield* tarballs
      const names = all.map(({ manifest }) => manifest.name)
      assert.strictEqual(names[0], "@souffleur/eventlog")
      assert.isBelow(names.indexOf("@souffleur/process"), names.indexOf("@souffleur/node"))
      const some = all.filter(({ manifest }) => /\/(?:eventlog|domain|cli)$/u.test(manifest.name))
      const { address, put } = yield* registry(some[0]!.manifest.name, some[0]!.manifest.version)
      process.env["npm_config_registry"] = address
      const publishWith = (env: Readonly<Record<string, string>>) =>
        Effect.provideService(publish(some), ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))

      const refused = yield* Effect.flip(publishWith({}))
      assert.match(refused.message, /^Nothing was published: NPM_TOKEN is not set/u)
      assert.deepStrictEqual(put, [])
      yield* publishWith({ NPM_TOKEN: "a-token" })
      assert.deepStrictEqual(put, ["@souffleur/domain Bearer a-token", "@souffleur/cli Bearer a-token"])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

it.live(
  "a tarball with a source, a link, another version, a lost licence or an import that leads nowhere is refused",
  () =>
    Effect.gen(function* () {
      const node = (yield* tarballs).find(({ manifest }) => manifest.name === "@souffleur/node")!
      const { version } = node.manifest
      assert.deepStrictEqual(yield* problemsOf(node, version), [])
      const spoilt = {
        ...node,
        names: [
          ...node.names.filter((name) => !["dist/files/Folder.js", "dist/sqlite/LICENSES.txt"].includes(name)),
          "src/index.ts"
        ],
        manifest: {
          ...node.manifest,
          dependencies: { "@souffleur/domain": "workspace:*", "@souffleur/eventlog": version }
        }
      }
      const found = yield* problemsOf(spoilt, version)
      for (const problem of [
        "src/index.ts has no place in it",
        "it needs @souffleur/domain workspace:*",
        "@effect/sql-sqlite-node is bundled without its licence",
        "dist/HostServices.js imports @effect/platform-node/NodeServices",
        "dist/sqlite/OwnFile.js imports ../files/Folder.js"
      ])
        assert.include(found, `@souffleur/node: ${problem}`)
      const cli = (yield* tarballs).find(({ manifest }) => manifest.name === "@souffleur/cli")!
      const without = { ...cli, names: cli.names.filter((name) => name !== "dist/chunks/program.cjs") }
      assert.include(
        yield* problemsOf(without, version),
        "@souffleur/cli: dist/chunks/status.cjs imports ./program.cjs"
      )
      assert.include(
        yield* problemsOf(node, "9.9.9"),
        `@souffleur/node: its version is ${version}, and that of others 9.9.9`
      )
    }).pipe(Effect.provide(NodeServices.layer))
)
