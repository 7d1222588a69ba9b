import { assert, describe, it } from "@effect/vitest"
import { freshUuid } from "@souffleur/domain"
import { freshToken, logins, memberships } from "@souffleur/fleet"
import { loadSettings } from "@souffleur/process"
import { Effect, FileSystem, Result } from "effect"
import { agentKind } from "../src/agent/Kind.ts"
import { ownTrace } from "../src/uninstall/Trace.ts"
import { traces } from "../src/uninstall/Traces.ts"
import { surroundingsIn, installedIn } from "./Surroundings.ts"
import { services } from "./mcp/McpPlace.ts"

/** Only root can give a file to another user. */
const isRoot = process.getuid?.() === 0
const another = 12_345

describe("command-line#uninstall", () => {
  it.layer(services)((it) => {
    it.effect.skipIf(!isRoot)(
      "an uninstall removes no file and no folder of another user, and keeps secrets until state is asked for",
      () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-others-" }))
          const stateDir = `${home}/state`
          const environment = { HOME: home, SOUFFLEUR_STATE_DIR: stateDir }
          const all = ["guardians", "trust", "launches", "secrets", "souffleur.db"]
          yield* fs.makeDirectory(stateDir, { mode: 0o700 })
          for (const name of all.slice(0, 3)) yield* fs.makeDirectory(`${stateDir}/${name}`, { mode: 0o700 })
          for (const name of all.slice(3)) yield* fs.writeFileString(`${stateDir}/${name}`, "", { mode: 0o600 })
          for (const name of ["trust", "souffleur.db"]) yield* fs.chown(`${stateDir}/${name}`, another, another)
          const settings = yield* loadSettings({ agent: agentKind, projectDir: home, environment, flags: {} })
          const removed = (state: boolean) =>
            Effect.gen(function* () {
              const found = yield* traces(settings, [])
              const left: Array<string> = []
              for (const { kind, path, remove } of found)
                if ((state || kind !== "state") && Result.isFailure(yield* Effect.result(remove)))
                  left.push(path.slice(stateDir.length + 1))
              return left
            }).pipe(installedIn(surroundingsIn(home, environment)))
          const names = Effect.map(fs.readDirectory(stateDir), (found) => found.toSorted())
          assert.deepStrictEqual(yield* removed(false), ["trust"])
          assert.deepStrictEqual(yield* names, ["launches", "secrets", "souffleur.db", "trust"])
          assert.deepStrictEqual((yield* removed(true)).toSorted(), ["souffleur.db", "trust"])
          assert.deepStrictEqual(yield* names, ["souffleur.db", "trust"])
        })
    )
    it.effect("what goes by itself between the look and its removal is removed", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const file = `${yield* fs.makeTempDirectoryScoped()}/souffleur.db-wal`
        yield* fs.writeFileString(file, "", { mode: 0o600 })
        const found = yield* ownTrace("state", file)
        yield* fs.remove(file)
        yield* Effect.fromOption(found).pipe(Effect.flatMap(({ remove }) => remove))
      })
    )
    it.effect("an uninstall removes the token of this host and that of a person", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-others-" }))
        const stateDir = `${home}/state`
        const environment = { HOME: home, SOUFFLEUR_STATE_DIR: stateDir }
        yield* fs.makeDirectory(stateDir, { mode: 0o700 })
        const hub = { version: 1, url: "https://hub.example", token: yield* freshToken } as const
        yield* memberships.keep(stateDir, { ...hub, log: yield* freshUuid, readOnly: false })
        yield* logins.keep(stateDir, hub)
        const settings = yield* loadSettings({ agent: agentKind, projectDir: home, environment, flags: {} })
        yield* traces(settings, []).pipe(
          Effect.flatMap(Effect.forEach(({ remove }) => remove)),
          installedIn(surroundingsIn(home, environment))
        )
        assert.deepStrictEqual(yield* fs.readDirectory(stateDir), [])
      })
    )
  })
})
