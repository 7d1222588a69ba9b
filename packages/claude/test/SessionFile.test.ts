import { assert, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { isSessionId } from "../src/index.ts"
import { findSessionFile } from "../src/SessionFile.ts"
import { claudeFolder, services } from "./support/ClaudeFolder.ts"

const hostile = [
  "",
  " ",
  "..",
  "a..b",
  "../secret",
  "a/b",
  "a\\b",
  "*",
  "a*",
  "a?",
  "[ab]",
  "{a,b}",
  "-p",
  "--resume",
  ".hidden",
  "a b",
  "a\nb",
  "a\0b",
  "é",
  "$(id)",
  "a".repeat(129)
]

it("says what can be a session id", () => {
  for (const id of hostile) assert.isFalse(isSessionId(id), JSON.stringify(id))
  for (const id of ["3f2a0b9d-ff2e-42cb-8275-f2cdd9cea75a", "3f2a", "A_1.x"]) assert.isTrue(isSessionId(id), id)
})

it.layer(services)((it) => {
  const failure = (claudeDir: string, id: string) => Effect.flip(findSessionFile(claudeDir, id))

  it.effect("refuses a hostile id before any folder is looked at", () =>
    Effect.gen(function* () {
      const untouched = FileSystem.layerNoop({})
      for (const id of hostile) {
        const error = yield* findSessionFile("/nowhere", id).pipe(Effect.provide(untouched), Effect.flip)
        assert.strictEqual(error.reason, "malformed")
        assert.isAtMost(error.sessionId.length, 128)
      }
    })
  )

  it.effect("finds a whole id, or the beginning of one, in any project", () =>
    Effect.gen(function* () {
      const folder = yield* claudeFolder({
        "projects/-a/abc.jsonl": "",
        "projects/-a/abc-2.jsonl": "",
        "projects/-b/def-1.jsonl": "",
        "projects/-b/def-1/subagents/def-1-agent.jsonl": "",
        "projects/def-0.jsonl": ""
      })
      assert.deepStrictEqual(yield* findSessionFile(folder, "abc"), { path: `${folder}/projects/-a/abc.jsonl`, sessionId: "abc" })
      assert.deepStrictEqual(yield* findSessionFile(folder, "abc-"), { path: `${folder}/projects/-a/abc-2.jsonl`, sessionId: "abc-2" })
      assert.deepStrictEqual(yield* findSessionFile(folder, "def"), { path: `${folder}/projects/-b/def-1.jsonl`, sessionId: "def-1" })
    })
  )

  it.effect("says that it is ambiguous, or not there", () =>
    Effect.gen(function* () {
      const folder = yield* claudeFolder({
        "projects/-a/abc-1.jsonl": "",
        "projects/-b/abc-2.jsonl": "",
        "projects/-b/same.jsonl": "",
        "projects/-a/same.jsonl": "",
        "projects/-a/dir.jsonl/x": ""
      })
      for (const [id, reason] of [
        ["abc", "ambiguous"],
        ["same", "ambiguous"],
        ["zzz", "missing"],
        ["dir", "missing"]
      ] as const) {
        assert.strictEqual((yield* failure(folder, id)).reason, reason, id)
      }
      const none = yield* failure(`${folder}/none`, "abc")
      assert.strictEqual(none.reason, "missing")
      assert.include(none.why, "cannot be read: it is not there")
    })
  )

  it.effect("takes a project that is linked to a second name for one", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* claudeFolder({ "projects/-new/abc.jsonl": "" })
      yield* fs.symlink(`${folder}/projects/-new`, `${folder}/projects/-old`)
      assert.match((yield* findSessionFile(folder, "abc")).path, /\/-(?:new|old)\/abc\.jsonl$/)
    })
  )
})
