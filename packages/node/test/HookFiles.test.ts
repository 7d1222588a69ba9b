import { Hooks, type HookSign } from "@souffleur/domain"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, FileSystem, Option, Path } from "effect"
import { execFileSync } from "node:child_process"
import * as HostServices from "../src/HostServices.ts"
import * as HookFiles from "../src/files/HookFiles.ts"

const sign = (at: number, event: string, sessionId: string, kind: string | undefined, pid: number): HookSign => ({
  at,
  event,
  ...(event === "began" || event === "ended" ? { holding: event } : {}),
  sessionId,
  ...(kind === undefined ? {} : { kind }),
  pid,
  startTime: pid * 100
})
const lines = (...signs: ReadonlyArray<HookSign>) => signs.map((one) => `${JSON.stringify(one)}\n`).join("")

layer(HostServices.layer)((it) => {
  /** A state folder with these files of signs, the last one written to last. */
  const hooks = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const state = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-signs-" })
    yield* fs.makeDirectory(path.join(state, "hooks"))
    for (const [index, [name, text]] of Object.entries(files).entries()) {
      const file = path.join(state, "hooks", name)
      yield* fs.writeFileString(file, text)
      yield* fs.utimes(file, 1000 + index, 1000 + index)
    }
    return yield* Effect.provide(
      Effect.map(Hooks, (hooks) => hooks),
      HookFiles.layer(state)
    )
  })

  describe("behaviour#hooks-of-the-agent", () => {
    it.effect("a session without a file, or with an id that is no file's name, has no signs", () =>
      Effect.gen(function* () {
        const none = yield* Effect.provide(
          Effect.map(Hooks, (hooks) => hooks),
          HookFiles.layer("/no/such/folder")
        )
        assert.deepStrictEqual(yield* none.last("a"), Option.none())
        assert.deepStrictEqual(yield* none.lineage("a"), [])
        assert.deepStrictEqual(yield* none.holds({ pid: 1, startTime: 100 }), Option.none())
        const some = yield* hooks({ "a.jsonl": lines(sign(1, "Stop", "a", undefined, 1)) })
        for (const id of ["../hooks/a", "b", "", ".", "a/../a"])
          assert.deepStrictEqual(yield* some.last(id), Option.none(), id)
      })
    )
    it.effect(
      "the newest sign counts, wherever it is; lines that are torn, of another session, or no sign are skipped",
      () =>
        Effect.gen(function* () {
          const newest = sign(9, "Notification", "a", "permission_prompt", 1)
          const of = yield* hooks({
            "a.jsonl":
              `"torn\n{}\n[]\n\n${lines(newest, sign(5, "Stop", "a", undefined, 1), sign(20, "Stop", "b", undefined, 1))}` +
              `{"at":"9"}\n{"at":1e999,"event":"Stop","sessionId":"a","pid":1,"startTime":1}\n{"at":99,"event":"St`
          })
          assert.deepStrictEqual(yield* of.last("a"), Option.some(newest))
        })
    )

    it.effect("the older file counts too, also before the newer one is begun", () =>
      Effect.gen(function* () {
        const [older, newer] = [sign(1, "began", "a", undefined, 1), sign(2, "Stop", "a", undefined, 1)]
        const both = yield* hooks({ "a.jsonl.1": lines(older), "a.jsonl": lines(newer), "a.jsonl.lock": "" })
        assert.deepStrictEqual(yield* both.last("a"), Option.some(newer))
        const [held, ...more] = yield* both.lineage("a")
        assert.deepStrictEqual([held?.since, held?.until, more], [1, 2, []])
        const one = yield* hooks({ "a.jsonl.1": lines(older) })
        assert.deepStrictEqual(yield* one.holds({ pid: 1, startTime: 100 }), Option.some("a"))
      })
    )

    it.effect("a file of any size is read at its end", () =>
      Effect.gen(function* () {
        const newest = sign(2, "Stop", "a", undefined, 1)
        const of = yield* hooks({
          "a.jsonl": lines(sign(9, "Stop", "a", undefined, 1)) + "x".repeat(300_000) + `\n${lines(newest)}`
        })
        assert.deepStrictEqual(yield* of.last("a"), Option.some(newest))
      })
    )
    it.effect("a line longer than a sign is skipped, and so is a folder", () =>
      Effect.gen(function* () {
        const first = sign(1, "Stop", "a", undefined, 1)
        const long = JSON.stringify({ ...sign(9, "Stop", "a", undefined, 1), more: "x".repeat(5000) })
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const state = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-signs-" })
        yield* fs.makeDirectory(path.join(state, "hooks"))
        yield* fs.writeFileString(
          path.join(state, "hooks", "a.jsonl"),
          `${lines(first)}${"[".repeat(100_000)}\n${long}\n`
        )
        execFileSync("mkfifo", [path.join(state, "hooks", "pipe.jsonl")])
        const of = yield* Effect.provide(
          Effect.map(Hooks, (hooks) => hooks),
          HookFiles.layer(state)
        )
        assert.deepStrictEqual(yield* of.last("a"), Option.some(first))
        assert.deepStrictEqual(yield* of.last("pipe"), Option.none())
      })
    )

    it.effect("the newest lines are read, up to the number of signs in a full file", () =>
      Effect.gen(function* () {
        const [older, newer] = [sign(1, "Stop", "a", undefined, 1), sign(2, "Stop", "a", undefined, 1)]
        const of = yield* hooks({
          "a.jsonl": `${lines(older)}${"{}\n".repeat(5000)}`,
          "b.jsonl": `${lines({ ...older, sessionId: "b" })}${"x\n".repeat(100_000)}${lines({ ...newer, sessionId: "b" })}`
        })
        assert.deepStrictEqual(yield* of.last("a"), Option.none())
        assert.deepStrictEqual(yield* of.last("b"), Option.some({ ...newer, sessionId: "b" }))
      })
    )
  })

  describe("behaviour#who-holds-a-session", () => {
    it.effect(
      "a process that was cleared holds the new session; its lineage names all that it had, and who resumed it",
      () =>
        Effect.gen(function* () {
          const of = yield* hooks({
            "other.jsonl": lines(sign(1, "began", "other", "startup", 3)),
            "old.jsonl": lines(sign(2, "began", "old", "startup", 1), sign(900_000, "ended", "old", "clear", 1)),
            "new.jsonl": lines(
              sign(1_002_000, "began", "new", "clear", 1),
              sign(1_002_500, "began", "new", "resume", 2)
            )
          })
          assert.deepStrictEqual(yield* of.holds({ pid: 1, startTime: 100 }), Option.some("new"))
          assert.deepStrictEqual(yield* of.holds({ pid: 2, startTime: 200 }), Option.some("new"))
          assert.deepStrictEqual(yield* of.holds({ pid: 3, startTime: 300 }), Option.some("other"))
          assert.deepStrictEqual(yield* of.holds({ pid: 1, startTime: 101 }), Option.none())
          assert.deepStrictEqual(
            (yield* of.held).map(({ pid, sessionId }) => [pid, sessionId]),
            [
              [3, "other"],
              [1, "new"],
              [2, "new"]
            ]
          )
          const named = (held: Effect.Success<ReturnType<typeof of.lineage>>) =>
            held.map(({ pid, sessionId, source }) => [sessionId, pid, source])
          const cleared = [
            ["old", 1, "startup"],
            ["new", 1, "clear"]
          ]
          assert.deepStrictEqual(named(yield* of.lineage("old")), cleared)
          assert.deepStrictEqual(named(yield* of.lineage("new")), [...cleared, ["new", 2, "resume"]])
        })
    )
  })
})
