import { assert, describe, it } from "@effect/vitest"
import { bare, makeTerminalText } from "@souffleur/domain"
import { Schema } from "effect"

const escape = "\u001B"
const obeyed = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u

const signs = [
  "a",
  "\n",
  "\r",
  "\t",
  escape,
  "[",
  "]",
  "m",
  "2",
  ";",
  "J",
  "\u0007",
  "\u009B",
  "\u0090",
  "\\",
  "\0"
] as const

describe("behaviour#output-on-a-terminal", () => {
  describe("the text of an output of others", () => {
    it("sequences that move the cursor, clear the screen or set a title are left out, and colours stay", () => {
      const hostile = `a${escape}[2J${escape}[1;1H${escape}]0;title\u0007${escape}Pdevice${escape}\\${escape}c${escape}(0\u009B2K${escape}[?1049hb`
      const coloured = `${escape}[1;31mred${escape}[0m`
      assert.strictEqual(makeTerminalText(true)(`${hostile}${coloured}`), `ab${coloured}`)
      assert.strictEqual(bare(`${hostile}${coloured}`), "abred")
    })

    it("a colour conceals nothing that follows, and one of many parts keeps its 8", () => {
      const shown = (parameters: string) => makeTerminalText(true)(`${escape}[${parameters}m`)
      for (const hidden of ["8", "08", "8:1", "38", "38;5", "38;8", "48;2;8;8"]) assert.strictEqual(shown(hidden), "")
      for (const [given, kept] of [
        ["1;8", "1"],
        ["8;31", "31"],
        ["38;5;8;8;4", "38;5;8;4"],
        ["48;2;8;8;8", "48;2;8;8;8"],
        ["38:5:8", "38:5:8"],
        ["", ""],
        ["0", "0"],
        ["28", "28"]
      ] as const)
        assert.strictEqual(shown(given), `${escape}[${kept}m`)
    })

    it("a sequence in pieces is one sequence", () => {
      const whole = `a${escape}[31mb${escape}]0;title${escape}\\c\r\nd\n`
      const shown = makeTerminalText(true)
      assert.strictEqual([...whole].map((piece) => shown(piece)).join(""), `a${escape}[31mbc\nd\n`)
    })

    it("a sequence without an end hides no more than its line, and is shown when it grows too long", () => {
      const shown = makeTerminalText(false)
      assert.strictEqual(shown(`a${escape}]0;never\nb\n`), "a\\u001b]0;never\nb\n")
      assert.strictEqual(shown(`${escape}]0;x`), "")
      const long = "x".repeat(5000)
      assert.strictEqual(shown(long), `\\u001b]0;x${long}`)
    })

    it("a sequence too long for a terminal is shown, in one piece as in several", () => {
      // Work that grows with the square of the length would take minutes.
      const long = `${escape}[${"1;".repeat(500_000)}m`
      assert.strictEqual(makeTerminalText(true)(long), long.replace(escape, "\\u001b"))
    })

    it("a control that a terminal shows nothing of is left out, such as the shift that ends a colour in tmux", () => {
      assert.strictEqual(bare(`${escape}[7mtop${escape}[m\u000F \u000Eup\u0007\0`), "top up")
    })

    it("a carriage return begins a line, and other controls are shown as signs", () => {
      assert.strictEqual(bare("a\r\r\n\u0000\r\b\bz"), "a\n\n\n\\u0008\\u0008z")
      assert.strictEqual(bare("10%\r20%\r\nend\b\u202E\0\tx\n"), "10%\n20%\nend\\u0008\\u202e\tx\n")
    })
  })

  it.prop(
    "whatever the pieces of an output, a terminal obeys nothing but breaks and tabs",
    [Schema.Array(Schema.Array(Schema.Literals(signs)))],
    ([pieces]) => {
      const shown = makeTerminalText(false)
      const text = pieces.map((piece) => shown(piece.join(""))).join("")
      assert.notMatch(text.replaceAll(/[\n\t]/gu, ""), obeyed)
    }
  )
})
