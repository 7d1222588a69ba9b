import { assert, describe, it } from "@effect/vitest"
import { textColumns, unitsWithin } from "../src/explain/TextColumns.ts"

describe("command-line#top", () => {
  it("a text is measured in the columns that a terminal draws it in", () => {
    for (const [text, columns] of [
      ["opera", 5],
      ["歌劇", 4],
      ["한글", 4],
      ["e\u0301", 1],
      ["🎭", 2],
      ["▸ ↻ ■", 5],
      ["", 0]
    ] as const)
      assert.strictEqual(textColumns(text), columns, text)
  })
  it("a cut text holds whole characters alone", () => {
    assert.deepStrictEqual(
      [3, 4, 2, 0].map((columns) => "歌劇🎭".slice(0, unitsWithin("歌劇🎭", columns))),
      ["歌", "歌劇", "歌", ""]
    )
    assert.strictEqual(unitsWithin("abc", 2), 2)
  })
})
