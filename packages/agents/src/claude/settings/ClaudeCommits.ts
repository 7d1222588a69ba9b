import {
  type AgentCommits,
  AgentSettingsUnusable,
  type CommitPlace,
  type RuleProblem,
  type RulesSaid
} from "@souffleur/process"
import { Effect, FileSystem, Option, Path } from "effect"
import { hasForeignHook } from "../../kit/hooks/ForeignHook.ts"
import { isJson } from "../../kit/lines/JsonRecord.ts"
import { makeSettingsFolder, readSettingsFile, writeSettingsFile } from "../../kit/settings/SettingsFile.ts"
import { settingsTree, withElement } from "../../kit/settings/SettingsText.ts"
import { isClaude } from "../command/ClaudeLiteral.ts"
import { jsonAt, localSettings, managedFolder } from "./SettingsJson.ts"
import { type PermissionRules, rulesIn, ruleWordOf } from "./PermissionRule.ts"

/** What an implementer types to commit, and the rule that allows it. */
const needed = [
  { command: "git add a.txt", rule: "Bash(git add:*)" },
  { command: "git commit -m text", rule: "Bash(git commit:*)" }
] as const

/** Arguments with which other rules count than those in the files. */
const deciding = /^--(?:bare|disallowed-?tools|setting-sources|settings)(?:=|$)/iu

/** Commands that the agent runs without any rule, by its own judgement. */
const harmless = /^(?:cat|echo|grep|head|ls|pwd|tail|true|wc|which|git (?:diff|log|show|status))(?: |$)/u

/** Bytes of the agent's own notes on its projects at most. They hold the history of prompts. */
const maxNotes = 50_000_000

/** Returns the root of the folder's git repository, which for a linked work tree is the main one; else the folder. */
const rootFor = Effect.fnUntraced(function* (project: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (let folder = project; ; folder = path.dirname(folder)) {
    const git = path.join(folder, ".git")
    if (yield* Effect.orElseSucceed(fs.exists(git), () => false)) {
      const text = yield* Effect.orElseSucceed(fs.readFileString(git), () => "")
      return /^gitdir: (.+)\/\.git\/worktrees\/[^/]+\s*$/u.exec(text)?.[1] ?? folder
    }
    if (folder === path.dirname(folder)) return project
  }
})

/** Returns whether a person trusted the folder in the agent. Until then no rule of the project allows anything. */
const isTrusted = Effect.fnUntraced(function* (root: string, { variables }: Pick<CommitPlace, "variables">) {
  const path = yield* Path.Path
  const folder = variables["CLAUDE_CONFIG_DIR"] || variables["HOME"] || "/"
  const { projects } = yield* jsonAt(path.join(folder, ".claude.json"), maxNotes)
  const noted = isJson(projects) ? projects[root] : undefined
  return isJson(noted) && noted["hasTrustDialogAccepted"] === true
})

const joined = (all: ReadonlyArray<PermissionRules>): PermissionRules => ({
  allow: all.flatMap(({ allow }) => allow),
  ask: all.flatMap(({ ask }) => ask),
  deny: all.flatMap(({ deny }) => deny)
})

/** Reads every settings file that counts in a project. */
const settingsIn = Effect.fnUntraced(function* (
  { agentDir, project }: Pick<CommitPlace, "agentDir" | "project">,
  root: string,
  managed: string
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const more = path.join(managed, "managed-settings.d")
  const names = yield* Effect.orElseSucceed(fs.readDirectory(more), (): ReadonlyArray<string> => [])
  const at = Effect.fnUntraced(function* (file: string) {
    const json = yield* jsonAt(file)
    return { json, rules: rulesIn(json, file) }
  })
  const locals = new Set([project, root].map((folder) => path.join(folder, ...localSettings)))
  return {
    managed: yield* Effect.forEach(
      [path.join(managed, "managed-settings.json"), ...names.toSorted().map((name) => path.join(more, name))],
      at
    ),
    project: yield* at(path.join(project, ".claude", "settings.json")),
    own: yield* Effect.forEach([path.join(agentDir, "settings.json"), ...locals], at)
  }
})

/** Words that mean the same to a shell, to the agent and in a rule. */
const literal = /^[\w@%+=:,./-]+(?: [\w@%+=:,./-]+)*$/u

