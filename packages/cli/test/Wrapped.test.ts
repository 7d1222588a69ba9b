import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { textColumns } from "../src/explain/TextColumns.ts"
import { cut, wrapped, wrappedText } from "../src/Wrapped.ts"

describe("command-line#conventions", () => {
  it("a line is broken at its spaces for a terminal, and stays whole without one", () => {
    const text = "▸ 10:08:00 the agent died: its process is gone (death 1 of 3 without progress)"
    assert.deepStrictEqual(wrapped(text, undefined), [text])
    assert.deepStrictEqual(wrapped(text, text.length), [text])
    assert.deepStrictEqual(wrapped(text, 40, 11), [
      "▸ 10:08:00 the agent died: its process",
      "           is gone (death 1 of 3 without",
      "           progress)"
    ])
    assert.deepStrictEqual(wrapped("a".repeat(45), 20, 2), [
      "a".repeat(20),
      `  ${"a".repeat(18)}`,
      `  ${"a".repeat(7)}`
    ])
    assert.deepStrictEqual(wrapped(text, 3), [text])
    assert.deepStrictEqual(wrapped("歌".repeat(15), 20), ["歌".repeat(10), "歌".repeat(5)])
  })

  it("a row continues in its second column, and a sentence below its first word", () => {
    const rows = "COMMANDS\n  run -- X    Start a command and watch it\n  This is no row of two."
    assert.strictEqual(
      wrappedText(rows, 30),
      "COMMANDS\n  run -- X    Start a command\n              and watch it\n  This is no row of two."
    )
    assert.strictEqual(wrappedText(rows, undefined), rows)
    const wide = `  --log-level <all|trace|debug>    Sets the least level of the log`
    assert.strictEqual(
      wrappedText(wide, 50),
      `  --log-level <all|trace|debug>\n${" ".repeat(24)}Sets the least level of\n${" ".repeat(24)}the log`
    )
  })

  it("a line is cut for a terminal, and stays whole without one", () => {
    assert.deepStrictEqual([cut("abcdef", 4), cut("abcd", 4), cut("abcdef", undefined)], ["abc…", "abcd", "abcdef"])
  })
  it.prop(
    "a broken line is no wider than its terminal, and loses no word",
    [Schema.Array(Schema.String), Schema.Literals([20, 40, 80]), Schema.Literals([0, 11, 60])],
    ([words, columns, indent]) => {
      const lines = wrapped(words.join(" "), columns, indent)
      for (const line of lines) assert.isAtMost(textColumns(line), columns)
      const letters = (text: string) => text.replaceAll(/\s/gu, "")
      assert.strictEqual(letters(lines.join("")), letters(words.join("")))
    }
  )
})
