import { Predicate } from "effect"
import { isJson } from "../../kit/lines/JsonRecord.ts"

/** A permission rule in a settings file. */
export interface PermissionRule {
  /** As it is written, such as `Bash(git commit:*)`. */
  readonly rule: string
  readonly file: string
}

/** The rules of a settings file, by what they lead to. Claude Code adds those of all files. */
export interface PermissionRules {
  readonly allow: ReadonlyArray<PermissionRule>
  readonly ask: ReadonlyArray<PermissionRule>
  readonly deny: ReadonlyArray<PermissionRule>
}

/** Returns the rules of a settings file. The agent skips what is no text, and any list that is none. */
export const rulesIn = (settings: unknown, file: string): PermissionRules => {
  const permissions = isJson(settings) ? settings["permissions"] : undefined
  const listed = (name: keyof PermissionRules) => {
    const list = isJson(permissions) ? permissions[name] : undefined
    return Array.isArray(list) ? list.filter(Predicate.isString).map((rule) => ({ rule, file })) : []
  }
  return { allow: listed("allow"), ask: listed("ask"), deny: listed("deny") }
}

/**
 * Returns whether a rule is about a command of the shell (spec: claude-code#permissions). `Bash(git:*)` is about `git`
 * and whatever begins with that word. Elsewhere a `*` stands for any text.
 */
export const isAbout = (rule: string, command: string): boolean => {
  if (rule === "Bash") return true
  const pattern = /^Bash\((.+)\)$/su.exec(rule)?.[1]
  if (pattern === undefined) return false
  if (pattern.endsWith(":*")) return `${command} `.startsWith(`${pattern.slice(0, -2)} `)
  const [first = "", ...parts] = pattern.split("*")
  const last = parts.pop()
  if (last === undefined) return command === first
  if (!command.startsWith(first)) return false
  // Each part is taken where it comes first. A pattern with many stars would try every place for each of them.
  let at = first.length
  for (const part of parts) {
    const found = command.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return command.length - last.length >= at && command.endsWith(last)
}

/** What the rules say of a command. `None`: no rule is about it, so the agent asks a person. */
export type RuleWord =
  | { readonly _tag: "Allow" | "Ask" | "Deny"; readonly rule: PermissionRule }
  | { readonly _tag: "None" }

/** Returns what the rules say of a command. A denial outranks a question, and a question outranks an allowance. */
export const ruleWordOf = ({ allow, ask, deny }: PermissionRules, command: string): RuleWord => {
  for (const [_tag, rules] of [
    ["Deny", deny],
    ["Ask", ask],
    ["Allow", allow]
  ] as const) {
    const rule = rules.find((one) => isAbout(one.rule, command))
    if (rule !== undefined) return { _tag, rule }
  }
  return { _tag: "None" }
}
