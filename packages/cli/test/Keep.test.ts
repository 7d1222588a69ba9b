import { assert, it } from "@effect/vitest"
import { loadSettings } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { command } from "@souffleur/supervisor"
import { Effect, FileSystem } from "effect"
import { store } from "../src/App.ts"
import { keep } from "../src/doctor/Keep.ts"

it.live("what souffleur keeps: watches that have ended too, by which comms is judged", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const home = yield* files.makeTempDirectoryScoped()
    const environment = { HOME: home, SOUFFLEUR_STATE_DIR: `${home}/state` }
    const settings = yield* loadSettings({ projectDir: home, environment, flags: {} })
    assert.deepStrictEqual((yield* keep(settings)).watches, [])
    yield* Effect.gen(function* () {
      const open = { _tag: "Open", project: home, comms: `${home}/board.db`, observe: false, pid: 4_190_000, sessionId: "s" } as const
      yield* command("ended-0001", open)
      yield* command("ended-0001", { _tag: "Release" })
    }).pipe(Effect.provide(store(settings)))
    const { findings, watches } = yield* keep(settings)
    assert.deepStrictEqual(
      watches.map(({ id, watch }) => [id, watch.end]),
      [["ended-0001", "released"]]
    )
    assert.isEmpty(
      findings.filter(({ check }) => check.startsWith("watch")),
      "nobody needs to look after it"
    )
  }).pipe(Effect.provide(HostServices.layer))
)

it.live("an export or a launch that others can read is told, and how to close it", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const home = yield* files.makeTempDirectoryScoped()
    const environment = { HOME: home, SOUFFLEUR_STATE_DIR: `${home}/state` }
    const settings = yield* loadSettings({ projectDir: home, environment, flags: {} })
    for (const [file, mode] of [
      ["exports/a.md", 0o640],
      ["exports/b.md", 0o600],
      ["launches/c.json", 0o604],
      ["requests/d.txt", 0o644]
    ] as const) {
      yield* files.makeDirectory(`${home}/state/${file.split("/")[0]}`, { recursive: true, mode: 0o700 })
      yield* files.writeFileString(`${home}/state/${file}`, "")
      yield* files.chmod(`${home}/state/${file}`, mode)
    }
    yield* files.chmod(`${home}/state/exports`, 0o750)
    const found = (yield* keep(settings)).findings.filter(({ check }) => check === "state folder")
    assert.deepStrictEqual(
      found.map(({ level, todo }) => [level, todo]),
      [
        ["wrong", `chmod 0700 '${home}/state/exports'`],
        ["wrong", `chmod 0600 '${home}/state/launches/c.json'`],
        ["wrong", `chmod 0600 '${home}/state/exports/a.md'`],
        ["wrong", `chmod 0600 '${home}/state/requests/d.txt'`]
      ]
    )
    yield* files.chmod(`${home}/state/exports`, 0o700)
    yield* Effect.forEach(["exports/a.md", "launches/c.json", "requests/d.txt"], (file) => files.chmod(`${home}/state/${file}`, 0o600))
    assert.strictEqual((yield* keep(settings)).findings[0]?.level, "ok")
  }).pipe(Effect.provide(HostServices.layer))
)
