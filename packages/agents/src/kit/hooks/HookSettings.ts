import { getNodeValue, parse } from "jsonc-parser"
import { Option, Predicate, Result } from "effect"
import { isJson } from "../lines/JsonRecord.ts"
import { type SettingsNode, settingsTree, withElement, without } from "../settings/SettingsText.ts"
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
  readonly part: SettingsNode
}

const refused = (why: string): Result.Result<never, string> => Result.fail(why)
const isOurs = (hook: unknown): hook is { readonly command: string } =>
  Predicate.isObject(hook) &&
  "command" in hook &&
  Predicate.isString(hook.command) &&
  Option.isSome(hookProgram(hook.command))

const keyOf = ({ children }: SettingsNode): string => String(children![0]!.value)

/** Finds our hooks. `Err` says in a few words why the text is no settings. */
const places = (text: string, timeout?: number): Result.Result<ReadonlyArray<Place>, string> => {
  const root = settingsTree(text)
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
