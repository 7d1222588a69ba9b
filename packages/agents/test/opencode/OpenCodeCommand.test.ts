import { assert, describe, it } from "@effect/vitest"
import { Agent, type AgentOrder, clamp, Processes } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { FakeProcesses } from "@souffleur/testing"
import { Context, Effect, FileSystem, Layer, Option, Result } from "effect"
import { openCode } from "../../src/opencode/OpenCode.ts"

const taken = (...words: ReadonlyArray<string>) => openCode.takeApart(words, { program: "opencode", args: [] })
const refused = (...words: ReadonlyArray<string>) =>
  Result.match(taken(...words), { onFailure: ({ message }) => message, onSuccess: () => "" })
const literal = (...words: ReadonlyArray<string>) => Option.getOrThrow(Result.getOrThrow(taken(...words)))
const all = clamp("bypassPermissions", "bypassPermissions")
const order = (more: Partial<AgentOrder>): AgentOrder => ({
  session: { _tag: "Fresh", sessionId: "" },
  permission: all,
  prompt: "--share is a word",
  print: true,
  ...more
})

const commandsOf = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-opencode-" })
  yield* fs.writeFileString(`${folder}/opencode`, "", { mode: 0o700 })
  const environment = {
    PATH: folder,
    OPENCODE_CONFIG: "/c",
    OPENCODE_DB: "/other.db",
    OPENCODE_PID: "9",
    OPENAI_API_KEY: "k",
    SECRET: "s"
  }
  const agentCommand = { program: "opencode", args }
  const layer = openCode.layer({ agentDir: "/data", agentCommand, environment })
  const agent = Context.get(
    yield* Layer.build(Layer.provide(layer, Layer.succeed(Processes, new FakeProcesses().service))),
    Agent
  )
  return {
    command: (more: Partial<AgentOrder>) => agent.command(order(more)),
    folder,
    reader: agent.outputReader,
    isAgent: agent.isAgent
  }
})
const commands = commandsOf("--model", "a/b")
it.layer(HostServices.layer)((it) => {
  describe("opencode#the-command-line", () => {
    it.effect("a launch has its own title until OpenCode has chosen an id, and its prompt on standard input", () =>
      Effect.gen(function* () {
        const { command, folder } = yield* commands
        const { args, environment, input, program } = yield* command({})
        assert.deepStrictEqual(
          [program, ...args.slice(0, -1)],
          [`${folder}/opencode`, "run", "--model", "a/b", "--auto", "--format", "json", "--title"]
        )
        assert.match(args.at(-1)!, /^souffleur-[\da-f]{16}$/u)
        assert.notStrictEqual((yield* command({})).args.at(-1), args.at(-1))
        assert.strictEqual(input, "--share is a word")
        assert.include((yield* Effect.flip(command({ heldTo: "plan" }))).message, "no person has approved the plan")
        assert.deepStrictEqual(environment, {
          PATH: folder,
          OPENCODE_CONFIG: "/c",
          OPENAI_API_KEY: "k",
          XDG_DATA_HOME: "/data"
        })
        const resumed = yield* command({ session: { _tag: "Resume", sessionId: "ses_1" } })
        assert.deepStrictEqual(resumed.args.slice(3), ["--auto", "--format", "json", "--session", "ses_1"])
        assert.strictEqual(resumed.environment["OPENCODE_SESSION_ID"], "ses_1")
        for (const { args } of [resumed, yield* command({})])
          assert.deepStrictEqual(Option.getOrThrow(openCode.ofLaunch({ program: "opencode", args }, "ses_1")).args, [
            "--model",
            "a/b"
          ])
      })
    )
  })

  describe("command-line#screen", () => {
    it.effect("the user's own output format stays, and then a pipe gets the records", () =>
      Effect.gen(function* () {
        const record = JSON.stringify({ sessionID: "ses_1", timestamp: 1, type: "text", part: { text: "Sung." } })
        assert.deepStrictEqual((yield* commands).reader("pipe")(record), Option.some("Sung."))
        const { command, reader } = yield* commandsOf("--format=json")
        assert.deepStrictEqual(reader("pipe")(record), Option.none())
        assert.deepStrictEqual(reader("terminal")(record), Option.some("Sung."))
        const { args } = yield* command({ session: { _tag: "Resume", sessionId: "ses_1" } })
        assert.deepStrictEqual(args, ["run", "--format=json", "--auto", "--session", "ses_1"])
        assert.deepStrictEqual(Option.getOrThrow(openCode.ofLaunch({ program: "opencode", args }, "ses_1")).args, [
          "--format=json"
        ])
      })
    )
  })

  describe("opencode#the-ceiling", () => {
    it.effect("there is no launch below the highest permission, and none takes a window", () =>
      Effect.gen(function* () {
        const { command } = yield* commands
        const below = yield* Effect.flip(command({ permission: clamp("acceptEdits", "bypassPermissions") }))
        assert.include(
          below.message,
          "it is launched with bypassPermissions alone, which MAX_EXTERNAL_PERMISSION=bypassPermissions allows"
        )
        const asked = yield* command({ print: false })
        assert.deepStrictEqual([asked.input, asked.window], ["--share is a word", undefined])
      })
    )
  })
})

