import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem } from "effect"
import { claudePlugin } from "../../src/claude/plugin/ClaudePlugin.ts"

const { install, status, uninstall } = claudePlugin

/** A folder of the agent's own, with a program that keeps what it was told. */
const place = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-plugin-" }))
  const agentDir = `${home}/.claude`
  const program = `${home}/a 'b' "c", [d] $HOME/told.cjs`
  yield* fs.makeDirectory(`${home}/a 'b' "c", [d] $HOME`)
  yield* fs.writeFileString(
    program,
    'const fs = require("node:fs"); process.stdout.write(JSON.stringify([process.argv.slice(2), fs.readFileSync(0, "utf8")]))'
  )
  const self = [process.execPath, program] as const
  const skill = `${agentDir}/skills/souffleur/SKILL.md`
  return { agentDir, fs, home, program, self, skill, names: fs.readDirectory(agentDir, { recursive: true }) }
})

/** What a person, or a Conductor that a stranger has talked to, may type behind the command. */
const hostile = [
  "PID:12 SESSION_ID:a",
  "PID:12 SESSION_ID:a; touch touched",
  "$(touch touched) `touch touched` ${HOME} $HOME",
  `'"; touch touched; #`,
  "a\nEOF\ntouch touched\n",
  "\\\n<<'x'\n!`touch touched`"
]

describe("behaviour#plugin", () => {
  it.effect("no shell reads what was typed behind the command: it reaches souffleur as it is", () =>
    Effect.gen(function* () {
      const { agentDir, fs, home, self, skill } = yield* place
      yield* install(agentDir, self)
      const text = yield* fs.readFileString(skill)
      const [, block = ""] = /^```!\n([^]*?)\n```$/mu.exec(text) ?? []
      for (const typed of hostile) {
        const told = execFileSync("/bin/bash", ["-c", block.replace("$ARGUMENTS", () => typed)], {
          cwd: home,
          encoding: "utf8"
        })
        assert.deepStrictEqual(JSON.parse(told), [["watch", "--detach", "-"], `${typed}\n`])
        assert.isFalse(yield* fs.exists(`${home}/touched`), typed)
      }
      // The word at the end of the document is nobody's to know.
      yield* uninstall(agentDir)
      yield* install(agentDir, self)
      assert.notStrictEqual(yield* fs.readFileString(skill), text)
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.effect("the skill allows that one command alone, and only a person may start it", () =>
    Effect.gen(function* () {
      const { agentDir, fs, self, skill } = yield* place
      yield* install(agentDir, self)
      const text = yield* fs.readFileString(skill)
      assert.include(text, "\ndisable-model-invocation: true\n")
      const [, rules = ""] = /\nallowed-tools:\n((?: {2}- .*\n)+)---\n/u.exec(text) ?? []
      const [rule, ...more] = rules.trim().split("\n")
      assert.lengthOf(more, 0)
      const [, block = ""] = /^```!\n(.*) <</mu.exec(text) ?? []
      assert.strictEqual(JSON.parse(rule!.replace(/^\s*- /u, "")), `Bash(${block})`)
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.effect("it is installed once, replaced when it is of another version, and removed with its folder", () =>
    Effect.gen(function* () {
      const { agentDir, fs, program, self, skill, names } = yield* place
      assert.deepInclude(yield* status(agentDir), { is: "none", path: skill })
      assert.deepStrictEqual(yield* uninstall(agentDir), { path: skill, changed: false })
      assert.deepStrictEqual(yield* install(agentDir, self), { path: skill, changed: true })
      assert.deepStrictEqual(yield* install(agentDir, self), { path: skill, changed: false })
      assert.deepInclude(yield* status(agentDir), { is: "current", missing: [] })
      assert.strictEqual(
        JSON.parse(yield* fs.readFileString(`${agentDir}/skills/souffleur/.claude-plugin/plugin.json`)).name,
        "souffleur"
      )
      yield* fs.remove(program)
      assert.deepInclude(yield* status(agentDir), { is: "current", missing: [program] })
      assert.deepInclude(yield* install(agentDir, [process.execPath, skill]), { changed: true })

      yield* fs.writeFileString(skill, (yield* fs.readFileString(skill)).replace("watch --detach", "watch"))
      assert.deepInclude(yield* status(agentDir), { is: "outdated" })
      assert.deepInclude(yield* install(agentDir, self), { changed: true })
      assert.deepInclude(yield* status(agentDir), { is: "current" })

      yield* fs.writeFileString(`${agentDir}/skills/souffleur/mine.md`, "mine")
      assert.deepStrictEqual(yield* uninstall(agentDir), { path: skill, changed: true })
      assert.deepStrictEqual((yield* names).toSorted(), ["skills", "skills/souffleur", "skills/souffleur/mine.md"])
      yield* fs.remove(`${agentDir}/skills/souffleur/mine.md`)
      yield* install(agentDir, self)
      yield* uninstall(agentDir)
      assert.deepStrictEqual(yield* names, ["skills"])
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.effect("a skill of another program under that name is left as it is", () =>
    Effect.gen(function* () {
      const { agentDir, fs, self, skill, names } = yield* place
      yield* fs.makeDirectory(`${agentDir}/skills/souffleur`, { recursive: true })
      yield* fs.writeFileString(skill, "---\nname: souffleur\n---\nWatch it yourself.\n")
      const before = yield* names
      assert.deepInclude(yield* status(agentDir), { is: "foreign" })
      for (const change of [install(agentDir, self), uninstall(agentDir)])
        assert.match((yield* Effect.flip(change)).message, /was not written by souffleur/u)
      assert.deepStrictEqual(yield* names, before)
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.effect("a program whose path would end the rule is refused", () =>
    Effect.gen(function* () {
      const { agentDir, fs } = yield* place
      const refused = yield* Effect.flip(install(agentDir, ["/opt/node (new)/node", "/x"]))
      assert.match(refused.message, /without a closing parenthesis/u)
      assert.isFalse(yield* fs.exists(agentDir))
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})
