import { Option, Predicate } from "effect"
import { isJson } from "../lines/JsonRecord.ts"
import { hookProgram } from "./HookCommand.ts"

/** Returns whether the `hooks` of a settings file have any for one of these events that is not souffleur's own. */
export const hasForeignHook = (hooks: unknown, events: ReadonlyArray<string>): boolean =>
  isJson(hooks) &&
  events
    .flatMap((event) => hooks[event] ?? [])
    .some((entry) => {
      const each = isJson(entry) && Array.isArray(entry["hooks"]) ? entry["hooks"] : [entry]
      return each.some((hook: unknown) => {
        const command = isJson(hook) ? hook["command"] : undefined
        return !Predicate.isString(command) || Option.isNone(hookProgram(command))
      })
    })
