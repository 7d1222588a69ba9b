import { createScanner, findNodeAtLocation, type ParseError, parseTree, visit } from "jsonc-parser"

/** A part of a text of settings. The parser's own type would reach users, who do not have the parser. */
export interface SettingsNode {
  readonly type: "object" | "array" | "property" | "string" | "number" | "boolean" | "null"
  /** Of a string, a number or a boolean. */
  readonly value?: unknown
  readonly offset: number
  readonly length: number
  readonly parent?: SettingsNode
  readonly children?: Array<SettingsNode>
}

/** What is nested deeper could end the stack of a function that walks through it. */
const deepest = 200

/** Reads a text of settings. `undefined`: it is no JSON with comments, or nested too deep. */
export const settingsTree = (text: string): SettingsNode | undefined => {
  const errors: Array<ParseError> = []
  let [depth, most] = [0, 0]
  const begins = () => void (most = Math.max(most, ++depth))
  const ends = () => void depth--
  try {
    visit(text, { onObjectBegin: begins, onArrayBegin: begins, onObjectEnd: ends, onArrayEnd: ends })
    const root = parseTree(text, errors)
    return errors.length > 0 || most > deepest ? undefined : root
  } catch {
    return undefined
  }
}

// jsonc-parser reads, and its `modify` cannot write: it formats the user's own lines. Asked to remove the last
// element of `[1,2]`, it leaves `[12]`.

const endOf = ({ length, offset }: SettingsNode): number => offset + length

/** Returns the comments of a gap between two parts, without its comma. Nothing is left of spaces alone. */
const commentsIn = (gap: string): string => {
  const scanner = createScanner(gap, true)
  scanner.scan()
  const comma = scanner.getTokenOffset()
  const rest = gap.slice(0, comma) + gap.slice(comma + 1)
  return rest.trim() === "" ? "" : rest
}

/** Removes one member of an object, or one element of an array. All else stays as it is written, with its comments. */
export const without = (text: string, part: SettingsNode): string => {
  const { children = [], length, offset } = part.parent!
  const at = children.indexOf(part)
  const [before, after, close] = [children[at - 1], children[at + 1], offset + length - 1]
  if (before === undefined && after !== undefined)
    return (
      text.slice(0, part.offset) +
      commentsIn(text.slice(endOf(part), after.offset)).trimStart() +
      text.slice(after.offset)
    )
  const start = before === undefined ? offset + 1 : endOf(before)
  const [head, rest] = [commentsIn(text.slice(start, part.offset)), text.slice(endOf(part))]
  if (before === undefined && head === "" && commentsIn(text.slice(endOf(part), close)) === "")
    return text.slice(0, start) + text.slice(close)
  return text.slice(0, start) + (/^[ \t]*\r?\n/u.test(rest) ? head.trimEnd() : head) + rest
}

/** Adds an element to the list at these keys, in the style of the text. It makes what is missing on the way. */
export const withElement = (text: string, keys: ReadonlyArray<string>, element: unknown): string => {
  const root = parseTree(text)!
  let depth = keys.length
  while (findNodeAtLocation(root, keys.slice(0, depth)) === undefined) depth -= 1
  const parent = findNodeAtLocation(root, keys.slice(0, depth))!
  const [key, ...inner] = keys.slice(depth)
  const value = inner.reduceRight<unknown>((made, one) => ({ [one]: made }), key === undefined ? element : [element])
  // A text of one line stays one line. An empty object is filled with line breaks, for people.
  const flat = !text.trim().includes("\n") && root.children!.length > 0
  const unit = flat ? "" : (/\n([ \t]+)\S/u.exec(text)?.[1] ?? "  ")
  const newline = flat ? "" : text.includes("\r\n") ? "\r\n" : "\n"
  const lead = newline + unit.repeat(depth + 1)
  const body = JSON.stringify(value, null, unit).replaceAll("\n", lead)
  const part = lead + (key === undefined ? body : `${JSON.stringify(key)}:${flat ? "" : " "}${body}`)
  const last = parent.children!.at(-1)
  if (last !== undefined) return `${text.slice(0, endOf(last))},${part}${text.slice(endOf(last))}`
  const close = endOf(parent) - 1
  return text.slice(0, close).trimEnd() + part + newline + unit.repeat(depth) + text.slice(close)
}
