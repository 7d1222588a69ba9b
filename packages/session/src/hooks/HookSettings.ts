import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  parse,
  type ParseError,
  parseTree,
  visit
} from "jsonc-parser"
import { Option, Predicate, Result } from "effect"
import { isJson } from "../lines/JsonRecord.ts"
import { hookProgram } from "./HookCommand.ts"

/** The form of souffleur's hooks in the settings of an agent. */
export interface HookForm {
  /** The agent's names of the events that souffleur asks for. */
  readonly events: ReadonlyArray<string>
  /** The time after which the agent continues without the hook, in the agent's own unit. */
  readonly timeout: number
  /** The setting by which the agent runs no hook at all: its keys from the root, and its value. */
  readonly off?: { readonly keys: ReadonlyArray<string>; readonly value: boolean }
}

/** One of our hooks in a text of settings, and the part to remove with it: nothing empty is left. */
interface Place {
  readonly event: string
  readonly command: string
  readonly whole: boolean
  readonly part: Node
}

const refused = (why: string): Result.Result<never, string> => Result.fail(why)
const isOurs = (hook: unknown): hook is { readonly command: string } =>
  Predicate.isObject(hook) &&
  "command" in hook &&
  Predicate.isString(hook.command) &&
  Option.isSome(hookProgram(hook.command))

/** What is nested deeper could end the stack of a function that walks through it. */
const deepest = 200

/** Reads a text of settings. `undefined`: it is no JSON with comments, or nested too deep. */
const read = (text: string): Node | undefined => {
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
const keyOf = ({ children }: Node): string => children![0]!.value

/** Finds our hooks. `Err` says in a few words why the text is no settings. */
const places = (text: string, timeout?: number): Result.Result<ReadonlyArray<Place>, string> => {
  const root = read(text)
  if (root === undefined) return refused("is not JSON: mend it, and try again")
  if (root.type !== "object") return refused("holds no JSON object")
  const [hooks, again] = root.children!.filter((one) => keyOf(one) === "hooks")
  if (again !== undefined) return refused('has "hooks" twice')
  if (hooks === undefined) return Result.succeed([])
  const events = hooks.children![1]!
  if (events.type !== "object") return refused('has "hooks" that is no object')
  const found: Array<Place> = []
  for (const event of events.children!) {
    const [key, groups] = [keyOf(event), event.children![1]!]
    if (groups.type !== "array") return refused(`has "hooks" with ${JSON.stringify(key)} that is no list`)
    if (events.children!.find((one) => keyOf(one) === key) !== event) return refused(`has ${JSON.stringify(key)} twice`)
    for (const group of groups.children!) {
      const list = group.type === "object" ? group.children!.findLast((one) => keyOf(one) === "hooks") : undefined
      if (list?.children![1]!.type !== "array") continue
      for (const one of list.children![1]!.children!) {
        const hook: unknown = getNodeValue(one)
        if (!isOurs(hook)) continue
        const { command } = hook
        const whole = JSON.stringify(hook) === JSON.stringify({ type: "command", command, timeout })
        const part = [one, group, event].find(({ parent }) => parent!.children!.length > 1) ?? hooks
        found.push({ event: key, command, whole, part })
      }
    }
  }
  return Result.succeed(found)
}

/** Returns the setting that switches every hook off; `null`: there is none. The text is sound settings. */
export const switchedOff = ({ off }: HookForm, text: string): string | null => {
  if (off === undefined) return null
  const found = off.keys.reduce<unknown>((value, key) => (isJson(value) ? value[key] : undefined), parse(text))
  return found === off.value ? `"${off.keys.join(".")}": ${off.value}` : null
}

// jsonc-parser reads, and its `modify` cannot write: it formats the user's own lines. Asked to remove the last
// element of `[1,2]`, it leaves `[12]`.

const endOf = ({ length, offset }: Node): number => offset + length

/** Returns the comments of a gap between two parts, without its comma. Nothing is left of spaces alone. */
const commentsIn = (gap: string): string => {
  const scanner = createScanner(gap, true)
  scanner.scan()
  const comma = scanner.getTokenOffset()
  const rest = gap.slice(0, comma) + gap.slice(comma + 1)
  return rest.trim() === "" ? "" : rest
}

/** Removes one member of an object, or one element of an array. All else stays as it is written, with its comments. */
const without = (text: string, part: Node): string => {
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
const withElement = (text: string, keys: ReadonlyArray<string>, element: unknown): string => {
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

/** Our hooks in a text of settings. */
export interface HooksFound {
  readonly events: ReadonlyArray<string>
  /** Commands as they were written, each once. */
  readonly commands: ReadonlyArray<string>
  /** True if every event has one hook, and all of them are the same and as installed. */
  readonly complete: boolean
}

/** Finds souffleur's hooks in the text of a settings file. Fails with a sentence where the text is no such file. */
export const hooksFound = (form: HookForm, text: string): Result.Result<HooksFound, string> =>
  Result.map(places(text, form.timeout), (found) => {
    const [events, commands] = [
      [...new Set(found.map(({ event }) => event))],
      [...new Set(found.map(({ command }) => command))]
    ]
    const each = found.length === form.events.length && form.events.every((event) => events.includes(event))
    return { events, commands, complete: each && commands.length === 1 && found.every(({ whole }) => whole) }
  })

/** Returns the settings without our hooks. Everything else stays as it was written. */
export const withoutHooks = (text: string): Result.Result<string, string> =>
  Result.gen(function* () {
    let rest = text
    for (;;) {
      const [first] = yield* places(rest)
      if (first === undefined) return rest
      rest = without(rest, first.part)
    }
  })

/** Returns the settings with this command for every event, beside the hooks of others. */
export const withHooks = (form: HookForm, text: string, command: string): Result.Result<string, string> =>
  Result.map(withoutHooks(text), (bare) => {
    const group = { hooks: [{ type: "command", command, timeout: form.timeout }] }
    return form.events.reduce<string>((settings, event) => withElement(settings, ["hooks", event], group), bare)
  })
