import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { inject } from "vitest"
import manifest from "../../packages/cli/package.json" with { type: "json" }
import { readTarballs } from "../../release/Tarball.ts"
import { type Manager, stranger } from "./Stranger.ts"

const consumer = new URL("consumer", import.meta.url).pathname

/** Writes a module that imports each public entry of each package, and says how many there are. */
const everyEntry = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const tarballs = yield* readTarballs(inject("tarballs"))
  const entries = tarballs.flatMap(({ manifest, text }) => {
    const { exports = {} } = JSON.parse(text("package.json")) as {
      readonly exports?: Readonly<Record<string, unknown>>
    }
    return Object.keys(exports).map((entry) => `${manifest.name}${entry.slice(1)}`)
  })
  const lines = entries.map((entry, n) => `export * as entry${n} from "${entry}"`)
  yield* fs.writeFileString(path.join(folder, "everyEntry.ts"), `${lines.join("\n")}\n`)
  return entries
})

describe.concurrent("the packages in a project outside the workspace", () => {
  for (const manager of ["npm", "pnpm", "yarn"] satisfies ReadonlyArray<Manager>) {
    it.live(`${manager} installs them, they compile under strict rules, and they run`, () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { folder, run } = yield* stranger(manager, consumer)
        const entries = yield* everyEntry(folder)
        assert.isAtLeast(entries.length, 20)
        yield* fs.writeFileString(
          `${folder}/wrong.ts`,
          'import { Store } from "@souffleur/eventlog"\nexport const wrong: string = Store.applicationId\n'
        )
        const refused = yield* Effect.flip(run("node_modules/.bin/tsc", "-p", ".", "--pretty", "false"))
        // The compiler did look at these files, and has no other complaint.
        assert.match(refused.message, /^.*\nwrong\.ts\(2,14\): error TS2322: .*\n$/u)
        assert.strictEqual(yield* run("node", "appendOnce.ts"), "1 WatcherStarted\n")
        yield* run(
          "node",
          "--input-type=module",
          "--eval",
          entries.map((entry) => `await import("${entry}")`).join("\n")
        )
        assert.strictEqual(yield* run("node_modules/.bin/souffleur", "--version"), `souffleur v${manifest.version}\n`)
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )
  }
})
