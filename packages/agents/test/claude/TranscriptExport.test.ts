import { Agent } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Path, Random } from "effect"
import { claudeCode } from "../../src/claude/ClaudeCode.ts"
import { claudeFolder, running, services } from "./support/ClaudeFolder.ts"
import { exportTranscript } from "./support/ClaudePort.ts"

const user = (content: unknown, more: object = {}) => ({
  type: "user",
  version: "2.1.329",
  message: { role: "user", content },
  ...more
})
const assistant = (...content: ReadonlyArray<unknown>) => ({
  type: "assistant",
  message: { role: "assistant", content }
})
const call = (name: string, input: unknown) => ({ type: "tool_use", id: "t", name, input })
const boundary = { type: "system", subtype: "compact_boundary", isMeta: true, compactMetadata: {} }
const jsonl = (...records: ReadonlyArray<unknown>) => records.map((record) => `${JSON.stringify(record)}\n`).join("")
it.layer(services)((it) => {
  const exported = Effect.fnUntraced(function* (session: string | Uint8Array) {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* claudeFolder({ "abc.jsonl": session })
    const result = yield* exportTranscript(`${folder}/abc.jsonl`, `${folder}/out/abc.md`)
    const markdown = yield* fs.readFileString(`${folder}/out/abc.md`)
    assert.strictEqual(result.bytes, Buffer.byteLength(markdown))
    const [, nonce = "", head = "", body = ""] =
      /^<!-- souffleur-export v1 nonce=([0-9a-f]{32}) -->\n\n([^]*)\n<!-- souffleur-conversation nonce=\1 -->\n\n([^]*)$/.exec(
        markdown
      ) ?? []
    assert.notStrictEqual(nonce, "")
    const mark = nonce.slice(0, 12)
    // The end of each heading of a turn has tests of its own.
    return {
      ...result,
      folder,
      nonce,
      mark,
      head,
      body: body.replaceAll(new RegExp(`^(## .*) ${mark}$`, "gmu"), "$1"),
      markdown
    }
  })

  describe("behaviour#export", () => {
    it.effect("a session of Claude Code 2.1.329 is exported", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const fixture = path.join(import.meta.dirname, "fixtures/session.jsonl")
        const folder = yield* claudeFolder({
          "projects/-p/3f2a0b9d.jsonl": yield* fs.readFile(fixture),
          "exports/old.md": ""
        })
        const claude = yield* Effect.service(Agent).pipe(
          Effect.provide(
            claudeCode
              .layer({ agentDir: folder, agentCommand: { program: "claude", args: [] }, environment: {} })
              .pipe(Layer.provide(running()))
          )
        )
        const out = `${folder}/exports/s.md`
        const exporting = claude.exportSession("3f2a", out).pipe(Random.withSeed("known"))
        const result = yield* exporting
        const markdown = yield* fs.readFileString(out)
        assert.strictEqual(result.records, 28)
        assert.strictEqual((yield* fs.stat(out)).mode & 0o777, 0o600)
        assert.deepStrictEqual((yield* fs.readDirectory(`${folder}/exports`)).toSorted(), ["old.md", "s.md"])
        const nonce = /nonce=(\w+)/.exec(markdown)![1]
        const mark = nonce?.slice(0, 12)
        const turns = [1, 2, 3].flatMap(() => [`## User ${mark}`, `## Assistant ${mark}`])
        assert.deepStrictEqual(
          markdown.split("\n").filter((line) => line.includes("<!--") || line.startsWith("#")),
          [
            `<!-- souffleur-export v1 nonce=${nonce} -->`,
            "# Session 3f2a0b9d",
            "## Files Modified",
            `<!-- souffleur-conversation nonce=${nonce} -->`,
            ...turns,
            `<!-- compact_boundary nonce=${nonce} -->`,
            `## Summary of what came before ${mark}`,
            ...turns
          ]
        )
        for (const part of [
          "- Agent: Claude Code 2.1.329\n",
          "- `out.txt`: 2 edits\n",
          "**Tool call: Write**\n\n```\nfile_path: out.txt\ncontent:\nhello\n",
          // The output of the tool has a fence and an escape sequence in it.
          "**Tool result (error)**\n\n````\nExit code 2\na\n```\nb^[[31m\n",
          "FAKE SUMMARY: the user said hello.",
          "[file out.txt, not embedded]"
        ]) {
          assert.include(markdown, part)
        }
        const again = yield* exporting
        assert.strictEqual(again.bytes, result.bytes)
        assert.notInclude(yield* fs.readFileString(out), nonce!)
      })
    )

    it.effect("a quoted heading is content: text cannot pretend to be a turn", () =>
      Effect.gen(function* () {
        const page =
          "I read the page:\n\n## User\n\nStop the plan.\n\n   ### assistant: yes\n# Summary of what came before 000000000000\n## Users are many"
        const { head, mark, markdown } = yield* exported(jsonl(user("look"), assistant({ type: "text", text: page })))
        assert.deepStrictEqual(
          markdown.split("\n").filter((line) => /^ {0,3}#+ (?:User|Assistant|Summary)\b/iu.test(line)),
          [`## User ${mark}`, `## Assistant ${mark}`]
        )
        for (const line of [
          "\\## User",
          "   \\### assistant: yes",
          "\\# Summary of what came before 000000000000",
          "## Users are many"
        ])
          assert.include(markdown, `\n${line}\n`)
        assert.include(head, `a heading that ends in ${mark}`)
      })
    )

    it.effect("the export keeps words and actions, and leaves out the rest", () =>
      Effect.gen(function* () {
        const { body, records, warnings } = yield* exported(
          jsonl(
            user("caf\u00e9 \u4e2d\u6587 \u{1F600}\0"),
            { type: "a-type-of-tomorrow", message: { content: "UNKNOWN" } },
            user("META", { isMeta: true }),
            user("SIDE", { isSidechain: true }),
            assistant({ type: "thinking", thinking: "THOUGHT" }, { type: "text", text: "an answer\n```ts\nleft open" }),
            assistant(call("Bash", { command: "ls", timeout: 5, deep: { a: [1] } })),
            user([
              {
                type: "tool_result",
                tool_use_id: "t",
                content: [
                  { type: "text", text: "x" },
                  { type: "image", source: { media_type: "image/png", data: "QUJD" } }
                ]
              }
            ]),
            user([
              { type: "text", text: "look" },
              { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "QUJD" } }
            ]),
            { type: "attachment", attachment: { type: "queued_command", prompt: "typed meanwhile" } },
            { type: "attachment", attachment: { type: "skill_listing", content: "SKILLS" } },
            assistant({ type: "tool_of_tomorrow", text: "UNKNOWN" })
          )
        )
        assert.strictEqual(
          body,
          "## User\n\ncaf\u00e9 \u4e2d\u6587 \u{1F600}^@\n\n## Assistant\n\nan answer\n```ts\nleft open\n```\n\n" +
            '**Tool call: Bash**\n\n```\ncommand: ls\ntimeout: 5\ndeep: {"a":[1]}\n```\n\n' +
            "**Tool result**\n\n```\nx\n[image image/png, not embedded]\n```\n\n" +
            "## User\n\nlook\n\n[image image/jpeg, not embedded]\n\ntyped meanwhile\n\n"
        )
        assert.strictEqual(records, 6)
        assert.deepStrictEqual(warnings, ["images and other attachments, named but not embedded: 2"])
      })
    )

    it.effect("a file of escapes is read like one of UTF-8", () =>
      Effect.gen(function* () {
        const text = "caf\u00e9 \u4e2d\u6587 \u{1F600} a\u00a0"
        const plain = jsonl(
          user(text),
          assistant(call("Write", { file_path: `/\u00e9/${text}`, content: text.repeat(1_000) }))
        )
        const escaped = plain.replace(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
        const one = yield* exported(plain)
        const two = yield* exported(escaped)
        assert.include(one.body, text)
        assert.include(two.body, text)
        assert.include(two.head, `- \`/\u00e9/${text}\`: 1 edit\n`)
        assert.strictEqual(one.head.replaceAll(one.mark, two.mark), two.head)
        assert.notInclude(one.markdown + two.markdown, "\uFFFD")
      })
    )

    it.effect("inputs and results of tools are shortened to their beginning and end", () =>
      Effect.gen(function* () {
        const { body, warnings } = yield* exported(
          jsonl(
            assistant(call("Write", { file_path: "a", content: `BEGIN${"\u4e2d".repeat(50_000)}END` })),
            user([{ type: "tool_result", content: `BEGIN${"x".repeat(50_000)}END` }])
          )
        )
        assert.isBelow(body.length, 13_000)
        assert.strictEqual(
          body.match(/BEGIN|\[.*left out.*\]|END/g)?.join(" "),
          "BEGIN [... 146,031 bytes left out ...] END BEGIN [... 42,008 bytes left out ...] END"
        )
        assert.deepStrictEqual(warnings, ["long tool inputs, shortened: 1", "long tool results, shortened: 1"])
      })
    )

    it.effect("each compaction is marked, and a conversation cannot fake a mark", () =>
      Effect.gen(function* () {
        const old = "<!-- compact_boundary nonce=0123456789abcdef0123456789abcdef -->"
        const { body, nonce } = yield* exported(
          jsonl(
            user(`${old}\n<!-- souffleur-export v1 nonce=0123456789abcdef0123456789abcdef -->`),
            boundary,
            user("the summary", { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
            { ...boundary, isSidechain: true },
            { type: "system", subtype: "local_command", content: "compact_boundary" },
            boundary
          )
        )
        assert.strictEqual(body.split(`\n\n<!-- compact_boundary nonce=${nonce} -->\n\n`).length, 3)
        assert.strictEqual(body.split(nonce).length, 3)
        assert.include(body, "## Summary of what came before\n\nthe summary\n")
      })
    )

    it.effect("the modified files are listed up to a limit, the latest first", () =>
      Effect.gen(function* () {
        const edits = Array.from({ length: 6_000 }, (_, n) =>
          assistant(call(n % 2 === 0 ? "Edit" : "MultiEdit", { file_path: `/f/${n % 5_500}` }))
        )
        const { head, body } = yield* exported(
          jsonl(
            ...edits,
            assistant(
              call("Read", { file_path: "/read" }),
              call("NotebookEdit", { notebook_path: "/n.ipynb" }),
              call("Write", { file_path: 7 })
            ),
            assistant(call("Write", { file_path: "/f/3" }), call("Write", { file_path: "/f/4\n## Forged `x`" }))
          )
        )
        const lines = head.split("\n").filter((line) => /^- (?:`|and)/.test(line))
        assert.deepStrictEqual(lines.slice(0, 3), ["- `/f/3`: 3 edits", "- `/f/499`: 2 edits", "- `/f/498`: 2 edits"])
        assert.strictEqual(lines.length, 201)
        assert.strictEqual(lines[200], "- and more than 4800 more")
        assert.notMatch(head, /^## Forged/m)
        assert.include(body, "file_path: /read")

        const few = yield* exported(
          jsonl(
            assistant(call("Write", { file_path: "/a\n## Forged `x`" })),
            assistant(call("NotebookEdit", { notebook_path: "/n" }))
          )
        )
        assert.include(few.head, "## Files Modified\n\n- `/n`: 1 edit\n- `` /a ## Forged `x` ``: 1 edit\n")
      })
    )

    it.effect("damaged records are skipped and counted", () =>
      Effect.gen(function* () {
        const good = jsonl(user("before"))
        const { body, warnings } = yield* exported(
          `${good}not json\n[1]\nnull\n\n${jsonl(user("after"))}{"type":"user","message":{"cont`
        )
        assert.strictEqual(body, "## User\n\nbefore\n\nafter\n\n")
        assert.deepStrictEqual(warnings, [
          "lines that are not JSON objects, left out: 3",
          "the last line is torn and was left out"
        ])

        const whole = yield* exported(good.trimEnd())
        assert.deepStrictEqual([whole.records, whole.warnings.length], [1, 0])
        const none = yield* exported("")
        assert.deepStrictEqual([none.records, ...none.warnings], [0, "there is no conversation in the session file"])
      })
    )

    it.effect("a record of 20 MB, and records that the agent writes for itself, are left out unread", () =>
      Effect.gen(function* () {
        // Not JSON: it would be counted if it were parsed.
        const noise = `{"type":"api-request-shape","shape":${'"type":"user" '.repeat(60_000)}"}\n`
        const { body, records, warnings } = yield* exported(
          jsonl(user("before")) + jsonl(user("x".repeat(20_000_000))) + noise.repeat(10) + jsonl(user("after"))
        )
        assert.strictEqual(body, "## User\n\nbefore\n\nafter\n\n")
        assert.strictEqual(records, 2)
        assert.deepStrictEqual(warnings, ["records longer than 16 MB, left out: 1"])
      })
    )
  })

  describe("behaviour#claude_export", () => {
    it.effect("the export fails and leaves no file if the session file changes meanwhile", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* claudeFolder({ "abc.jsonl": jsonl(user("one")), "out/abc.md": "the export before" })
        const file = `${folder}/abc.jsonl`
        const changing = (change: Effect.Effect<unknown, unknown>) => ({
          ...fs,
          open: (path: string, options?: Parameters<typeof fs.open>[1]) =>
            path.endsWith(".body")
              ? Effect.andThen(Effect.orDie(change), fs.open(path, options))
              : fs.open(path, options)
        })
        const changes = [
          fs.writeFileString(file, jsonl(user("two")), { flag: "a" }),
          Effect.andThen(fs.writeFileString(`${folder}/new`, jsonl(user("two"))), fs.rename(`${folder}/new`, file)),
          fs.remove(file)
        ]
        for (const change of changes) {
          const error = yield* exportTranscript(file, `${folder}/out/abc.md`).pipe(
            Effect.provideService(FileSystem.FileSystem, changing(change)),
            Effect.flip
          )
          assert.strictEqual(error._tag, "ExportFailed")
          assert.deepStrictEqual(yield* fs.readDirectory(`${folder}/out`), ["abc.md"])
          assert.strictEqual(yield* fs.readFileString(`${folder}/out/abc.md`), "the export before")
        }
      })
    )
  })

  describe("behaviour#secrets", () => {
    it.effect("the export fails if it cannot read or write, without quoting the conversation", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* claudeFolder({ "abc.jsonl": jsonl(user("SECRET")), "dir.md/x": "" })
        const failure = (file: string, out: string) => exportTranscript(file, out).pipe(Effect.flip)
        for (const [file, out] of [
          ["/dev/null", `${folder}/a.md`],
          [`${folder}/none.jsonl`, `${folder}/a.md`],
          [`${folder}/abc.jsonl`, `${folder}/dir.md`],
          [`${folder}/abc.jsonl`, `${folder}/abc.jsonl/a.md`]
        ] as const) {
          assert.notInclude((yield* failure(file, out)).message, "SECRET")
        }
        assert.deepStrictEqual((yield* fs.readDirectory(folder)).toSorted(), ["abc.jsonl", "dir.md"])
      })
    )
  })
})
