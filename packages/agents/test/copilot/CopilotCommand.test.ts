import { type AgentOrder, clamp } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Option, Result } from "effect"
import { copilot } from "../../src/copilot/Copilot.ts"
import { copilotCommand, copilotInPrintMode } from "../../src/copilot/CopilotCommand.ts"

const { ofLaunch, parseCommand } = copilot
const said = (...words: ReadonlyArray<string>) =>
  Result.match(copilot.takeApart(["copilot", ...words], { program: "copilot", args: [] }), {
    onFailure: ({ message }) => message,
    onSuccess: Option.getOrUndefined
  })

describe("copilot#the-command-line", () => {
  it("a command of Copilot CLI is taken apart: its flags stay, and those of each launch do not", () => {
    assert.deepStrictEqual(said("--model=m", "--session-id", "s1", "--allow-all-tools", "--prompt=--yolo"), {
      agentCommand: { program: "copilot", args: ["--model=m"] },
      session: { _tag: "Fresh", sessionId: "s1" },
      print: true,
      requested: "bypassPermissions",
      prompt: "--yolo"
    })
    assert.deepInclude(said("--resume=s1", "-p", "x"), { session: { _tag: "Resume", sessionId: "s1" }, print: true })
    assert.deepInclude(said("-i", "sing", "--allow-all-tools"), { print: false, prompt: "sing" })
    assert.deepInclude(said("--allow-tool=write", "-p", "x"), { requested: "acceptEdits" })
  })
})

describe("copilot#the-ceiling", () => {
  it("flags that lead elsewhere, or lists of tools of the user's own, are refused", () => {
    for (const flags of [
      ["--continue"],
      ["--connect", "s"],
      ["-C", "/"],
      ["--acp"],
      ["--share-gist"],
      ["--allow-tool", "shell(git:*)"],
      ["--deny-tool", "write"],
      ["--available-tools", "bash"],
      ["--future"]
    ]) {
      assert.isString(said(...flags), flags.join(" "))
      assert.isTrue(Result.isFailure(parseCommand(JSON.stringify(["copilot", ...flags]))), flags.join(" "))
    }
    for (const words of [["-i", "sing"], []]) assert.include(said(...words), "in a terminal", words.join(" "))
    assert.include(said("-p", "one", "two"), "quote it")
  })
})

describe("behaviour#permission-ceiling", () => {
  it("an errand of Copilot CLI is any other command, and each other subcommand is refused", () => {
    for (const words of [["mcp", "list"], ["login"], ["--version"]]) assert.isUndefined(said(...words))
    for (const word of ["init", "workflow", "app", "future"])
      assert.strictEqual(
        said(word, "do it"),
        `souffleur cannot set the ceiling of copilot ${word}: write copilot -p PROMPT, or run it without souffleur`
      )
    assert.deepInclude(said("do it"), { prompt: "do it" })
  })
})

it.layer(HostServices.layer)((it) => {
  const launched = Effect.fnUntraced(function* (
    args: ReadonlyArray<string>,
    more: Partial<AgentOrder> = {},
    settings?: string
  ) {
    const fs = yield* FileSystem.FileSystem
    const agentDir = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-copilot-" })
    if (settings !== undefined) yield* fs.writeFileString(`${agentDir}/config.json`, settings)
    return yield* copilotCommand(
      {
        agentDir,
        agentCommand: { program: process.execPath, args },
        environment: { PATH: "/bin", COPILOT_AGENT_SESSION_ID: "old", COPILOT_ALLOW_ALL: "1", COPILOT_HOME: "/c" }
      },
      {
        session: { _tag: "Resume", sessionId: "s1" },
        permission: clamp("acceptEdits", "acceptEdits"),
        prompt: "--yolo",
        print: true,
        ...more
      }
    )
  })

  describe("copilot#the-ceiling", () => {
    it.effect("a launch below the ceiling writes files and has no shell, whatever the environment allows", () =>
      Effect.gen(function* () {
        const { args, environment, input } = yield* launched(["--model", "m"])
        const own = ["--allow-tool=write", "--deny-tool=shell", "--excluded-tools=task,lsp"]
        assert.deepStrictEqual(args, ["--model", "m", ...own, "--session-id", "s1", "--no-ask-user"])
        assert.strictEqual(input, "--yolo")
        const { COPILOT_HOME: home, ...others } = environment
        assert.deepStrictEqual(others, { PATH: "/bin", COPILOT_AGENT_SESSION_ID: "s1" })
        assert.include(home, "souffleur-copilot-")
        const below = yield* launched([], { print: false })
        assert.deepStrictEqual([below.args.at(-1), below.window], ["--no-ask-user", undefined])
        const permission = clamp("bypassPermissions", "bypassPermissions")
        assert.strictEqual((yield* launched([], { permission })).args[0], "--allow-all-tools")
        const held = yield* launched(["--model", "m"], { heldTo: "plan" })
        assert.deepStrictEqual(held.args.slice(2, 5), ["--deny-tool=write", ...own.slice(1)])
        const of = ofLaunch({ program: "/bin/copilot", args: held.args }, "s1")
        assert.deepStrictEqual(Option.getOrUndefined(of)?.args, ["--model", "m"])
      })
    )
    it.effect("below the ceiling no folder may be trusted: there an edit may leave a program that Copilot runs", () =>
      Effect.gen(function* () {
        const trusts = '// Managed.\n{"trustedFolders":["/srv/opera"]}'
        for (const settings of [trusts, "no json"])
          assert.include((yield* Effect.flip(launched([], {}, settings))).message, "trusts a folder")
        yield* launched([], {}, '// Managed.\n{"trustedFolders":[]}')
        yield* launched([], { permission: clamp("bypassPermissions", "bypassPermissions") }, trusts)
      })
    )
  })

  describe("copilot#the-command-line", () => {
    it.effect("the flags of a launch are found again without those that it set", () =>
      Effect.gen(function* () {
        for (const permission of [
          clamp("acceptEdits", "acceptEdits"),
          clamp("bypassPermissions", "bypassPermissions")
        ]) {
          const { args } = yield* launched(["--model", "m"], { permission })
          const of = ofLaunch({ program: "/bin/copilot", args }, "s1")
          assert.deepStrictEqual(Option.getOrUndefined(of), { program: "/bin/copilot", args: ["--model", "m"] })
          assert.isTrue(Option.isNone(ofLaunch({ program: "/bin/copilot", args }, "s9")))
        }
      })
    )
    it.effect("a prompt in a window is the value of a flag, and the prompt that compacts is known by its word", () =>
      Effect.gen(function* () {
        const permission = clamp("bypassPermissions", "bypassPermissions")
        const { args, input, window } = yield* launched([], { print: false, permission })
        assert.deepStrictEqual([args.at(-1), input, window], ["--interactive=--yolo", undefined, true])
        assert.isFalse(copilotInPrintMode(args))
        assert.strictEqual((yield* launched([], { print: false, prompt: "", permission })).args.at(-1), "s1")
        assert.isTrue(copilotInPrintMode((yield* launched([])).args))
        for (const print of [true, false]) {
          const compacts = yield* launched([], { prompt: "/compact", print, permission })
          assert.deepStrictEqual([compacts.args.slice(-2), compacts.input], [["-p", "/compact"], undefined])
          assert.isUndefined(compacts.window)
        }
      })
    )
  })
})
