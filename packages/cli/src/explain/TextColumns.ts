/** Characters that a terminal draws in no column of their own. */
const joined = /^[\p{M}\p{Cf}]$/u

/** Characters that a terminal draws in two columns: East Asian ones (Unicode, UAX #11), and emoji. */
const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]$/u

const ascii = /^[\u0020-\u007E]*$/u

const columnsOf = (character: string): number => (joined.test(character) ? 0 : wide.test(character) ? 2 : 1)

/** Returns the columns of a terminal that a plain text takes. */
export const textColumns = (text: string): number =>
  ascii.test(text) ? text.length : [...text].reduce((sum, one) => sum + columnsOf(one), 0)

/** Returns how many UTF-16 units of a plain text so many columns hold. No character is cut. */
export const unitsWithin = (text: string, columns: number): number => {
  // The text behind them is not looked at.
  if (ascii.test(text.slice(0, columns + 1))) return Math.min(text.length, columns)
  let [units, used] = [0, 0]
  for (const character of text) {
    used += columnsOf(character)
    if (used > columns) break
    units += character.length
  }
  return units
}
