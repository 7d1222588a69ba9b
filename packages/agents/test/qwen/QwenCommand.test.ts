import { type AgentOrder, clamp, SessionNotFound } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, Option, Result } from "effect"
import { qwen } from "../../src/qwen/Qwen.ts"
import { qwenInPrintMode, qwenCommand } from "../../src/qwen/QwenCommand.ts"

const { ofLaunch, parseCommand } = qwen

const all = clamp("bypassPermissions", "bypassPermissions")
const said = (...words: ReadonlyArray<string>) =>
  Result.match(qwen.takeApart(["qwen", ...words], { program: "qwen", args: [] }), {
    onFailure: ({ message }) => message,
    onSuccess: Option.getOrUndefined
  })

describe("qwen#the-command-line", () => {
  it("a command of Qwen Code is taken apart: its flags stay, and those of each launch do not", () => {
    assert.deepStrictEqual(said("--model=m", "--session-id", "s1", "--yolo", "--prompt=--yolo"), {
      agentCommand: { program: "qwen", args: ["--model=m"] },
      session: { _tag: "Fresh", sessionId: "s1" },
      print: true,
      requested: "bypassPermissions",
      prompt: "--yolo"
    })
    assert.deepInclude(said("-r", "s1", "go on"), { session: { _tag: "Resume", sessionId: "s1" }, print: true })
    assert.deepInclude(said("--yolo", "-i", "sing"), { print: false, prompt: "sing", requested: "bypassPermissions" })
    assert.deepInclude(said("-y"), { print: false, prompt: "" })
  })
})

describe("qwen#the-ceiling", () => {
  it("flags that lead elsewhere, hold a key or ask for less than every launch has are refused", () => {
    for (const flags of [
      ["--continue"],
      ["--fork-session"],
      ["--worktree", "w"],
      ["--chat-recording=false"],
      ["--input-format", "stream-json"],
      ["--openai-api-key", "k"],
      ["--approval-mode", "plan"],
      ["--approvalMode", "yolo"],
      ["--safe-mode=false"],
      ["--future"]
    ]) {
      assert.isString(said(...flags), flags.join(" "))
      assert.isTrue(Result.isFailure(parseCommand(JSON.stringify(["qwen", ...flags]))), flags.join(" "))
    }
    for (const words of [["-i", "sing"], [], ["--approval-mode", "auto-edit"]])
      assert.include(said(...words), "status line", words.join(" "))
    assert.include(said("one", "two"), "quote it")
    assert.include(said("-p", "one", "two"), "quote it")
  })
})

describe("behaviour#permission-ceiling", () => {
  it("an errand of Qwen Code is any other command, and a subcommand that holds a conversation is refused", () => {
    for (const words of [["mcp", "list"], ["--version"]]) assert.isUndefined(said(...words))
    for (const word of ["channel", "review", "serve"])
      assert.include(said(word, "start"), `cannot set the ceiling of qwen ${word}: write qwen -p PROMPT`)
  })
})

it.layer(HostServices.layer)((it) => {
  const launched = (args: ReadonlyArray<string>, more: Partial<AgentOrder> = {}) =>
    qwenCommand(
      {
        agentDir: "/qwen",
        agentCommand: { program: process.execPath, args },
        environment: { PATH: "/bin", QWEN_CODE_SESSION_ID: "old", QWEN_HOME: "/q", SECRET: "s" }
      },
      {
        session: { _tag: "Resume", sessionId: "s1" },
        permission: clamp("acceptEdits", "acceptEdits"),
        prompt: "--yolo",
        print: true,
        ...more
      },
      (sessionId) =>
        sessionId === "s1"
          ? Effect.succeed({ sessionId, path: "/qwen/projects/-p/chats/s1.jsonl" })
          : Effect.fail(new SessionNotFound({ sessionId, reason: "missing", message: "none" }))
    )
  const argsOf = (args: ReadonlyArray<string>, more?: Partial<AgentOrder>) =>
    Effect.map(launched(args, more), (command) => command.args)

  describe("qwen#the-ceiling", () => {
    it.effect("a launch below the ceiling loads nothing that an edit may have left", () =>
      Effect.gen(function* () {
        const { args, environment, input } = yield* launched(["--model", "m"])
        const limits = ["--approval-mode", "auto-edit", "--safe-mode"]
        assert.deepStrictEqual(args, ["--model", "m", ...limits, "--resume", "s1", "--input-format", "text"])
        assert.strictEqual(input, "--yolo")
        const own = { PATH: "/bin", QWEN_HOME: "/qwen", QWEN_RUNTIME_DIR: "/qwen", QWEN_CODE_SESSION_ID: "s1" }
        assert.deepStrictEqual(environment, { ...own, QWEN_SANDBOX: "false" })
        const most = yield* launched([], { permission: all })
        assert.deepStrictEqual(most.args.slice(0, 3), ["--approval-mode", "yolo", "--resume"])
        assert.deepStrictEqual(most.environment, own)
        const below = yield* launched([], { print: false })
        assert.deepStrictEqual([below.args.slice(-2), below.window], [["--input-format", "text"], undefined])
      })
    )
  })

  describe("qwen#sessions", () => {
    it.effect("a session is resumed once it has begun, and begun where it has not", () =>
      Effect.gen(function* () {
        const resumed = yield* argsOf(["--model", "m"])
        const of = ofLaunch({ program: "/bin/qwen", args: resumed }, "s1")
        assert.deepStrictEqual(Option.getOrUndefined(of), { program: "/bin/qwen", args: ["--model", "m"] })
        assert.isTrue(Option.isNone(ofLaunch({ program: "/bin/qwen", args: resumed }, "s9")))
        const begun = yield* argsOf([], { session: { _tag: "Resume", sessionId: "s2" } })
        assert.deepStrictEqual(begun.slice(3, 5), ["--session-id", "s2"])
      })
    )
  })

  describe("qwen#the-command-line", () => {
    it.effect("a prompt in a window is the value of a flag, and the prompt that compacts is known by its word", () =>
      Effect.gen(function* () {
        const { args, input, window } = yield* launched([], { print: false, permission: all })
        assert.deepStrictEqual([args.at(-1), input, window], ["--prompt-interactive=--yolo", undefined, true])
        assert.strictEqual((yield* argsOf([], { print: false, prompt: "", permission: all })).at(-1), "s1")
        for (const print of [true, false]) {
          const compacts = yield* launched([], { prompt: "/compress", print, permission: all })
          assert.deepStrictEqual([compacts.args.slice(-2), compacts.input], [["-p", "/compress"], undefined])
          assert.isUndefined(compacts.window)
        }
      })
    )
    it.effect("a process that ends after its turn is known by its prompt", () =>
      Effect.gen(function* () {
        assert.isTrue(qwenInPrintMode(["node", "/bin/qwen", ...(yield* argsOf([]))]))
        assert.isTrue(qwenInPrintMode(["node", "/bin/qwen", "sing"]))
        assert.isFalse(
          qwenInPrintMode(["node", "/bin/qwen", ...(yield* argsOf([], { print: false, permission: all }))])
        )
        assert.isFalse(qwenInPrintMode(["node", "/bin/qwen", "--resume", "s1"]))
      })
    )
  })
})
