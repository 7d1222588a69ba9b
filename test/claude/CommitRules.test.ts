import { execFileSync } from "node:child_process"
import { claudeCode } from "@souffleur/agents"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { inject } from "vitest"
import { makeLab } from "./Lab.ts"
import { bash, services } from "./Watched.ts"

const claude = inject("claude")

const both = ["Bash(git add:*)", "Bash(git commit:*)"]
const allow = (...rules: ReadonlyArray<string>) => ({ permissions: { allow: rules } })
const [ofProject, ofLocal] = [".claude/settings.json", ".claude/settings.local.json"]

/** Settings by their files, from the project; `~` is the home. */
const rows: ReadonlyArray<readonly [what: string, files: Readonly<Record<string, unknown>>, trusted?: false]> = [
  ["no rule", {}],
  ["rules of the project", { [ofProject]: allow(...both) }],
  ["rules of a project that is not trusted", { [ofProject]: allow(...both) }, false],
  ["the user's rules there", { [ofLocal]: allow(...both) }, false],
  ["one rule of two", { [ofLocal]: allow(both[1]!) }],
  ["a pattern", { "~/.claude/settings.json": allow("Bash(git *)") }],
  ["an empty prefix", { "~/.claude/settings.json": allow("Bash(:*)") }],
  ["a denial elsewhere", { [ofLocal]: allow("Bash"), [ofProject]: { permissions: { deny: ["Bash(git commit:*)"] } } }],
  ["a question", { [ofLocal]: { permissions: { allow: both, ask: ["Bash(git commit *)"] } } }],
  ["no JSON", { [ofLocal]: `${JSON.stringify(allow(...both)).slice(0, -1)},}` }]
]

describe("claude-code#permissions", () => {
  it.live.skipIf(claude === null)("what its settings say of a commit is what the agent does", () =>
    Effect.gen(function* () {
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const seen = yield* Effect.forEach(
        rows,
        Effect.fnUntraced(function* ([what, files, trusted = true]) {
          const lab = yield* makeLab(
            claude!,
            "opera",
            ({ toolResult }) =>
              Effect.succeed(
                toolResult === undefined ? bash("git add a.txt && git commit -q -m x") : { text: "Done." }
              ),
            { solo: true }
          )
          const git = (...args: ReadonlyArray<string>) =>
            execFileSync("git", ["-C", lab.project, ...args], { encoding: "utf8" })
          git("init", "-q", "-b", "main")
          git("config", "user.name", "A")
          git("config", "user.email", "a@localhost")
          git("commit", "-q", "--allow-empty", "-m", "base")
          yield* lab.write("a.txt", "a\n")
          for (const [name, text] of Object.entries(files))
            yield* lab.write(name.replace("~", lab.home), typeof text === "string" ? text : JSON.stringify(text))
          const notes = `${lab.home}/.claude.json`
          if (!trusted)
            yield* lab.write(notes, (yield* lab.read(notes)).replace('DialogAccepted":true', 'DialogAccepted":false'))
          const place = {
            project: lab.project,
            agentDir: `${lab.home}/.claude`,
            variables: { HOME: lab.home },
            words: [claude!],
            permission: "acceptEdits"
          } as const
          const { commit: problem } = yield* claudeCode.commits!.judge(place, [])
          const args = ["-p", "--permission-mode", "acceptEdits", "--", "Commit."]
          yield* spawner.exitCode(ChildProcess.make(claude!, args, lab.options))
          return [what, problem === null, git("rev-list", "--count", "HEAD").trim() === "2"] as const
        }, Effect.scoped)
      )
      for (const [what, foreseen, committed] of seen) assert.strictEqual(foreseen, committed, what)
      assert.lengthOf(
        seen.filter(([, , committed]) => committed),
        3
      )
    }).pipe(Effect.provide(services))
  )

  it.live.skipIf(claude === null)("it runs some commands without a rule, and a gate by the rule that is written", () =>
    Effect.gen(function* () {
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const looking = "cat a.txt,echo a,grep a a.txt,head a.txt,ls,pwd,tail a.txt,true,wc a.txt,which sh"
      const ofGit = "git diff,git log,git show,git status"
      const commands = [looking, ofGit, "make", "npm ls", "npm test"].flatMap((all) => all.split(","))
      const ran: Array<string> = []
      let turn = 0
      const lab = yield* makeLab(
        claude!,
        "opera",
        ({ toolResult }) =>
          Effect.sync(() => {
            if (toolResult !== undefined && !/requires approval|permission/iu.test(toolResult))
              ran.push(commands[turn - 1]!)
            turn += toolResult === undefined && turn > 0 ? 0 : 1
            return turn > commands.length ? { text: "Done." } : bash(commands[turn - 1]!)
          }),
        { solo: true }
      )
      const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-C", lab.project, ...args])
      git("init", "-q", "-b", "main")
      git("-c", "user.name=A", "-c", "user.email=a@localhost", "commit", "-q", "--allow-empty", "-m", "base")
      yield* lab.write("a.txt", "a\n")
      yield* lab.write(ofLocal, JSON.stringify(allow("Bash(npm test:*)")))
      const place = {
        project: lab.project,
        agentDir: `${lab.home}/.claude`,
        variables: { HOME: lab.home },
        words: [claude!],
        permission: "acceptEdits"
      } as const
      const { programs } = yield* claudeCode.commits!.judge(place, commands)
      const args = ["-p", "--permission-mode", "acceptEdits", "--", "Look."]
      yield* spawner.exitCode(ChildProcess.make(claude!, args, lab.options))
      assert.deepStrictEqual(
        commands.filter((one) => !ran.includes(one)),
        ["make", "npm ls"]
      )
      assert.deepStrictEqual(programs?.rules, ["Bash(make:*)", "Bash(npm ls:*)"])
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
