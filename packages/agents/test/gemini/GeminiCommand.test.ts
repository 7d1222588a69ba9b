import { type AgentOrder, clamp, SessionNotFound } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, Option, Result } from "effect"
import { gemini } from "../../src/gemini/Gemini.ts"
import { geminiCommand, geminiInPrintMode } from "../../src/gemini/GeminiCommand.ts"

const { ofLaunch, parseCommand } = gemini
const said = (...words: ReadonlyArray<string>) =>
  Result.match(gemini.takeApart(["gemini", ...words], { program: "gemini", args: [] }), {
    onFailure: ({ message }) => message,
    onSuccess: Option.getOrUndefined
  })

describe("gemini#the-command-line", () => {
  it("a command of Gemini CLI is taken apart: its flags stay, and those of each launch do not", () => {
    assert.deepStrictEqual(said("--model=m", "--session-id", "s1", "--yolo", "--skip-trust", "--prompt=--policy"), {
      agentCommand: { program: "gemini", args: ["--model=m"] },
      session: { _tag: "Fresh", sessionId: "s1" },
      print: true,
      requested: "bypassPermissions",
      prompt: "--policy"
    })
    assert.deepInclude(said("-y", "-o", "stream-json", "-r", "s1", "go on"), {
      session: { _tag: "Resume", sessionId: "s1" },
      prompt: "go on"
    })
    assert.include(said("-y", "one", "two"), "quote it")
    for (const words of [["mcp", "list"], ["--version"]]) assert.isUndefined(said(...words))
  })
})

describe("gemini#the-ceiling", () => {
  it("flags that lead elsewhere, or to an output without the end of the turn, are refused", () => {
    for (const flags of [
      ["--session-file", "x.json"],
      ["--worktree", "w"],
      ["--sandbox"],
      ["--acp"],
      ["--output-format", "text"],
      ["--approval-mode", "plan"],
      ["--future"]
    ]) {
      assert.isString(said("-y", ...flags, "-p", "sing"), flags.join(" "))
      assert.isTrue(Result.isFailure(parseCommand(JSON.stringify(["gemini", ...flags]))), flags.join(" "))
    }
  })

  it("a terminal is refused, and so is each permission below the highest", () => {
    for (const words of [["-y", "-i", "sing"], ["-y"]]) assert.include(said(...words), "terminal", words.join(" "))
    assert.include(said("-p", "sing"), "run it with --yolo")
    assert.include(said("-p", "sing", "--approval-mode", "auto_edit"), "must be yolo")
  })
})

it.layer(HostServices.layer)((it) => {
  const launched = (args: ReadonlyArray<string>, more: Partial<AgentOrder> = {}) =>
    geminiCommand(
      {
        agentDir: "/home/ada",
        agentCommand: { program: process.execPath, args },
        environment: { PATH: "/bin", GEMINI_SESSION_ID: "old", GEMINI_CLI: "1", GEMINI_API_KEY: "k", SECRET: "s" }
      },
      {
        session: { _tag: "Resume", sessionId: "s1" },
        permission: clamp("bypassPermissions", "bypassPermissions"),
        prompt: "--policy",
        print: true,
        ...more
      },
      (sessionId) =>
        sessionId === "s1"
          ? Effect.succeed({ sessionId, path: "/home/ada/.gemini/tmp/opera/chats/session-1-s1.jsonl" })
          : Effect.fail(new SessionNotFound({ sessionId, reason: "missing", message: "none" }))
    )
  const argsOf = (args: ReadonlyArray<string>, more?: Partial<AgentOrder>) =>
    Effect.map(launched(args, more), (command) => command.args)

  describe("gemini#the-command-line", () => {
    it.effect("a launch tells its end in its output, and its prompt is on standard input", () =>
      Effect.gen(function* () {
        const { args, environment, input } = yield* launched(["--model", "m"])
        const own = ["--approval-mode", "yolo", "--skip-trust", "--output-format", "stream-json"]
        assert.deepStrictEqual(args, ["--model", "m", ...own, "--resume", "s1"])
        assert.strictEqual(input, "--policy")
        assert.deepStrictEqual(environment, {
          PATH: "/bin",
          GEMINI_API_KEY: "k",
          GEMINI_CLI_HOME: "/home/ada",
          GEMINI_SESSION_ID: "s1"
        })
        assert.isTrue(geminiInPrintMode(["node", "/bin/gemini", ...args]))
        for (const other of [["-i", "sing"], []]) assert.isFalse(geminiInPrintMode(["node", "/bin/gemini", ...other]))
      })
    )
  })

  describe("gemini#output", () => {
    it.effect("the user's own output format stays, and no other is added", () =>
      Effect.gen(function* () {
        for (const own of [
          ["--output-format", "stream-json"],
          ["-o", "stream-json"],
          ["--output-format=stream-json"]
        ]) {
          const args = yield* argsOf(own)
          assert.deepStrictEqual(args, [...own, "--approval-mode", "yolo", "--skip-trust", "--resume", "s1"])
          assert.deepStrictEqual(Option.getOrThrow(ofLaunch({ program: "gemini", args }, "s1")).args, own)
          assert.isTrue(geminiInPrintMode(["node", "/bin/gemini", ...args]))
        }
      })
    )
  })

  describe("gemini#sessions", () => {
    it.effect("a session is resumed once it has begun, and begun where it has not", () =>
      Effect.gen(function* () {
        const resumed = yield* argsOf(["--model", "m"])
        const of = ofLaunch({ program: "/bin/gemini", args: resumed }, "s1")
        assert.deepStrictEqual(Option.getOrUndefined(of), { program: "/bin/gemini", args: ["--model", "m"] })
        assert.isTrue(Option.isNone(ofLaunch({ program: "/bin/gemini", args: resumed }, "s9")))
        const begun = yield* argsOf([], { session: { _tag: "Resume", sessionId: "s2" } })
        assert.deepStrictEqual(begun.slice(-2), ["--session-id", "s2"])
        const fresh = yield* argsOf([], { session: { _tag: "Fresh", sessionId: "s1" } })
        assert.deepStrictEqual(fresh.slice(-2), ["--session-id", "s1"])
      })
    )
  })

  describe("gemini#the-ceiling", () => {
    it.effect("there is no launch below the highest permission, and none takes a window", () =>
      Effect.gen(function* () {
        const below = yield* Effect.flip(launched([], { permission: clamp("acceptEdits", "acceptEdits") }))
        assert.include(below.message, "MAX_EXTERNAL_PERMISSION=bypassPermissions")
        const asked = yield* launched([], { print: false })
        assert.deepStrictEqual([asked.input, asked.window], ["--policy", undefined])
      })
    )
  })
})
