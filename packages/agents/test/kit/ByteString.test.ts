import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ByteString from "../../src/kit/lines/ByteString.ts"

it.prop(
  "a byte string has as many characters as its text",
  [Schema.Array(Schema.Literals(["a", "é", "€", "🎉"]))],
  ([characters]) => {
    assert.strictEqual(ByteString.characterCount(ByteString.fromText(characters.join(""))), characters.length)
  }
)

it("each part of a byte string that is no UTF-8 counts as one character", () => {
  assert.strictEqual(ByteString.characterCount("a\xff\xe2\x82b"), 4)
})
