import { Option, Predicate, Result } from "effect"
import { isJson } from "../lines/JsonRecord.ts"
import { hookProgram } from "./HookCommand.ts"
import { partsAt, rootOf, without, withoutComments, withPart } from "../settings/JsonText.ts"

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
  readonly at: number
  readonly index: number
}

const refused = (why: string): Result.Result<never, string> => Result.fail(why)
const isOurs = (hook: unknown): hook is { readonly command: string } =>
  Predicate.isObject(hook) &&
  "command" in hook &&
  Predicate.isString(hook.command) &&
  Option.isSome(hookProgram(hook.command))

/** Finds our hooks. `Err` says in a few words why the text is no settings. */
const places = (commented: string, timeout?: number): Result.Result<ReadonlyArray<Place>, string> => {
  const text = withoutComments(commented)
  try {
    JSON.parse(text)
  } catch {
    return refused("is not JSON: mend it, and try again")
  }
  const root = rootOf(text)
  if (text[root] !== "{") return refused("holds no JSON object")
  const top = partsAt(text, root).parts
  if (top.filter(({ key }) => key === "hooks").length > 1) return refused('has "hooks" twice')
  const inTop = top.findIndex(({ key }) => key === "hooks")
  const hooks = top[inTop]
  if (hooks === undefined) return Result.succeed([])
  if (text[hooks.value] !== "{") return refused('has "hooks" that is no object')
  const found: Array<Place> = []
  const events = partsAt(text, hooks.value).parts
  for (const [inHooks, event] of events.entries()) {
    if (text[event.value] !== "[") return refused(`has "hooks" with ${JSON.stringify(event.key)} that is no list`)
    if (events.findIndex(({ key }) => key === event.key) !== inHooks)
      return refused(`has ${JSON.stringify(event.key)} twice`)
    const groups = partsAt(text, event.value).parts
    for (const [inEvent, group] of groups.entries()) {
      const list =
        text[group.value] === "{" ? partsAt(text, group.value).parts.findLast(({ key }) => key === "hooks") : undefined
      if (list === undefined || text[list.value] !== "[") continue
      const commands = partsAt(text, list.value).parts
      for (const [inGroup, { end, value }] of commands.entries()) {
        const hook: unknown = JSON.parse(text.slice(value, end))
        if (!isOurs(hook)) continue
        const [at, index] =
          commands.length > 1
            ? [list.value, inGroup]
            : groups.length > 1
              ? [event.value, inEvent]
              : events.length > 1
                ? [hooks.value, inHooks]
                : [root, inTop]
        const { command } = hook
        const whole = JSON.stringify(hook) === JSON.stringify({ type: "command", command, timeout })
        found.push({ event: event.key ?? "", command, whole, at, index })
      }
    }
  }
  return Result.succeed(found)
}

/** Returns the setting that switches every hook off; `null`: there is none. The text is sound settings. */
export const switchedOff = ({ off }: HookForm, text: string): string | null => {
  if (off === undefined) return null
  const found = off.keys.reduce<unknown>(
    (value, key) => (isJson(value) ? value[key] : undefined),
    JSON.parse(withoutComments(text))
  )
  return found === off.value ? `"${off.keys.join(".")}": ${off.value}` : null
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
      rest = without(rest, first.at, first.index)
    }
  })

/** Returns the settings with this command for every event, beside the hooks of others. */
export const withHooks = (form: HookForm, text: string, command: string): Result.Result<string, string> =>
  Result.map(withoutHooks(text), (bare) => {
    const group = { hooks: [{ type: "command", command, timeout: form.timeout }] }
    return form.events.reduce((settings: string, event) => {
      const plain = withoutComments(settings)
      const root = rootOf(plain)
      const hooks = partsAt(plain, root).parts.find(({ key }) => key === "hooks")
      if (hooks === undefined) return withPart(settings, root, 1, { key: "hooks", value: { [event]: [group] } })
      const groups = partsAt(plain, hooks.value).parts.find(({ key }) => key === event)
      return groups === undefined
        ? withPart(settings, hooks.value, 2, { key: event, value: [group] })
        : withPart(settings, groups.value, 3, { value: group })
    }, bare)
  })
