import { assert, describe, it } from "@effect/vitest"
import { type Carrier, Processes } from "@souffleur/domain"
import { Effect, FileSystem, Layer } from "effect"
import { makeFolders } from "../../src/claude/Folders.ts"
import { runningSessions } from "../../src/claude/session/RunningSessions.ts"
import { aProcess, claudeFolder, running, services } from "./support/ClaudeFolder.ts"

const findSessionFile = (folder: string, sessionId: string) => makeFolders(folder).find(sessionId)

it.layer(services)((it) => {
  const failure = (claudeDir: string, id: string) => Effect.flip(findSessionFile(claudeDir, id))

  describe("behaviour#naming-a-conductor", () => {
    it.effect("a whole id, or its beginning, is found in any project", () =>
      Effect.gen(function* () {
        const folder = yield* claudeFolder({
          "projects/-a/abc.jsonl": "",
          "projects/-a/abc-2.jsonl": "",
          "projects/-b/def-1.jsonl": "",
          "projects/-b/def-1/subagents/def-1-agent.jsonl": "",
          "projects/def-0.jsonl": ""
        })
        assert.deepStrictEqual(yield* findSessionFile(folder, "abc"), {
          path: `${folder}/projects/-a/abc.jsonl`,
          sessionId: "abc"
        })
        assert.deepStrictEqual(yield* findSessionFile(folder, "abc-"), {
          path: `${folder}/projects/-a/abc-2.jsonl`,
          sessionId: "abc-2"
        })
        assert.deepStrictEqual(yield* findSessionFile(folder, "def"), {
          path: `${folder}/projects/-b/def-1.jsonl`,
          sessionId: "def-1"
        })
      })
    )

    it.effect("an ambiguous or missing session is named as such", () =>
      Effect.gen(function* () {
        const folder = yield* claudeFolder({
          "projects/-a/abc-1.jsonl": "",
          "projects/-b/abc-2.jsonl": "",
          "projects/-a/dir.jsonl/x": ""
        })
        for (const [id, reason] of [
          ["abc", "ambiguous"],
          ["zzz", "missing"],
          ["dir", "missing"]
        ] as const) {
          assert.strictEqual((yield* failure(folder, id)).reason, reason, id)
        }
        const none = yield* failure(`${folder}/none`, "abc")
        assert.strictEqual(none.reason, "missing")
        assert.include(none.message, "no session file of abc")
      })
    )
  })

  describe("claude-code#files", () => {
    it.effect("a session is found in the folder that its process was started with, and later without the process", () =>
      Effect.gen(function* () {
        const usual = yield* claudeFolder({ "projects/-a/one.jsonl": "" })
        const work = yield* claudeFolder({ "projects/-a/two.jsonl": "" })
        let alive: ReadonlyArray<Carrier> = [
          { ...aProcess(11, 5), parent: 10, value: work },
          { ...aProcess(12, 5), value: "relative" },
          { ...aProcess(13, 5), value: "/elsewhere" }
        ]
        const carriers = () => Effect.sync(() => alive)
        const processes = Layer.effect(
          Processes,
          Effect.map(Processes, (none) => ({ ...none, carriers }))
        )
        yield* Effect.gen(function* () {
          const folders = makeFolders(usual)
          const missing = yield* Effect.flip(folders.find("two"))
          assert.include(missing.message, `no session file of two in ${usual}/projects`)
          const found = yield* Effect.forEach([10, 12], (pid) =>
            folders.lookWhere({ pid, startTime: 5, bootId: "boot" })
          )
          assert.deepStrictEqual(found, [[work], []])
          alive = []
          assert.strictEqual((yield* folders.find("two")).path, `${work}/projects/-a/two.jsonl`)
          assert.strictEqual((yield* folders.find("one")).path, `${usual}/projects/-a/one.jsonl`)
          const { message } = yield* Effect.flip(folders.find("three"))
          assert.include(message, `${work}/projects`)
          assert.notInclude(message, "/elsewhere")
          // Another souffleur has the folder of the ended process from the log.
          const later = makeFolders(usual)
          yield* later.lookIn([work])
          assert.strictEqual((yield* later.find("two")).path, `${work}/projects/-a/two.jsonl`)
        }).pipe(Effect.provide(Layer.provide(processes, running())))
      })
    )
    it.effect("of several files with one whole id, the newest is the session", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const names = ["-a", "-b", "-c"].map((folder) => `projects/${folder}/same.jsonl`)
        const folder = yield* claudeFolder(Object.fromEntries(names.map((name) => [name, ""])))
        for (const newest of names) {
          for (const name of names) yield* fs.utimes(`${folder}/${name}`, 1000, name === newest ? 2000 : 1000)
          assert.strictEqual((yield* findSessionFile(folder, "same")).path, `${folder}/${newest}`)
        }
      })
    )
    it.effect("a project with a linked second name counts once", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* claudeFolder({ "projects/-new/abc.jsonl": "" })
        yield* fs.symlink(`${folder}/projects/-new`, `${folder}/projects/-old`)
        assert.match((yield* findSessionFile(folder, "abc")).path, /\/-(?:new|old)\/abc\.jsonl$/)
      })
    )
  })

  describe("behaviour#files-of-others", () => {
    it.effect.skipIf(process.getuid?.() !== 0)(
      "another user's session file or pid file is not used (run as root: it gives files away)",
      () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const said = JSON.stringify({ pid: 10, sessionId: "s", cwd: "/p", procStart: "77" })
          const folder = yield* claudeFolder({ "projects/-a/theirs.jsonl": "", "sessions/10.json": said })
          const running10 = Effect.provide(runningSessions(folder), running(aProcess(10, 77)))
          assert.strictEqual((yield* running10).length, 1)
          for (const file of ["projects/-a/theirs.jsonl", "sessions/10.json"])
            yield* fs.chown(`${folder}/${file}`, 12_345, 12_345)
          assert.match((yield* failure(folder, "theirs")).message, /belongs to another user/)
          assert.deepStrictEqual(yield* running10, [])
        })
    )
  })
})
