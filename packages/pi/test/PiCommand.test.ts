import { type AgentOrder, clamp } from "@souffleur/domain"
import { assert, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, Option, Result } from "effect"
import { literalPi, parsePiCommand, piCommand, runsPi } from "../src/PiCommand.ts"

const said = (...words: ReadonlyArray<string>) =>
  Result.match(literalPi(["pi", ...words]), {
    onFailure: ({ message }) => message,
    onSuccess: Option.getOrUndefined
  })

it("a command of pi is taken apart: its flags stay, and those of each launch do not", () => {
  assert.deepStrictEqual(said("--model", "m", "--session-id", "s1", "-p", "--", "--approve"), {
    agentCommand: { program: "pi", args: ["--model", "m"] },
    session: { _tag: "Fresh", sessionId: "s1" },
    print: true,
    requested: "bypassPermissions",
    prompt: "--approve"
  })
  assert.deepInclude(said("--session", "s1", "go on"), { session: { _tag: "Resume", sessionId: "s1" }, print: false })
})

it("pi asks for all that a shell may do, unless its list of tools leaves the shell out", () => {
  assert.deepInclude(said("-p", "x"), { requested: "bypassPermissions" })
  assert.deepInclude(said("--tools", "read,bash", "x"), { requested: "bypassPermissions" })
  assert.deepInclude(said("--tools", "read, edit,write", "x"), { requested: "acceptEdits" })
  assert.deepInclude(said("-nt", "x"), { requested: "acceptEdits" })
  // The last list counts.
  assert.deepInclude(said("-t", "read", "--tools", "my_tool", "x"), { requested: "bypassPermissions" })
})

it("flags that lead elsewhere, hold a key or are joined to their value are refused", () => {
  for (const flags of [
    ["--continue"],
    ["-r"],
    ["--fork", "s"],
    ["--no-session"],
    ["--session-dir", "/"],
    ["--api-key", "k"],
    ["--model=m"],
    ["--mode", "rpc"],
    ["--tools"],
    ["--future"]
  ]) {
    assert.isString(said(...flags), flags.join(" "))
    assert.isTrue(Result.isFailure(parsePiCommand(JSON.stringify(["pi", ...flags]))), flags.join(" "))
  }
  assert.include(said("@file"), "names a file")
  assert.include(said("one", "two"), "quote it")
  for (const words of [["install", "x"], ["--version"]]) assert.isUndefined(said(...words))
})

it.layer(HostServices.layer)((it) => {
  const launched = (args: ReadonlyArray<string>, more: Partial<AgentOrder> = {}) =>
    piCommand(
      {
        agentDir: "/pi",
        agentCommand: { program: process.execPath, args },
        environment: { PATH: "/bin", PI_SESSION_ID: "old", PI_CODING_AGENT_DIR: "/c", SECRET: "s" }
      },
      {
        session: { _tag: "Resume", sessionId: "s1" },
        permission: clamp("acceptEdits", "acceptEdits"),
        prompt: "@home",
        print: true,
        ...more
      }
    )
  it.effect("a launch below the ceiling has no shell, and a narrower list of tools stays", () =>
    Effect.gen(function* () {
      const { args, environment, input } = yield* launched(["--model", "m"])
      assert.deepStrictEqual(args, [
        "--model",
        "m",
        "-p",
        "--tools",
        "read,edit,write,grep,find,ls",
        "--session-id",
        "s1"
      ])
      assert.strictEqual(input, "@home")
      assert.deepStrictEqual(environment, { PATH: "/bin", PI_CODING_AGENT_DIR: "/c", PI_SESSION_ID: "s1" })
      assert.deepStrictEqual((yield* launched(["--tools", "read,bash"])).args.slice(2, 5), ["-p", "--tools", "read"])
      assert.include((yield* launched(["--tools", "bash"])).args, "--no-tools")
      const permission = clamp("bypassPermissions", "bypassPermissions")
      assert.deepStrictEqual((yield* launched([], { permission })).args, ["-p", "--session-id", "s1"])
    })
  )
  it.effect("a prompt in a window names no file, and the session waits for a person", () =>
    Effect.gen(function* () {
      const { args, input } = yield* launched([], { window: true, print: false })
      assert.deepStrictEqual(args.slice(2), ["--session-id", "s1", "--", " @home"])
      assert.isUndefined(input)
    })
  )
})

it("a process is a pi by its own title or its package", () => {
  assert.isTrue(runsPi(["pi", "", ""]))
  assert.isTrue(runsPi(["node", "/x/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js"]))
  assert.isFalse(runsPi(["vi", "x", "pi"]))
})
