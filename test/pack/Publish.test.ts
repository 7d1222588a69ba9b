import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { execFileSync } from "node:child_process"
import { afterEach, inject, vi } from "vitest"
import { problemsOf } from "../../release/Check.ts"
import { publish } from "../../release/Publish.ts"
import { readTarballs, type Tarball } from "../../release/Tarball.ts"
import { registry } from "./Registry.ts"

const tarballs = Effect.suspend(() => readTarballs(inject("tarballs")))

/** Publishes with such an environment. npm gets it too. */
const publishWith = (env: Readonly<Record<string, string>>, some: ReadonlyArray<Tarball>) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  return Effect.provideService(publish(some), ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
}
afterEach(() => void vi.unstubAllEnvs())

it.live(
  "a release publishes what the registry lacks, each package behind those that it needs, and nothing without a token",
  () =>
    Effect.gen(function* () {
      const all = yield* tarballs
      const names = all.map(({ manifest }) => manifest.name)
      assert.strictEqual(names[0], "@souffleur/eventlog")
      assert.isBelow(names.indexOf("@souffleur/process"), names.indexOf("@souffleur/node"))
      const some = all.filter(({ manifest }) => /\/(?:eventlog|domain|cli)$/u.test(manifest.name))
      const { address, put } = yield* registry
      vi.stubEnv("npm_config_registry", address)

      const refused = yield* Effect.flip(publishWith({ NPM_TOKEN: "" }, some))
      assert.match(refused.message, /^Nothing was published: NPM_TOKEN is not set/u)
      assert.deepStrictEqual(put, [])
      yield* publishWith({ NPM_TOKEN: "a-token" }, some.slice(0, 1))
      yield* publishWith({ NPM_TOKEN: "another" }, some)
      assert.deepStrictEqual(put, [
        "@souffleur/eventlog Bearer a-token",
        "@souffleur/domain Bearer another",
        "@souffleur/cli Bearer another"
      ])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

/** npm trades identities for tokens since 11.5.1. */
const [major = 0, minor = 0] = execFileSync("npm", ["--version"], { encoding: "utf8" }).split(".").map(Number)
it.live.skipIf(major < 11 || (major === 11 && minor < 6))(
  "a workflow that the registry trusts publishes without a token of anybody's",
  () =>
    Effect.gen(function* () {
      const { address, put } = yield* registry
      vi.stubEnv("npm_config_registry", address)
      const workflow = {
        GITHUB_ACTIONS: "true",
        NPM_TOKEN: "",
        ACTIONS_ID_TOKEN_REQUEST_URL: `${address}identity`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of the run"
      }
      yield* publishWith(workflow, (yield* tarballs).slice(0, 1))
      assert.deepStrictEqual(put, ["@souffleur/eventlog Bearer @souffleur/eventlog"])
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
