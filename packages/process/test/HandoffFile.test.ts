import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Option } from "effect"
import { execFileSync } from "node:child_process"
import { readHandoffFile, writeHandoffFile } from "@souffleur/process"

const words = "CONTEXT_RECOVERY_PAYLOAD_V1\nresume_prompt: go on with é 🎭"

const folder = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  return `${yield* fs.makeTempDirectoryScoped()}/state`
})
it.layer(HostServices.layer)((it) => {
  describe("behaviour#words-of-the-agent", () => {
    it.effect("the words of a request are private to their user, and come back whole", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const stateDir = yield* folder
        const digest = yield* writeHandoffFile(stateDir, "w-1-00ff", words)
        assert.match(digest, /^[0-9a-f]{64}$/u)
        const file = `${stateDir}/requests/w-1-00ff.txt`
        assert.strictEqual((yield* fs.stat(file)).mode & 0o777, 0o600)
        assert.strictEqual((yield* fs.stat(`${stateDir}/requests`)).mode & 0o777, 0o700)
        assert.deepStrictEqual(yield* readHandoffFile(stateDir, { request: "w-1-00ff", digest }), Option.some(words))
      })
    )
    it.effect("words that are gone, or were changed since, count as none", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const stateDir = yield* folder
        const digest = yield* writeHandoffFile(stateDir, "a", words)
        assert.deepStrictEqual(yield* readHandoffFile(stateDir, { request: "b", digest }), Option.none())
        yield* fs.writeFileString(`${stateDir}/requests/a.txt`, `${words} and more`)
        assert.deepStrictEqual(yield* readHandoffFile(stateDir, { request: "a", digest }), Option.none())
        yield* fs.truncate(`${stateDir}/requests/a.txt`, 2 ** 32)
        assert.deepStrictEqual(yield* readHandoffFile(stateDir, { request: "a", digest }), Option.none())
      })
    )
    it.effect("a request is never overwritten, and the error of a failed write has none of its words", () =>
      Effect.gen(function* () {
        const stateDir = yield* folder
        yield* writeHandoffFile(stateDir, "a", words)
        const { _tag, message } = yield* Effect.flip(writeHandoffFile(stateDir, "a", "SECRET"))
        assert.strictEqual(_tag, "HandoffUnwritten")
        assert.notInclude(message, "SECRET")
      })
    )
  })

  describe("behaviour#files-of-others", () => {
    it.effect(
      "words are not read from a link, a pipe, or a file that others may read, even with the right digest",
      () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const stateDir = yield* folder
          const digest = yield* writeHandoffFile(stateDir, "a", words)
          const [a, b] = [`${stateDir}/requests/a.txt`, `${stateDir}/requests/b.txt`]
          yield* fs.symlink(a, b)
          assert.deepStrictEqual(yield* readHandoffFile(stateDir, { request: "b", digest }), Option.none())
          for (const mode of [0o602, 0o604, 0o660]) {
            yield* fs.chmod(a, mode)
            assert.deepStrictEqual(yield* readHandoffFile(stateDir, { request: "a", digest }), Option.none())
          }
          yield* fs.chmod(a, 0o600)
          assert.deepStrictEqual(yield* readHandoffFile(stateDir, { request: "a", digest }), Option.some(words))
          yield* fs.remove(b)
          execFileSync("mkfifo", [b])
          assert.deepStrictEqual(yield* readHandoffFile(stateDir, { request: "b", digest }), Option.none())
        })
    )
  })
})
