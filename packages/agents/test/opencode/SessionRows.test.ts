import * as fs from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { agentsOwn, Errands } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { lookTrusted, piecesOf, TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Option, Result, Stream } from "effect"
import { withSessionRows } from "../../src/opencode/SessionRows.ts"
import { file, keep, sessionId } from "./Database.ts"

const record = (n: number) => JSON.stringify({ part: { n, said: "ü".repeat(n % 7) }, time: 1_795_444_810_000 + n })
const records = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => record(from + at))

/** Makes a database with these records of one session, and counts the questions to it. */
const rowsOf = Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
  const folder = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped({ prefix: "souffleur-rows-" })
  const path = `${folder}/${file}`
  yield* keep(path, lines.join("\n"))
  const host = yield* TrustedFiles
  const counted = { questions: 0 }
  const files = withSessionRows(
    {
      ...host,
      rows: (...asked) => {
        counted.questions += 1
        return Effect.tap(host.rows(...asked), () => Effect.yieldNow)
      }
    },
    yield* Errands,
    dirname(path)
  )
  const read = (offset = 0, bytes = Number.POSITIVE_INFINITY) =>
    Effect.gen(function* () {
      const pieces = yield* Stream.runCollect(piecesOf(yield* files.open(path, agentsOwn), { offset, bytes }))
      return Buffer.concat(pieces).toString()
    }).pipe(Effect.scoped)
  const stat = Effect.provideService(lookTrusted(path, agentsOwn), TrustedFiles, TrustedFiles.of(files))
  return { counted, database: dirname(path), files, folder, path, read, stat }
})

describe("opencode#database", () => {
  it.layer(HostServices.layer)((it) => {
    it.effect("a session is a file whose lines are its events, from any place, and of the newest one's time", () =>
      Effect.gen(function* () {
        // The last two have no time of their own.
        const lines = [...records(0, 300), '{"info":{}}', '{"torn']
        const { read, stat } = yield* rowsOf(lines)
        const whole = lines.map((line) => `${line}\n`).join("")
        const bytes = Buffer.from(whole)
        assert.strictEqual(yield* read(), whole)
        for (const [from, length] of [
          [0, 1],
          [1, 200],
          [bytes.length - 80, 1000],
          [4321, 77]
        ] as const)
          assert.strictEqual(yield* read(from, length), bytes.subarray(from, from + length).toString())
        assert.strictEqual(yield* read(bytes.length), "")
        const { mtime, size } = yield* stat
        assert.deepStrictEqual(
          [Number(size), Option.getOrUndefined(mtime)?.getTime()],
          [bytes.length, 1_795_444_810_299]
        )
      })
    )
    it.effect("a session that grew is read on from where it was, in few questions", () =>
      Effect.gen(function* () {
        const { counted, path, read } = yield* rowsOf(records(0, 5000))
        const before = Buffer.byteLength(yield* read())
        assert.isAbove(before, 4 * 65_536)
        assert.isAtMost(counted.questions, 5)
        yield* keep(path, records(5000, 5003).join("\n"))
        counted.questions = 0
        assert.strictEqual(yield* read(before), `${records(5000, 5003).join("\n")}\n`)
        assert.isAtMost(counted.questions, 5)
      })
    )
    it.effect(
      "a piece of an output that is written again is an empty record, and the beginning of its tool is none",
      () =>
        Effect.gen(function* () {
          const tool = (state: object) => JSON.stringify({ part: { type: "tool", state } })
          const long = "x".repeat(5000)
          const began = tool({ status: "running", input: { content: long } })
          const short = tool({ status: "running", input: {}, metadata: { output: "la" } })
          const piece = tool({ status: "running", input: {}, metadata: { output: long } })
          const subagent = tool({ status: "running", input: { prompt: long }, metadata: { sessionId: "ses_2" } })
          const ended = tool({ status: "completed", input: {}, metadata: { output: long } })
          const all = [began, short, piece, piece, subagent, ended, `{"torn": "${long}`]
          const { read } = yield* rowsOf(all)
          assert.deepStrictEqual(
            (yield* read()).trim().split("\n"),
            all.map((one) => (one === piece ? "{}" : one))
          )
        })
    )
    it.effect("two readers at once have each event once", () =>
      Effect.gen(function* () {
        const { read } = yield* rowsOf(records(0, 30))
        const [one, other] = yield* Effect.all([read(), read()], { concurrency: 2 })
        assert.strictEqual(one, `${records(0, 30).join("\n")}\n`)
        assert.strictEqual(other, one)
      })
    )
    it.effect("an event of many megabytes is an empty record, and no other is lost", () =>
      Effect.gen(function* () {
        const huge = JSON.stringify({ part: { x: "x".repeat(17 << 20) } })
        const large = JSON.stringify({ part: { x: "x".repeat(3 << 20) } })
        const { read } = yield* rowsOf([record(1), huge, large, record(2)])
        assert.deepStrictEqual((yield* read()).split("\n"), [record(1), "{}", large, record(2), ""])
      })
    )
    it.effect("a session that was taken away is missing, and begins again when it is brought back", () =>
      Effect.gen(function* () {
        const { database, files, folder, path, read } = yield* rowsOf(records(0, 50))
        yield* read()
        const change = (sql: string) =>
          Effect.sync(() => {
            const opened = new DatabaseSync(database)
            opened.exec(sql)
            opened.close()
          })
        yield* change("DELETE FROM event")
        const refused = yield* Effect.flip(Effect.scoped(files.open(path, agentsOwn)))
        assert.deepStrictEqual([refused.path, refused.missing], [path, true])
        yield* keep(path, records(500, 510).join("\n"))
        assert.strictEqual(yield* read(), `${records(500, 510).join("\n")}\n`)
        fs.writeFileSync(`${folder}/other`, "la", { mode: 0o600 })
        assert.isTrue(Result.isSuccess(yield* Effect.result(Effect.scoped(files.open(`${folder}/other`, agentsOwn)))))
        assert.isFalse(fs.existsSync(`${folder}/${sessionId}`))
      })
    )
    it.effect("an event that is not as long as it was ends the reading", () =>
      Effect.gen(function* () {
        const { database, files, path } = yield* rowsOf(records(0, 20))
        const opened = yield* files.open(path, agentsOwn)
        const other = new DatabaseSync(database)
        other.exec("UPDATE event SET data = '{\"part\":{}}' WHERE seq = 10")
        other.close()
        const text = Buffer.concat(yield* Stream.runCollect(piecesOf(opened))).toString()
        assert.strictEqual(text, `${records(0, 10).join("\n")}\n`)
      })
    )
  })
})
