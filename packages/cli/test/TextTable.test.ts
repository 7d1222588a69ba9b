import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { table } from "../src/explain/TextTable.ts"
import { textColumns } from "../src/explain/TextColumns.ts"

describe("behaviour#output-on-a-terminal", () => {
  it("a table aligns its columns by what a terminal shows, and leaves empty ones out", () => {
    assert.deepStrictEqual(
      table(
        [
          ["歌劇", "", "9", "idle"],
          ["opera", "", "10", ""]
        ],
        { heads: ["WATCH", "AGENT", "REVISION", "STATE"], indent: "  " }
      ),
      ["  WATCH  REVISION  STATE", "  歌劇          9  idle", "  opera        10"]
    )
    assert.deepStrictEqual(table([]), [])
  })
  it("the last cell of a row widens no column", () => {
    assert.deepStrictEqual(
      table([
        ["a", "a long word"],
        ["bcd", "e", "f"]
      ]),
      ["a    a long word", "bcd  e  f"]
    )
    assert.deepStrictEqual(
      table([
        ["a", "9"],
        ["bcd", "10"]
      ]),
      ["a    9", "bcd  10"]
    )
  })
  it("a row that is too long is cut, or goes on below its last cell", () => {
    const row = ["ok", "node", "Node 26 runs it, and nothing is missing"]
    assert.deepStrictEqual(table([row], { columns: 30 }), ["ok  node  Node 26 runs it, an…"])
    assert.deepStrictEqual(table([row], { columns: 30, wraps: true }), [
      "ok  node  Node 26 runs it, and\n          nothing is missing"
    ])
    assert.deepStrictEqual(table([row]), [row.join("  ")])
  })
  it("a word of others breaks no row", () => {
    assert.deepStrictEqual(table([["a\nb", "\u001B[2J", "c"]]), ["a\\u000ab  \\u001b[2J  c"])
    const [line = ""] = table([["x".repeat(5000), "y".repeat(5000)]])
    assert.isBelow(line.length, 2300)
  })
  it.prop(
    "a table fits into any terminal, and each column begins at one place",
    [Schema.Array(Schema.Tuple([Schema.String, Schema.Literals(["歌劇", "👩‍🚀", "e\u0301", ""]), Schema.String]))],
    ([rows]) => {
      for (const columns of [20, 80])
        for (const wraps of [false, true])
          for (const line of table(rows, { columns, wraps }).flatMap((text) => text.split("\n")))
            assert.isAtMost(textColumns(line), columns)
      const ended = table(rows.map((row) => [...row.slice(0, 2), "|", "end"]))
      assert.isAtMost(new Set(ended.map((line) => textColumns(line.slice(0, line.lastIndexOf("|"))))).size, 1)
    }
  )
})
