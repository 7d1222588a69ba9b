import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcessSpawner } from "effect/process"
import { plainWords } from "@souffleur/domain"
import { runCheck } from "@souffleur/process"

const environment = { PATH: "/usr/bin:/bin", KEY: "seen" }
const sh = (script: string, within = "20 seconds" as const) =>
  runCheck({ words: ["sh", "-c", script], cwd: "/", environment, within })

describe("behaviour#done-by-a-program", () => {
  it.layer(NodeServices.layer, { excludeTestServices: true })((it) => {
    it.effect("a program says its exit code, and the end of both outputs; it has that environment and no input", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          { ...(yield* sh("pwd; echo $KEY$HOME >&2; cat; exit 3")) },
          { code: ChildProcessSpawner.ExitCode(3), said: "/\nseen\n" }
        )
        assert.deepStrictEqual(yield* sh("kill -9 $$"), { code: null, said: "" })
        const { said } = yield* sh("i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done")
        assert.strictEqual(said.length, 2000)
        assert.isTrue(said.endsWith("line 1999\n"))
      })
    )
    it.effect("whatever it prints, its words are fit for a prompt, a log and a terminal", () =>
      Effect.gen(function* () {
        const { said } = yield* sh(`printf 'a\\000b\\033[31m\\tc\\r\\n\\377'`)
        assert.strictEqual(said, "a\\u0000b\\u001b[31m  c\n\uFFFD")
        // The beginning is cut off, be it within a character.
        const long = yield* sh("i=0; while [ $i -lt 1500 ]; do printf '🎭'; i=$((i+1)); done; printf x")
        assert.notMatch(long.said, /\p{Cs}|\0/u)
        assert.isTrue(long.said.endsWith("🎭x"))
      })
    )
    it.effect("what it leaves running, with its output, does not hold up its word", () =>
      Effect.gen(function* () {
        const found = yield* sh("sleep 300 & echo $!; exit 1")
        assert.strictEqual(found.code, 1)
        const fs = yield* FileSystem.FileSystem
        const stat = yield* Effect.orElseSucceed(fs.readFileString(`/proc/${found.said.trim()}/stat`), () => ") Z")
        assert.match(stat, /\) Z/u)
      })
    )
    it.effect("one that is not there, or does not end in time, says nothing", () =>
      Effect.gen(function* () {
        const missing = runCheck({ words: ["no-such"], cwd: "/", environment, within: "20 seconds" })
        assert.strictEqual((yield* Effect.flip(missing)).message, "there is no program no-such in PATH")
        const late = runCheck({ words: ["sleep", "300"], cwd: "/", environment, within: "200 millis" })
        assert.strictEqual((yield* Effect.flip(late)).message, "it did not end within 200ms")
      })
    )
    it.effect("words that only a shell would read are refused; a JSON array says them as they are", () =>
      Effect.sync(() => {
        for (const text of ["npm test && x", "a | b", "test $X", "ls *.ts", "echo 'a b'", "a\nb", " "])
          assert.strictEqual(plainWords(text)._tag, "Failure", text)
        assert.deepStrictEqual(
          plainWords(" npm  test ").pipe((read) => read._tag === "Success" && read.success),
          ["npm", "test"]
        )
        assert.deepStrictEqual(
          plainWords('["sh","-c","a && b"]').pipe((read) => read._tag === "Success" && read.success),
          ["sh", "-c", "a && b"]
        )
      })
    )
  })
})
