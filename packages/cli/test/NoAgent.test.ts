import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { agentKinds } from "../src/agent/Kind.ts"
import { services } from "./mcp/McpPlace.ts"
import { printedAt } from "./Printed.ts"
import { typedAt } from "./TypedAt.ts"

/** A home whose PATH has only the agents that a test puts there. */
const newcomer = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-newcomer-" }))
  for (const folder of ["bin", "opera", ".pi/agent"]) yield* fs.makeDirectory(`${home}/${folder}`, { recursive: true })
  const variables = { HOME: home, PATH: `${home}/bin`, SOUFFLEUR_STATE_DIR: `${home}/state` }
  const at = (lines: Array<string>, interactive = false) => ({ cwd: `${home}/opera`, variables, interactive, lines })
  /** What a command prints, also where it is refused. */
  const said = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const lines: Array<string> = []
    const code = yield* Effect.match(printedAt(at(lines), ...args), {
      onFailure: (error) => ("code" in error ? error.code : -1),
      onSuccess: () => 0
    })
    return { code, text: lines.join("\n") }
  })
  const put = (program: string, script: string) =>
    fs.writeFileString(`${home}/bin/${program}`, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  /** Claude Code, which says that nobody is logged in, and pi, which has a login. */
  const twoAgents = Effect.gen(function* () {
    yield* put("claude", `echo '{"loggedIn": false}'`)
    yield* put("pi", "exit 1")
    yield* fs.writeFileString(`${home}/.pi/agent/auth.json`, "{}")
  })
  return { at, fs, home, said, twoAgents }
})

it.layer(services)((it) => {
  describe("command-line#without-a-command", () => {
    it.effect(
      "where no agent is installed, each is named with the command that installs it, and the demo is next",
      () =>
        Effect.gen(function* () {
          const the = yield* newcomer
          const { text } = yield* the.said()
          for (const { npm, title } of agentKinds)
            assert.match(text, new RegExp(`^  ${title} +not installed: npm install -g ${npm}$`, "mu"))
          assert.include(text, "NEXT\n  npm install -g @anthropic-ai/claude-code\n")
          assert.include(text, "\n  souffleur demo\n")
          assert.notInclude(text, "souffleur run")
        })
    )

    it.effect("the agents that are installed are named, with their login as far as it is known", () =>
      Effect.gen(function* () {
        const the = yield* newcomer
        yield* the.twoAgents
        const { text } = yield* the.said()
        assert.match(text, /^ {2}Claude Code +installed, not logged in: claude auth login$/mu)
        assert.match(text, /^ {2}pi +installed, logged in$/mu)
        assert.notInclude(text, "Codex")
        assert.include(text, '\n  souffleur run -- claude "do it"\n')
      })
    )
  })

  describe("command-line#doctor", () => {
    it.effect(
      "doctor says how to install an agent where there is none, and of each other one whether it is logged in",
      () =>
        Effect.gen(function* () {
          const the = yield* newcomer
          const none = yield* the.said("doctor")
          assert.strictEqual(none.code, 1)
          assert.include(none.text, "-> npm install -g @anthropic-ai/claude-code; souffleur demo needs no agent")
          assert.match(none.text, /Codex is not installed\n +-> npm install -g @openai\/codex/u)
          yield* the.twoAgents
          const { text } = yield* the.said("doctor")
          assert.include(text, "Claude Code says that nobody is logged in")
          assert.include(text, "pi is installed, logged in: souffleur run -- pi")
          assert.notInclude(text, "Codex")
        })
    )
  })

  describe("behaviour#launch", () => {
    it.effect("a start of an agent that is missing is refused with how to install it, what is here, and the demo", () =>
      Effect.gen(function* () {
        const the = yield* newcomer
        const none = yield* the.said("run", "--", "codex", "exec", "do it")
        assert.strictEqual(none.code, 2)
        assert.include(
          none.text,
          'cannot run codex: there is no program codex in PATH: "npm install -g @openai/codex" installs it; no agent is installed here: "souffleur doctor" says how, and "souffleur demo" needs none'
        )
        yield* the.twoAgents
        assert.include(
          (yield* the.said("run", "--", "codex", "exec", "do it")).text,
          "installs it; here are Claude Code (installed, not logged in: claude auth login), pi (installed, logged in)"
        )
        assert.include((yield* the.said("run")).text, "here are Claude Code (installed")
        assert.notInclude((yield* the.said("run", "--", "no-such-program")).text, "npm install")
      })
    )
  })

  describe("command-line#setting-up", () => {
    it.effect("a setup offers the agents with a mark of each, and refuses a program that is none and nowhere", () =>
      Effect.gen(function* () {
        const the = yield* newcomer
        yield* the.twoAgents
        const shown: Array<string> = []
        yield* Effect.flip(printedAt(the.at([], true), "setup").pipe(typedAt(["enter"], shown)))
        const asked = shown.join("")
        assert.match(asked, /Claude Code +installed, not logged in: claude auth login/u)
        assert.match(asked, /pi +installed, logged in/u)
        assert.match(asked, /Codex +not installed: npm install -g @openai\/codex/u)
        const unknown = yield* the.said("setup", "--yes", "--agent", "cluade")
        assert.strictEqual(unknown.code, 2)
        assert.include(unknown.text, "cluade is no agent that souffleur knows, and no program in PATH")
        const later = yield* the.said("setup", "--yes", "--agent", "codex")
        assert.strictEqual(later.code, 0)
        assert.include(later.text, '"npm install -g @openai/codex"')
      })
    )
  })
})
