import { Event, EventLog, exportLimits } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { loadSettings, replaceWith } from "@souffleur/process"
import { command } from "@souffleur/supervisor"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { execFileSync } from "node:child_process"
import { claudeCode } from "@souffleur/agents"
import { layerStore } from "../src/world/StoreLayers.ts"
import { stateFolderCheck } from "../src/doctor/StateFolderCheck.ts"

const settingsIn = (home: string) =>
  loadSettings({
    agent: claudeCode,
    projectDir: home,
    environment: { HOME: home, SOUFFLEUR_STATE_DIR: `${home}/state` },
    flags: {}
  })

describe("command-line#doctor", () => {
  it.live("the check returns watches that have ended too, which the check of comms needs", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const home = yield* files.makeTempDirectoryScoped()
      const settings = yield* settingsIn(home)
      assert.deepStrictEqual((yield* stateFolderCheck(settings)).watches, [])
      yield* Effect.gen(function* () {
        const open = {
          _tag: "Open",
          project: home,
          comms: `${home}/board.db`,
          observe: false,
          pid: 4_190_000,
          sessionId: "s"
        } as const
        yield* command("ended-0001", open)
        yield* command("ended-0001", { _tag: "Release" })
      }).pipe(Effect.provide(layerStore(settings)))
      const { findings, watches } = yield* stateFolderCheck(settings)
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
  it.live("doctor reports the error of the estimates of past recoveries", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const home = yield* files.makeTempDirectoryScoped()
      const settings = yield* settingsIn(home)
      const outcome = {
        estimated_tokens: 90_000,
        estimated_tokens_full: 90_000,
        chars_scoped: 270_000,
        chars_full: 270_000,
        start_mode: "full_file",
        start_offset: 0,
        marker_found: false,
        marker_count: 0,
        warnings: [],
        ...exportLimits(settings, undefined),
        measured_tokens: 120_000
      }
      yield* Effect.gen(function* () {
        yield* command("w-0001", {
          _tag: "Open",
          project: home,
          comms: null,
          observe: false,
          pid: 4_190_000,
          sessionId: "s"
        })
        const log = yield* EventLog
        yield* log.append("w-0001", 1, [Event.StepSucceeded.make({ at: 0, cycle: 1, step: "4 estimate", outcome })])
      }).pipe(Effect.provide(layerStore(settings)))
      const found = (yield* stateFolderCheck(settings)).findings.filter(({ check }) => check === "estimates")
      assert.deepStrictEqual(
        found.map(({ detail }) => detail),
        ["of 1 recovery: 0.75 times what the service had counted in the middle, 0.75 at worst"]
      )
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.live("doctor reports an export or a launch that others can read, and how to close it", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const home = yield* files.makeTempDirectoryScoped()
      const settings = yield* settingsIn(home)
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
      const found = (yield* stateFolderCheck(settings)).findings.filter(({ check }) => check === "state folder")
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
      yield* Effect.forEach(["exports/a.md", "launches/c.json", "requests/d.txt"], (file) =>
        files.chmod(`${home}/state/${file}`, 0o600)
      )
      assert.strictEqual((yield* stateFolderCheck(settings)).findings[0]?.level, "ok")
    }).pipe(Effect.provide(HostServices.layer))
  )

  it.live("a draft is left over once it is older than ten minutes, and an export never is", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const home = yield* files.makeTempDirectoryScoped()
      const settings = yield* settingsIn(home)
      const leftovers = Effect.map(stateFolderCheck(settings), ({ findings }) =>
        findings.filter(({ check }) => check === "leftovers").map(({ detail }) => detail)
      )
      const exports = `${home}/state/exports`
      yield* files.makeDirectory(exports, { recursive: true, mode: 0o700 })
      const told = yield* replaceWith(
        `${exports}/a.md`,
        Effect.fnUntraced(function* (draft) {
          const young = yield* leftovers
          yield* files.utimes(draft.path, 1, 1)
          return { young, old: yield* leftovers, path: draft.path }
        })
      )
      assert.deepStrictEqual(told.young, ["none"])
      assert.deepStrictEqual(told.old, [`1 drafts and launch files of processes that were killed: ${told.path}`])
      yield* files.utimes(`${exports}/a.md`, 1, 1)
      assert.deepStrictEqual(yield* leftovers, ["none"])
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.live("a state folder that others may write, or that is a link, is wrong, and nothing in it is used", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const home = yield* files.makeTempDirectoryScoped()
      const [state, link] = [`${home}/state`, `${home}/link`]
      yield* files.makeDirectory(state)
      yield* files.chmod(state, 0o777)
      yield* files.symlink(state, link)
      for (const [folder, why] of [
        [state, /others may write to it \(mode 0777\): chmod go-w/],
        [link, /a link/]
      ] as const) {
        const settings = yield* loadSettings({
          agent: claudeCode,
          projectDir: home,
          environment: { HOME: home, SOUFFLEUR_STATE_DIR: folder },
          flags: {}
        })
        const refused = yield* Effect.flip(Effect.provide(Effect.void, layerStore(settings)))
        assert.strictEqual(refused._tag, "FileRefused")
        assert.match(refused.message, why)
        const { findings } = yield* stateFolderCheck(settings)
        assert.match(
          findings.find(({ check, level }) => check === "state folder" && level === "wrong")?.detail ?? "",
          why
        )
        assert.deepStrictEqual(yield* files.readDirectory(state), [])
      }
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})

describe("behaviour#secrets", () => {
  it.live("an environment of a launch that no unfinished watch needs is wrong", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const home = yield* files.makeTempDirectoryScoped()
      const settings = yield* settingsIn(home)
      const open = { _tag: "Open", project: home, comms: null, observe: false, pid: 4_190_000, sessionId: "s" } as const
      yield* Effect.andThen(command("going-0001", open), command("over-0001", open)).pipe(
        Effect.andThen(command("over-0001", { _tag: "Release" })),
        Effect.provide(layerStore(settings))
      )
      const launches = `${home}/state/launches`
      yield* files.makeDirectory(launches, { mode: 0o700 })
      for (const [name, old] of [
        ["going-0001-g1-launch-1", true],
        ["over-0001-g1-launch-1", true],
        ["never-0001-g1-launch-1", true],
        ["now-0001-g1-launch-1", false]
      ] as const) {
        yield* files.writeFileString(`${launches}/${name}.kept`, "{}", { mode: 0o600 })
        if (old) yield* files.utimes(`${launches}/${name}.kept`, 1, 1)
      }
      const { findings } = yield* stateFolderCheck(settings)
      const left = findings.filter(({ check, level }) => check === "leftovers" && level === "wrong")
      assert.match(
        left.map(({ detail }) => detail).join(),
        /^2 environments .*(?:over|never)-0001-g1-launch-1\.kept, (?:over|never)-0001/
      )
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})

describe("behaviour#output-of-launches", () => {
  it.live("doctor reports outputs of launches above a gigabyte on disk, where holes count nothing", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const home = yield* files.makeTempDirectoryScoped()
      const settings = yield* settingsIn(home)
      yield* files.makeDirectory(`${home}/state/launches`, { recursive: true, mode: 0o700 })
      const file = `${home}/state/launches/w-1.out`
      yield* files.writeFile(file, new Uint8Array(), { mode: 0o600 })
      yield* files.truncate(file, 3_000_000_000)
      const told = Effect.map(stateFolderCheck(settings), ({ findings }) =>
        findings.filter(({ check }) => check === "outputs").map(({ detail }) => detail)
      )
      assert.deepStrictEqual(yield* told, [])
      execFileSync("fallocate", ["--length", "1200000000", file])
      assert.deepStrictEqual(yield* told, [`the output of launches takes 1200 MB in ${home}/state/launches`])
    }).pipe(Effect.provide(HostServices.layer), Effect.scoped)
  )
})
