import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { type ProgramRun, runProgram } from "@souffleur/process"

/** The defaults of every run. */
const plain = { args: [], stdin: "", within: "20 seconds", atMost: 1_000 } satisfies Partial<ProgramRun>
/** Makes a command in the JSON form: Node, and a script in one argument. */
const script = (text: string) => JSON.stringify([process.execPath, "-e", text])
const why = (run: Partial<ProgramRun> & Pick<ProgramRun, "command">) =>
  Effect.map(Effect.flip(runProgram({ ...plain, ...run })), (error) => error.message)
/** Returns whether that process exists. A zombie does not count. */
const lives = Effect.fnUntraced(function* (pid: number) {
  const fs = yield* FileSystem.FileSystem
  const stat = yield* fs.readFileString(`/proc/${pid}/stat`).pipe(Effect.orElseSucceed(() => "gone) Z"))
  return !stat.slice(stat.lastIndexOf(")")).startsWith(") Z")
})

describe("behaviour#delivery-of-notices", () => {
  it.layer(NodeServices.layer, { excludeTestServices: true })((it) => {
    it.effect("a program gets its standard input, and its output is returned", () =>
      Effect.gen(function* () {
        const echo = script(
          "process.stdin.pipe(process.stdout); process.stderr.write('noise'); process.stdout.write(process.argv[1] + '|')"
        )
        assert.strictEqual(
          yield* runProgram({ ...plain, command: echo, args: ["$(id) a b"], stdin: "grüße 🎉\n" }),
          "$(id) a b|grüße 🎉\n"
        )
      })
    )
    it.effect("a command is one program or a JSON array: there is no shell and no splitting", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* runProgram({ ...plain, command: "echo", args: ["a; b"] }), "a; b\n")
        assert.strictEqual(yield* runProgram({ ...plain, command: ' ["echo", "-n", "x y"]' }), "x y")
        assert.include(yield* why({ command: "echo a" }), "there is no program echo a")
        for (const command of ["[", "[]", "[1]", '["echo", 2]', '[""]']) {
          assert.strictEqual(yield* why({ command }), "the command is not a JSON array of strings", command)
        }
      })
    )
    it.effect("a program inherits souffleur's environment, or gets only another one", () =>
      Effect.gen(function* () {
        const seen = script("process.stdout.write(JSON.stringify([process.env.HOME ?? null, 'PATH' in process.env]))")
        assert.strictEqual(
          yield* runProgram({ ...plain, command: seen }),
          JSON.stringify([process.env["HOME"] ?? null, true])
        )
        assert.strictEqual(yield* runProgram({ ...plain, command: seen, environment: { HOME: "/h" } }), '["/h",false]')
      })
    )
    it.effect("a program fails by an exit code or a signal", () =>
      Effect.gen(function* () {
        assert.strictEqual(
          yield* why({ command: script("console.log('x'); process.exit(3)") }),
          "it ended with exit code 3"
        )
        assert.include(yield* why({ command: script("process.kill(process.pid, 'SIGKILL')") }), "it ")
      })
    )
    it.effect("a program that is missing is named", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* why({ command: "no-such-bow" }), "there is no program no-such-bow in PATH")
        assert.strictEqual(yield* why({ command: "/no/such/bow" }), "there is no program /no/such/bow")
      })
    )
    it.effect("a failure has the program's own words on one short line, when that is asked for", () =>
      Effect.gen(function* () {
        const fails = script(
          "process.stderr.write('fatal: no\\n\\tsuch thing' + 'x'.repeat(5_000_000), () => process.exit(128))"
        )
        const said = yield* why({ command: fails, heard: true })
        assert.match(said, /^it ended with exit code 128: fatal: no such thingx+…$/u)
        assert.isBelow(said.length, 600)
        assert.strictEqual(yield* why({ command: script("process.exit(3)"), heard: true }), "it ended with exit code 3")
        assert.strictEqual(yield* why({ command: fails }), "it ended with exit code 128")
      })
    )
    it.effect("a program need not read its standard input", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* runProgram({ ...plain, command: "true", stdin: "x".repeat(5_000_000) }), "")
      })
    )
    it.effect("a failure tells whether the program ever ran", () =>
      Effect.gen(function* () {
        const ran = (command: string) =>
          Effect.map(Effect.flip(runProgram({ ...plain, command })), (error) => error.ran)
        for (const command of ["no-such-bow", "/tmp", "["]) assert.isFalse(yield* ran(command), command)
        for (const command of ["false", script("process.kill(process.pid, 'SIGKILL')")])
          assert.isTrue(yield* ran(command))
      })
    )
    it.effect("what a program started runs on where it may, also with its output, unless the program failed", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const leaving = (code: number) =>
          script(
            `const child = require("node:child_process").spawn("sleep", ["600"], { stdio: ["ignore", "inherit", "inherit"] })
         require("node:fs").writeFileSync("${folder}/${code}", String(child.pid))
         process.stdout.write("done", () => process.exit(${code}))`
          )
        const run = (code: number) => runProgram({ ...plain, command: leaving(code), leaves: true })
        assert.strictEqual(yield* run(0), "done")
        const left = Number(yield* fs.readFileString(`${folder}/0`))
        assert.isTrue(yield* lives(left))
        process.kill(left, "SIGKILL")
        assert.strictEqual((yield* Effect.flip(run(1))).message, "it ended with exit code 1")
        assert.isFalse(yield* lives(Number(yield* fs.readFileString(`${folder}/1`))))
      })
    )
    it.effect("a program that prints too much is ended early", () =>
      Effect.gen(function* () {
        const endless = script("const more = () => process.stdout.write('x'.repeat(65536), more); more()")
        assert.strictEqual(yield* why({ command: endless }), "it printed more than 1000 bytes")
        assert.strictEqual(
          yield* runProgram({ ...plain, command: "echo", args: ["-n", "é".repeat(500)] }),
          "é".repeat(500)
        )
      })
    )
    it.effect("a program that hangs is ended with all that it started, even children that ignore SIGTERM", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const deaf = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"
        const hang = script(
          `const child = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(deaf)}], { stdio: "ignore" })
         require("node:fs").writeFileSync(process.argv[1], child.pid + " " + process.pid); ${deaf}`
        )
        const pids = `${folder}/pids`
        const run = runProgram({ ...plain, command: hang, args: [pids], within: "10 seconds" })
        assert.strictEqual((yield* Effect.flip(run)).message, "it did not end within 10s")
        for (const pid of (yield* fs.readFileString(pids)).split(" ")) assert.isFalse(yield* lives(Number(pid)), pid)
      })
    )
  })
})