describe("opencode#the-command-line", () => {
  it("a command is taken apart: its flags, its session and its prompt", () => {
    assert.deepStrictEqual(literal("opencode", "run", "-m", "a/b", "--auto", "--", "--share it"), {
      agentCommand: { program: "opencode", args: ["-m", "a/b"] },
      session: undefined,
      print: true,
      requested: "bypassPermissions",
      prompt: "--share it"
    })
    assert.deepStrictEqual(
      literal("opencode", "run", "--auto", "--session=ses_1", "--format", "json", "sing").session,
      {
        _tag: "Resume",
        sessionId: "ses_1"
      }
    )
    for (const words of [["models"], ["session", "list"], ["--version"]])
      assert.deepStrictEqual(Result.getOrThrow(taken("opencode", ...words)), Option.none())
  })
})

describe("behaviour#permission-ceiling", () => {
  it("a subcommand of OpenCode that is no known errand is refused, with what to write in its place", () => {
    for (const word of ["acp", "agent", "attach", "debug", "github", "pr", "serve", "web", "future"])
      assert.include(
        refused("opencode", word, "x"),
        `cannot set the ceiling of opencode ${word}: write opencode run --auto -- PROMPT`
      )
  })
})

describe("opencode#the-ceiling", () => {
  it("an OpenCode in a terminal is refused, and a command without its highest permission", () => {
    for (const words of [[], ["--prompt", "sing"], ["."], ["--session", "ses_1"]])
      assert.include(refused("opencode", ...words), "write opencode run --auto")
    assert.include(refused("opencode", "run", "sing"), "run it with --auto")
    assert.include(refused("opencode", "run", "--auto", "sing", "la"), "more than one prompt")
  })
  it("a flag that publishes the session, leaves the machine, or is not understood is refused", () => {
    for (const flag of ["--share", "--attach", "--attach=http://localhost:1"])
      assert.include(refused("opencode", "run", "--auto", flag, "sing"), "can lift the permission ceiling")
    for (const flag of ["--continue", "-c", "--fork", "--dir", "--title", "--command", "--port", "-i", "--file"])
      assert.include(refused("opencode", "run", "--auto", flag, "sing"), "is set by each launch, or leads elsewhere")
    assert.include(refused("opencode", "run", "--auto", "--format", "default", "sing"), "must be json")
    assert.include(refused("opencode", "run", "--auto", "--yolo", "sing"), "is unknown")
  })
})

describe("opencode#processes", () => {
  it.layer(HostServices.layer)((it) => {
    it.effect("a process is an OpenCode by its program alone, and its tools name its pid", () =>
      Effect.gen(function* () {
        const { isAgent } = yield* commands
        assert.isTrue(isAgent(["/opt/opencode-ai/bin/opencode.exe", "run"]))
        assert.isTrue(isAgent(["node", "/opt/node_modules/opencode-ai/bin/opencode"]))
        assert.isFalse(isAgent(["vi", "opencode"]))
        assert.deepStrictEqual(openCode.identity({ OPENCODE: "1", OPENCODE_PID: "70" }), {
          sessionId: "",
          pid: 70,
          project: "",
          mark: "OPENCODE_PID"
        })
        assert.deepStrictEqual(openCode.identity({ OPENCODE_PID: "-7" }).pid, undefined)
      })
    )
  })
})
