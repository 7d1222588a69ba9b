import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { inject } from "vitest"
import { command } from "../../release/Command.ts"
import { blocksOf } from "../Blocks.ts"
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

it.live("the lines that the README gives to install the command do so, from its tarball", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-readme-" })
    const names = yield* fs.readDirectory(inject("tarballs"))
    const tarball = names.find((name) => name.startsWith("souffleur-cli-"))
    // A person answers npx's question whether to install it.
    const env = { ...apart(folder), HOME: folder, npm_config_yes: "true", npm_config_prefix: `${folder}/prefix` }
    const run = (...words: readonly [string, ...ReadonlyArray<string>]) => command(folder, words, env)
    assert.deepStrictEqual(lines.toSorted(), ["npm install -g @souffleur/cli", "npx @souffleur/cli demo"])
    for (const line of lines) {
      const [program, ...words] = line.replace("@souffleur/cli", `file:${inject("tarballs")}/${tarball}`).split(" ")
      const said = yield* run(program!, ...words)
      if (line.endsWith("demo")) assert.match(said, /One Conductor at a time, and no work lost/u)
    }
    assert.strictEqual(yield* run(`${folder}/prefix/bin/souffleur`, "--version"), "souffleur v0.1.0\n")
    const uninstalled = yield* run(`${folder}/prefix/bin/souffleur`, "uninstall", "--yes", "--state")
    assert.match(uninstalled, /are removed\.|There is nothing of souffleur here\./u)
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)
