import { assert, describe, it } from "@effect/vitest"
import { plain } from "@souffleur/domain"
import { Schema } from "effect"

const hostile = [
  "\u001B",
  "\u0007",
  "\u009B",
  "\u202E",
  "\u2066",
  "\u200F",
  "\u061C",
  "\u2028",
  "\u0085",
  "\u007F",
  "\r",
  "\n",
  "\t",
  "\0",
  "\uD800",
  "\uDC00"
]
const obeyed = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u

describe("behaviour#plain-words", () => {
  it("each character that a terminal would obey is shown, and other text stays as it is", () => {
    for (const character of hostile) {
      const code = character.charCodeAt(0).toString(16).padStart(4, "0")
      assert.strictEqual(plain(`a${character}b`), `a\\u${code}b`)
    }
    assert.strictEqual(plain("\u001B]0;mine\u0007\u009B2J"), "\\u001b]0;mine\\u0007\\u009b2J")
    for (const text of ["", "Grüße, 世界, \u{1F3AD}, naïve", "שלום", "a\\u001b"]) assert.strictEqual(plain(text), text)
  })

  it.prop("plain text holds nothing that a terminal obeys, and stays as it is", [Schema.String], ([text]) => {
    const found = plain(`${text}${hostile.join(text)}`)
    assert.notMatch(found, obeyed)
    assert.strictEqual(plain(found), found)
  })

  it.prop("JSON stays the same JSON", [Schema.String], ([text]) => {
    const value = { [`${text}\u009B`]: `${hostile.join(text)}` }
    assert.deepStrictEqual(JSON.parse(plain(JSON.stringify(value))), value)
  })

  it("a text that is too long is cut, never inside a character", () => {
    assert.strictEqual(plain("abc", 3), "abc")
    assert.strictEqual(plain("abcd", 3), "abc…")
    assert.strictEqual(plain("ab\u{1F3AD}d", 3), "ab…")
    assert.strictEqual(plain("\u001B".repeat(4), 2), "\\u001b\\u001b…")
  })
})
