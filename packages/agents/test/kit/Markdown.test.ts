import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as ByteString from "../../src/kit/lines/ByteString.ts"
import { closed, code, codeBlock, inline, shorten, withoutBlankEnds, visible } from "../../src/kit/export/Markdown.ts"

describe("behaviour#export", () => {
  it("control characters are shown in caret notation", () => {
    assert.strictEqual(visible("a\0b\x1b[31m\x7f\tc\r\nd\re"), "a^@b^[[31m^?\tc\nd\ne")
  })

  it("a code block has a fence of more backticks than are in it", () => {
    assert.strictEqual(codeBlock("x"), "```\nx\n```\n")
    assert.strictEqual(codeBlock("a\n````\nb\n"), "`````\na\n````\nb\n`````\n")
  })

  it("a code block that a text leaves open is closed", () => {
    assert.strictEqual(closed("a ``` b"), "a ``` b")
    assert.strictEqual(closed("```ts\nx\n```"), "```ts\nx\n```")
    assert.strictEqual(closed("````\n```\nx"), "````\n```\nx\n````")
    assert.strictEqual(closed("~~~\n```"), "~~~\n```\n~~~")
    assert.strictEqual(closed("```\na\n```ts"), "```\na\n```ts\n```")
  })

  it("a name stays on one line and in its code span", () => {
    assert.strictEqual(inline("a\nb\t c\r\n# d", 100), "a b c # d")
    assert.strictEqual(inline("x".repeat(20), 5), "xxxxx...")
    assert.strictEqual(code("a`b"), "`` a`b ``")
  })

  it.effect.prop(
    "a cut never divides a character, as text or as bytes",
    [Schema.Array(Schema.Literals(["a", "é", "à", "中", "\u{1F600}", " ", "\n"])), Schema.Literals([1, 2, 3, 5, 8])],
    ([parts, limit]) =>
      Effect.sync(() => {
        const text = parts.join("")
        for (const cut of [shorten, inline]) {
          const asBytes = ByteString.toText(cut(ByteString.fromText(text), limit))
          assert.notInclude(asBytes, "\uFFFD")
          assert.isTrue(cut(text, limit).isWellFormed())
        }
        assert.strictEqual(ByteString.toText(withoutBlankEnds(ByteString.fromText(text))), withoutBlankEnds(text))
      })
  )

  it.effect.prop("JSON is read as bytes only if that gives the same text", [Schema.String], ([text]) =>
    Effect.sync(() => {
      const escaped = JSON.stringify(text).replace(
        /[^\0-~]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
      )
      for (const json of [JSON.stringify(text), escaped]) {
        const line = ByteString.fromText(json)
        if (!ByteString.parsesToBytes(line)) continue
        const parsed: unknown = JSON.parse(line)
        assert.strictEqual(ByteString.toText(String(parsed)), text.toWellFormed())
      }
      // A backslash of the text itself before a "u" may be taken for an escape: slower, never wrong.
      if (!/[^\0-~]|\\u/.test(text)) assert.isTrue(ByteString.parsesToBytes(escaped))
    })
  )
})
