import { type AgentCommits, AgentSettingsUnusable, type CommitPlace, type CommitProblem } from "@souffleur/process"
import {
  isJson,
  makeSettingsFolder,
  readSettingsFile,
  settingsTree,
  withElement,
  writeSettingsFile
} from "@souffleur/session"
import { Effect, FileSystem, Option, Path } from "effect"
import { isClaude } from "../command/CommandFront.ts"
import { jsonAt, localSettings, managedFolder } from "./SettingsJson.ts"
import { type PermissionRules, rulesIn, ruleWordOf } from "./PermissionRule.ts"

/** What an implementer types to commit, and the rule that allows it. */
const needed = [
  { command: "git add a.txt", rule: "Bash(git add:*)" },
  { command: "git commit -m text", rule: "Bash(git commit:*)" }
] as const

/** Arguments with which other rules count than those in the files. */
const deciding = /^--(?:bare|disallowed-?tools|setting-sources|settings)(?:=|$)/iu

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
const settingsIn = Effect.fnUntraced(function* ({ agentDir, project }: CommitPlace, root: string, managed: string) {
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

/** Says what keeps Claude Code in print mode from `git add` and `git commit` (spec: claude-code#permissions). */
export const commitProblem = Effect.fn("commitProblem")(function* (
  place: CommitPlace,
  managedAt = managedFolder
): Effect.fn.Return<
  CommitProblem | null,
  never,
  Effect.Services<ReturnType<typeof settingsIn>> | Effect.Services<ReturnType<typeof isTrusted>>
> {
  const path = yield* Path.Path
  // Of another program nothing is known.
  if (!place.words.some(isClaude) || place.words.some((word) => deciding.test(word))) return null
  const root = yield* rootFor(place.project)
  const { managed, own, project } = yield* settingsIn(place, root, managedAt)
  const everywhere = [...managed, ...own, project]
  const sandboxed = everywhere.some(({ json: { sandbox } }) => isJson(sandbox) && sandbox["enabled"] === true)
  // In its sandbox the agent may run what no rule allows.
  if (sandboxed) return null
  const alone = managed.some(({ json }) => json["allowManagedPermissionRulesOnly"] === true)
  const trusted = yield* isTrusted(root, place)
  const idle = trusted ? [] : project.rules.allow
  const rules = joined([
    ...managed.map(({ rules }) => rules),
    ...(alone ? [] : [...own.map(({ rules }) => rules), { ...project.rules, ...(trusted ? {} : { allow: [] }) }])
  ])
  const free =
    place.permission === "bypassPermissions" &&
    !managed.some(
      ({ json: { permissions } }) => isJson(permissions) && permissions["disableBypassPermissionsMode"] === "disable"
    )
  const said = needed.map(({ command, rule }) => ({ rule, word: ruleWordOf(rules, command) }))
  for (const { word } of said) {
    if (word._tag !== "Ask" && word._tag !== "Deny") continue
    const { file, rule } = word.rule
    return {
      detail: `Claude Code ${word._tag === "Deny" ? "refuses to commit" : "asks before it commits, and no person can answer"}, by the rule ${rule} of ${file}`,
      todo: "take that rule out, or narrow it",
      mendable: false
    }
  }
  const missing = said.filter(({ word }) => word._tag === "None").map(({ rule }) => rule)
  if (missing.length === 0 || free) return null
  if (
    !alone &&
    needed.every(
      ({ command }) => ruleWordOf(joined([rules, { ...project.rules, allow: idle }]), command)._tag === "Allow"
    )
  )
    return {
      detail: `the rules of ${path.join(place.project, ".claude", "settings.json")} allow no commit, because nobody has trusted ${root} in Claude Code`,
      todo: `type claude in ${root} once, and trust it there`,
      mendable: true
    }
  return {
    detail: "no rule lets Claude Code commit without a question, and no person can answer one",
    todo: alone
      ? `managed settings take no rule of yours: ask your administrator for ${missing.join(" and ")}`
      : `${path.join(place.project, ...localSettings)} takes {"permissions":{"allow":${JSON.stringify(missing)}}}, and the same for what runs the tests`,
    mendable: !alone
  }
})

/** Adds the rules that commits need to the user's own settings of a project. */
const allowCommits = Effect.fn("allowCommits")(function* (project: string) {
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
  const missing = needed.map(({ rule }) => rule).filter((rule) => !allowed.includes(rule))
  const text = missing.reduce((now, rule) => withElement(now, ["permissions", "allow"], rule), before)
  if (missing.length === 0) return path
  if (file === undefined) yield* makeSettingsFolder(path)
  yield* writeSettingsFile(path, text, file)
  return path
})

/** Claude Code's own rules about commits. */
export const claudeCommits: AgentCommits = { problem: (place) => commitProblem(place), allow: allowCommits }
