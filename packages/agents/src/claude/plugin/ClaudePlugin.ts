import { freshHex } from "@souffleur/domain"
import { type AgentPlugin, AgentSettingsUnusable, type HookProgram, replaceDurably } from "@souffleur/process"
import { Effect, FileSystem, Option, Path } from "effect"
import { shellWords, wordsOfShell } from "../../kit/command/ShellWords.ts"
import { makeSettingsFolder, readSettingsFile } from "../../kit/settings/SettingsFile.ts"

const [typed, words] = ["/souffleur", "PID:<pid> SESSION_ID:<session id>"]

/** This line marks a file that souffleur may change and remove. */
const mark = '<!-- Written by "souffleur plugin install"; "souffleur plugin uninstall" removes it. -->'

/** By this file the folder is a plugin, which `claude plugin` lists and disables. */
const manifest = `${JSON.stringify({ name: "souffleur", description: "A watchdog that brings a dead or hung agent back with its conversation" }, null, 2)}\n`

/**
 * Makes the skill. The agent puts what was typed into a document of the shell that ends with a secret word, so no shell
 * reads it, and the rule allows that one command. The model is asked only once the agent is watched.
 */
const skill = (self: ReadonlyArray<string>, word: string): string => {
  const command = `${shellWords(self)} watch --detach -`
  return `---
name: souffleur
description: Starts souffleur, the watchdog of a Conductor
argument-hint: ${words}
disable-model-invocation: true
allowed-tools:
  - ${JSON.stringify(`Bash(${command})`)}
---

\`\`\`!
${command} <<'${word}'
$ARGUMENTS
${word}
\`\`\`

The line above is the answer of souffleur. An ordinary program watches that agent from now on, and needs nothing more
from this session. Repeat the line, and end your turn. Start nothing, and watch nothing yourself.

${mark}
`
}

/** Returns the program of a skill that this version wrote. */
const programOf = (text: string): ReadonlyArray<string> | undefined => {
  const [, command = "", word = ""] = /^(.+) watch --detach - <<'([0-9a-f]{32})'$/mu.exec(text) ?? []
  const self = wordsOfShell(command)
  return skill(self, word) === text ? self : undefined
}

const filesIn = Effect.fnUntraced(function* (agentDir: string) {
  const path = yield* Path.Path
  const folder = path.join(agentDir, "skills", "souffleur")
  return {
    folder,
    skillFile: path.join(folder, "SKILL.md"),
    manifestFile: path.join(folder, ".claude-plugin", "plugin.json")
  }
})

const status = Effect.fn("ClaudePlugin.status")(function* (agentDir: string) {
  const fs = yield* FileSystem.FileSystem
  const { manifestFile, skillFile } = yield* filesIn(agentDir)
  const found = yield* readSettingsFile(skillFile)
  const beside = yield* readSettingsFile(manifestFile)
  const own = (is: "none" | "outdated" | "foreign") => ({ path: skillFile, is, missing: [] as ReadonlyArray<string> })
  if (Option.isNone(found)) return own("none")
  if (!found.value.text.includes(mark)) return own("foreign")
  const self = programOf(found.value.text)
  if (self === undefined || !Option.exists(beside, ({ text }) => text === manifest)) return own("outdated")
  const missing = yield* Effect.filter(self, (file) => Effect.map(fs.exists(file), (there) => !there))
  return { path: skillFile, is: "current" as const, missing }
})

/** Returns the status of a plugin that souffleur may change. Fails for a file that it did not write. */
const ours = Effect.fnUntraced(function* (agentDir: string) {
  const found = yield* status(agentDir)
  return found.is === "foreign"
    ? yield* new AgentSettingsUnusable({
        path: found.path,
        problem: "was not written by souffleur: it is left as it is. Move it away to have this one"
      })
    : found
})

const install = Effect.fn("ClaudePlugin.install")(function* (agentDir: string, self: HookProgram["self"]) {
  const { manifestFile, skillFile } = yield* filesIn(agentDir)
  const before = yield* ours(agentDir)
  // The agent ends a rule at the first such sign.
  if (self.some((word) => /[)\n\r]/u.test(word)))
    return yield* new AgentSettingsUnusable({
      path: self.join(" "),
      problem: "cannot be in a rule of Claude Code: install souffleur in a folder without a closing parenthesis"
    })
  const found = yield* readSettingsFile(skillFile)
  const same = Option.exists(found, ({ text }) => shellWords(programOf(text) ?? []) === shellWords(self))
  if (before.is === "current" && same) return { path: skillFile, changed: false }
  const word = yield* freshHex(16)
  for (const [file, text] of [
    [manifestFile, manifest],
    [skillFile, skill(self, word)]
  ] as const) {
    yield* makeSettingsFolder(file)
    yield* replaceDurably(file, text)
  }
  return { path: skillFile, changed: true }
})

const uninstall = Effect.fn("ClaudePlugin.uninstall")(function* (agentDir: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { folder, manifestFile, skillFile } = yield* filesIn(agentDir)
  if ((yield* ours(agentDir)).is === "none") return { path: skillFile, changed: false }
  yield* fs.remove(skillFile)
  if (Option.exists(yield* readSettingsFile(manifestFile), ({ text }) => text === manifest))
    yield* fs.remove(manifestFile)
  // What others have put there stays.
  for (const one of [path.dirname(manifestFile), folder])
    if ((yield* fs.exists(one)) && (yield* fs.readDirectory(one)).length === 0)
      yield* fs.remove(one, { recursive: true })
  return { path: skillFile, changed: true }
})

/** The plugin of Claude Code: the skill `/souffleur` in the user's own folder, where it comes before any other. */
export const claudePlugin: AgentPlugin = { typed: `${typed} ${words}`, install, uninstall, status }
