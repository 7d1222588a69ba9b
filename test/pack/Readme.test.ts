import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem } from "effect"
import { inject, vi } from "vitest"
import { command } from "../../release/Command.ts"
import { publish } from "../../release/Publish.ts"
import { readTarballs } from "../../release/Tarball.ts"
import { blocksOf } from "../Blocks.ts"
import { registry } from "./Registry.ts"
import { apart } from "./Stranger.ts"

/** Lines of the pages that bring the command from the registry, as they are written. */
const lines = [
  ...new Set(
    blocksOf("sh")
      .filter(({ mark }) => mark === "no-run:registry")
      .flatMap(({ text }) => text.split("\n").map((line) => line.replace(/\s*#.*$/u, "")))
      .filter((line) => line.includes("@souffleur/cli"))
  )
]

it.live("the lines that the README gives to install the command do so, from a registry", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-readme-" })
    const { address } = yield* registry
    const cli = (yield* readTarballs(inject("tarballs"))).filter(({ manifest: { name } }) => name === "@souffleur/cli")
    vi.stubEnv("npm_config_registry", address)
    const token = ConfigProvider.fromEnv({ env: { NPM_TOKEN: "a-token" } })
    yield* Effect.provideService(publish(cli), ConfigProvider.ConfigProvider, token)
    // A person answers npx's question whether to install it.
    const env = { ...apart(folder), HOME: folder, npm_config_yes: "true", npm_config_prefix: `${folder}/prefix` }
    const run = (...words: readonly [string, ...ReadonlyArray<string>]) => command(folder, words, env)
    assert.deepStrictEqual(lines.toSorted(), ["npm install -g @souffleur/cli", "npx @souffleur/cli demo"])
    for (const line of lines) {
      const [program, ...words] = line.split(" ")
      const said = yield* run(program!, ...words)
      if (line.endsWith("demo")) assert.match(said, /One Conductor at a time, and no work lost/u)
    }
    const souffleur = `${folder}/prefix/bin/souffleur`
    assert.strictEqual(yield* run(souffleur, "--version"), `souffleur v${cli[0]!.manifest.version}\n`)
    yield* run(souffleur, "run", "--", "touch", "worked")
    assert.isTrue(yield* fs.exists(`${folder}/worked`))
    assert.match(yield* run(souffleur, "status"), /ended .*completed/u)
    const uninstalled = yield* run(souffleur, "uninstall", "--yes", "--state")
    assert.match(uninstalled, /are removed\.|There is nothing of souffleur here\./u)
    assert.include(uninstalled, "npm uninstall -g @souffleur/cli")
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)
