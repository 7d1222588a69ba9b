/**
 * Returns a text of settings with spaces in place of its comments, so that each place in it stays. Gemini CLI and Qwen
 * Code read such settings.
 */
export const withoutComments = (text: string): string =>
  text.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|\/\/[^\n\r]*|\/\*.*?\*\//gs, (found) =>
    found.startsWith('"') ? found : found.replaceAll(/[^\n\r]/g, " ")
  )

/** Position of an object's member, or of an array's element, in a text. */
export interface JsonPart {
  /** `undefined` in an array. */
  readonly key: string | undefined
  /** Index at which the whole member begins, with its key. */
  readonly start: number
  readonly value: number
  readonly end: number
}

/** The members of a JSON object, or the elements of an array, by their places in the text. */
export interface JsonParts {
  readonly parts: ReadonlyArray<JsonPart>
  /** Index of the closing bracket. */
  readonly close: number
}

const skip = (text: string, at: number): number => {
  let next = at
  while (next < text.length && " \t\n\r".includes(text[next]!)) next += 1
  return next
}

/** Returns the index behind the value that begins at `start`. */
const endOf = (text: string, start: number): number => {
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|[^\s",:[\]{}]+/gs
  token.lastIndex = start
  for (let depth = 0; ;) {
    const [found = ""] = token.exec(text) ?? []
    if (found === "{" || found === "[") depth += 1
    if (found === "}" || found === "]") depth -= 1
    if (depth === 0) return token.lastIndex
  }
}

/** Finds the parts of the object or array that begins at `at`. The text must be valid JSON, without comments. */
export const partsAt = (text: string, at: number): JsonParts => {
  const parts: Array<JsonPart> = []
  let next = skip(text, at + 1)
  while (text[next] !== "]" && text[next] !== "}") {
    const start = next
    const colon = text[at] === "{" ? skip(text, endOf(text, start)) : undefined
    const key = colon === undefined ? undefined : String(JSON.parse(text.slice(start, endOf(text, start))))
    const value = colon === undefined ? start : skip(text, colon + 1)
    const end = endOf(text, value)
    parts.push({ key, start, value, end })
    next = skip(text, end)
    if (text[next] === ",") next = skip(text, next + 1)
  }
  return { parts, close: next }
}

/** Returns the index at which the root value begins. The text has no comments. */
export const rootOf = (text: string): number => skip(text, 0)

/** Removes one part of the object or array at `at`. The other parts stay as they are written. */
export const without = (text: string, at: number, index: number): string => {
  const { close, parts } = partsAt(withoutComments(text), at)
  const [before, part, after] = [parts[index - 1], parts[index]!, parts[index + 1]]
  if (before !== undefined) return text.slice(0, before.end) + text.slice(part.end)
  return after === undefined
    ? text.slice(0, at + 1) + text.slice(close)
    : text.slice(0, part.start) + text.slice(after.start)
}

/** A part to add to an object, or to an array, which has no `key`. */
interface Part {
  readonly key?: string
  readonly value: unknown
}

/** Adds a part at the end of the object or array at `at`, in the style of the text. `depth` is the part's. */
export const withPart = (text: string, at: number, depth: number, { key, value }: Part): string => {
  const plain = withoutComments(text)
  const { close, parts } = partsAt(plain, at)
  // A text of one line stays one line. An empty object is filled with line breaks, for people.
  const flat = !text.trim().includes("\n") && partsAt(plain, rootOf(plain)).parts.length > 0
  const unit = flat ? "" : (/\n([ \t]+)\S/.exec(text)?.[1] ?? "  ")
  const newline = flat ? "" : text.includes("\r\n") ? "\r\n" : "\n"
  const [lead, tail] = [newline + unit.repeat(depth), newline + unit.repeat(depth - 1)]
  const body = JSON.stringify(value, null, unit).replaceAll("\n", lead)
  const part = key === undefined ? body : `${JSON.stringify(key)}:${flat ? "" : " "}${body}`
  const last = parts.at(-1)
  return last === undefined
    ? text.slice(0, at + 1) + lead + part + tail + text.slice(close)
    : `${text.slice(0, last.end)},${lead}${part}${text.slice(last.end)}`
}