/** Says what Claude Code in print mode may run (spec: claude-code#permissions). */
export const rulesSaid = Effect.fn("rulesSaid")(function* (
  place: CommitPlace,
  programs: ReadonlyArray<string> = [],
  managedAt = managedFolder
): Effect.fn.Return<
  RulesSaid,
  never,
  Effect.Services<ReturnType<typeof settingsIn>> | Effect.Services<ReturnType<typeof isTrusted>>
> {
  const path = yield* Path.Path
  const free = { commit: null, programs: null }
  if (!place.words.some(isClaude)) return { ...free, unless: "it is no program that souffleur knows" }
  const decides = place.words.find((word) => deciding.test(word))
  if (decides !== undefined) return { ...free, unless: `${decides.split("=")[0]} of its command decides` }
  const root = yield* rootFor(place.project)
  const { managed, own, project } = yield* settingsIn(place, root, managedAt)
  const everywhere = [...managed, ...own, project]
  const sandboxed = everywhere.some(({ json: { sandbox } }) => isJson(sandbox) && sandbox["enabled"] === true)
  if (sandboxed) return { ...free, unless: "in its sandbox the agent may run what no rule allows" }
  const alone = managed.some(({ json }) => json["allowManagedPermissionRulesOnly"] === true)
  const trusted = yield* isTrusted(root, place)
  const idle = trusted ? [] : project.rules.allow
  const rules = joined([
    ...managed.map(({ rules }) => rules),
    ...(alone ? [] : [...own.map(({ rules }) => rules), { ...project.rules, ...(trusted ? {} : { allow: [] }) }])
  ])
  const bypasses =
    place.permission === "bypassPermissions" &&
    !managed.some(
      ({ json: { permissions } }) => isJson(permissions) && permissions["disableBypassPermissionsMode"] === "disable"
    )
  const takes = (rules: ReadonlyArray<string>) =>
    `${path.join(place.project, ...localSettings)} takes {"permissions":{"allow":${JSON.stringify(rules)}}}`
  const commit = (): RuleProblem | null => {
    const said = needed.map(({ command, rule }) => ({ rule, word: ruleWordOf(rules, command) }))
    for (const { word } of said) {
      if (word._tag !== "Ask" && word._tag !== "Deny") continue
      const { file, rule } = word.rule
      return {
        detail: `Claude Code ${word._tag === "Deny" ? "refuses to commit" : "asks before it commits, and no person can answer"}, by the rule ${rule} of ${file}`,
        todo: "take that rule out, or narrow it",
        rules: []
      }
    }
    const missing = said.filter(({ word }) => word._tag === "None").map(({ rule }) => rule)
    if (missing.length === 0 || bypasses) return null
    if (
      !alone &&
      needed.every(
        ({ command }) => ruleWordOf(joined([rules, { ...project.rules, allow: idle }]), command)._tag === "Allow"
      )
    )
      return {
        detail: `the rules of ${path.join(place.project, ".claude", "settings.json")} allow no commit, because nobody has trusted ${root} in Claude Code`,
        todo: `type claude in ${root} once, and trust it there`,
        rules: missing
      }
    return {
      detail: "no rule lets Claude Code commit without a question, and no person can answer one",
      todo: alone
        ? `managed settings take no rule of yours: ask your administrator for ${missing.join(" and ")}`
        : `${takes(missing)}, and the same for what runs the tests`,
      rules: alone ? [] : missing
    }
  }
  const gate = (): RuleProblem | null => {
    const said = programs.map((line) => ({ line, word: ruleWordOf(rules, line) }))
    for (const { line, word } of said)
      if (word._tag === "Ask" || word._tag === "Deny")
        return {
          detail: `Claude Code may not run ${line}, by the rule ${word.rule.rule} of ${word.rule.file}`,
          todo: "take that rule out, or narrow it",
          rules: []
        }
    const missing = said.flatMap(({ line, word }) => (word._tag === "None" && !harmless.test(line) ? [line] : []))
    if (missing.length === 0 || bypasses) return null
    const lines = missing.filter((line) => literal.test(line))
    const detail = `no rule lets Claude Code run ${missing.join(", ")} without a question, and no person can answer one`
    if (alone || lines.length === 0) return { detail, todo: "write a rule for that by hand", rules: [] }
    const allowed = lines.map((line) => `Bash(${line}:*)`)
    return { detail, todo: takes(allowed), rules: allowed }
  }
  return {
    commit: commit(),
    programs: gate(),
    ...(everywhere.some(({ json: { hooks } }) => hasForeignHook(hooks, ["PreToolUse", "PermissionRequest"]))
      ? { unless: "a hook of its own may decide otherwise" }
      : {})
  }
})

/** Returns whether settings name a key, a program that prints one, or another service than Anthropic's. */
const ownKey = Effect.fn("ownKey")(function* (place: Pick<CommitPlace, "agentDir" | "project">) {
  const { managed, own, project } = yield* settingsIn(place, yield* rootFor(place.project), managedFolder)
  return [...managed, ...own, project].some(
    ({ json: { apiKeyHelper, env } }) =>
      apiKeyHelper !== undefined ||
      (isJson(env) && Object.keys(env).some((name) => /^(?:ANTHROPIC_|CLAUDE_CODE_(?:OAUTH|USE)_)/u.test(name)))
  )
})

/** Drafts the user's own settings of a project with more rules. */
const allowRules = Effect.fn("allowRules")(function* (
  project: string,
  rules: ReadonlyArray<string> = needed.map(({ rule }) => rule)
) {
  const paths = yield* Path.Path
  const path = paths.join(project, ...localSettings)
  const file = Option.getOrUndefined(yield* readSettingsFile(path))
  const before = file?.text ?? "{}\n"
  const unusable = (problem: string) => new AgentSettingsUnusable({ path, problem })
  const json: unknown = yield* Effect.try({
    // The agent reads no comments here.
    try: () => (settingsTree(before) === undefined ? undefined : JSON.parse(before)),
    catch: () => unusable("is not JSON: mend it, and try again")
  })
  const permissions = isJson(json) ? (json["permissions"] ?? {}) : undefined
  const allowed = isJson(permissions) ? (permissions["allow"] ?? []) : undefined
  if (!Array.isArray(allowed)) return yield* unusable("has no list of rules where one belongs: mend it, and try again")
  const missing = rules.filter((rule) => !allowed.includes(rule))
  const after = missing.reduce((now, rule) => withElement(now, ["permissions", "allow"], rule), before)
  const write = Effect.gen(function* () {
    if (missing.length === 0) return
    if (file === undefined) yield* makeSettingsFolder(path)
    yield* writeSettingsFile(path, after, file)
  })
  return { path, before: file?.text ?? "", after, write }
})

/** Claude Code's own rules about commits. */
export const claudeCommits: AgentCommits = {
  ownKey: (place) => ownKey(place),
  judge: (place, programs) => rulesSaid(place, programs),
  allow: allowRules
}
