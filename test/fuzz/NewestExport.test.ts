import { assert, describe, layer } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { trim } from "@souffleur/recovery"
import { Effect, FileSystem } from "effect"
import { WebCrypto } from "effect/crypto"
import { exportTranscript } from "../../packages/agents/test/claude/support/ClaudePort.ts"
import { Seed } from "../simulation/Seed.ts"
import { simCrypto } from "../simulation/SimCrypto.ts"
import { sessionFile } from "./SessionRecords.ts"

/** A record that no export contains, as the agent writes most of its bytes. */
const snapshot = (bytes: number) => `{"type":"api-request","shape":"${"x".repeat(bytes)}"}\n`
const said = (text: string) =>
  `${JSON.stringify({ type: "assistant", message: { role: "assistant", content: [{ type: "text", text }] } })}\n`
const edited = (file_path: string) => {
  const content = [{ type: "tool_use", id: "t", name: "Edit", input: { file_path } }]
  return `${JSON.stringify({ type: "assistant", message: { role: "assistant", content } })}\n`
}

/**
 * Returns the text below the notice of a trim, and all that is above it. Of an export without a notice, it returns all.
 */
const parts = (text: string) => {
  const notice = /\n\[older conversation is left out here, \d+ bytes of this export, [^\]]*\]\n\n/u.exec(text)
  const end = notice === null ? 0 : notice.index + notice[0].length
  return { top: text.slice(0, end), tail: text.slice(end), trimmed: notice !== null }
}
const unreadOf = (text: string) => Number(/the oldest (\d+) bytes of the session file/u.exec(text)?.[1] ?? 0)
const conversationOf = (text: string) => text.slice(text.indexOf("<!-- souffleur-conversation"))

describe("behaviour#export", () => {
  layer(HostServices.layer)("the newest part of an export", (it) => {
    /** Exports a session with one nonce, which makes two exports comparable. */
    const exported = Effect.fnUntraced(function* (session: string | Uint8Array, newest?: number) {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-newest-" })
      const [file, out] = [`${folder}/abc.jsonl`, `${folder}/out.md`]
      yield* fs.writeFile(file, typeof session === "string" ? new TextEncoder().encode(session) : session)
      const made = yield* Effect.provideService(
        exportTranscript(file, out, newest),
        WebCrypto.WebCrypto,
        simCrypto(new Seed(1))
      )
      const whole = yield* fs.readFileString(out)
      if (newest !== undefined) yield* trim(out, newest)
      return { ...made, out, text: whole, trimmed: yield* fs.readFileString(out) }
    }, Effect.scoped)
    const trimmedTo = Effect.fnUntraced(function* (text: string, limit: number) {
      const fs = yield* FileSystem.FileSystem
      const out = `${yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-newest-" })}/out.md`
      yield* fs.writeFileString(out, text)
      yield* trim(out, limit)
      return yield* fs.readFileString(out)
    }, Effect.scoped)

    it.effect("an export of the newest characters is trimmed to the tail that a whole export is trimmed to", () =>
      Effect.gen(function* () {
        let windows = 0
        for (let n = 1; n <= 3; n++) {
          const seed = new Seed(n)
          const session = Buffer.concat(
            Array.from({ length: 25 }, () => [
              sessionFile(seed),
              Buffer.from(`\n${snapshot(seed.between(0, 40_000))}`)
            ]).flat()
          )
          const { text } = yield* exported(session)
          for (const limit of [1, 3_000, 60_000]) {
            const [newest, whole] = [yield* exported(session, limit), yield* trimmedTo(text, limit)]
            const unread = unreadOf(newest.text)
            if (unread === 0) {
              assert.strictEqual(newest.trimmed, whole, `seed ${n}, ${limit}`)
              continue
            }
            windows++
            const [ours, theirs] = [parts(newest.trimmed), parts(whole)]
            const [short, long] = [ours.tail, theirs.tail].toSorted((a, b) => a.length - b.length) as [string, string]
            assert.isTrue(long.endsWith(short), `seed ${n}, ${limit}: another tail`)
            // Their tops differ by the words of their headers, and each tail begins with a line of its own length.
            const between = long.slice(0, long.length - short.length)
            const [, ...rest] = between.split("\n")
            assert.isAtMost(
              rest.join("\n").length,
              Math.abs(ours.top.length - theirs.top.length),
              `seed ${n}, ${limit}`
            )
          }
        }
        assert.isAbove(windows, 5)
      })
    )

    it.effect("a window is exported as if the session began there, and the header says what was left unread", () =>
      Effect.gen(function* () {
        const seed = new Seed(1)
        const session = Buffer.concat(Array.from({ length: 60 }, () => [sessionFile(seed), Buffer.from("\n")]).flat())
        const newest = yield* exported(session, 1000)
        const unread = unreadOf(newest.text)
        assert.isAbove(unread, 0)
        assert.strictEqual(session[unread - 1], 10, "a window begins with a line")
        const rest = yield* exported(session.subarray(unread))
        assert.strictEqual(conversationOf(newest.text), conversationOf(rest.text))
        assert.strictEqual(newest.records, rest.records)
        assert.include(newest.warnings[0], `the oldest ${unread} bytes of the session file were left unread`)
        assert.deepStrictEqual(newest.warnings.slice(1), rest.warnings)
      })
    )

    it.effect("the files that were modified in an unread part are not denied", () =>
      Effect.gen(function* () {
        const old = `${edited("old.ts")}${said("x".repeat(400_000))}`
        const some = yield* exported(`${old}${edited("new.ts")}${said("y".repeat(2000))}`, 1000)
        assert.include(some.text, "- `new.ts`: 1 edit\n- and those of the older part, which was left unread\n")
        assert.notInclude(some.text, "old.ts")
        const none = yield* exported(`${old}${said("y".repeat(2000))}`, 1000)
        assert.include(none.text, "\nNone by an edit tool in the newer part, which alone was read.\n")
        const whole = yield* exported(said("y"))
        assert.include(whole.text, "\nNone by an edit tool.\n")
      })
    )

    it.effect("a window without enough conversation is doubled until it has it, or is the whole file", () =>
      Effect.gen(function* () {
        const tail = snapshot(500_000).repeat(6)
        const enough = yield* exported(`${said("old")}${snapshot(5_000_000)}${said("word ".repeat(1000))}${tail}`, 2000)
        assert.isAbove(unreadOf(enough.text), 0)
        assert.include(enough.trimmed, "word ".repeat(100))
        const all = yield* exported(`${said("old")}${said("word")}${tail}`, 2000)
        assert.strictEqual(unreadOf(all.text), 0)
        assert.include(all.trimmed, "old\n\nword\n")
      })
    )
  })
})
