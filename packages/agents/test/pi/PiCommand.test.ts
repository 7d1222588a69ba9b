import { type AgentOrder, clamp, SessionNotFound } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Option, Result } from "effect"
import { pi } from "../../src/pi/Pi.ts"
import { piCommand } from "../../src/pi/PiCommand.ts"

const { ofLaunch, parseCommand } = pi

const said = (...words: ReadonlyArray<string>) =>
  Result.match(pi.takeApart(["pi", ...words], { program: "pi", args: [] }), {
    onFailure: ({ message }) => message,
    onSuccess: Option.getOrUndefined
  })

describe("pi#the-command-line", () => {
  it("a command of pi is taken apart: its flags stay, and those of each launch do not", () => {
    assert.deepStrictEqual(said("--model", "m", "--session-id", "s1", "-p", "--", "--approve"), {
      agentCommand: { program: "pi", args: ["--model", "m"] },
      session: { _tag: "Fresh", sessionId: "s1" },
      print: true,
      requested: "bypassPermissions",
      prompt: "--approve"
    })
    const narrowed = ["--no-mcp", "--tools", "-write,-edit", "-t", "+find"]
    assert.deepInclude(said(...narrowed, "-p", "x"), { agentCommand: { program: "pi", args: narrowed }, prompt: "x" })
    assert.include(said("--tools", "--no-mcp", "x"), "must have a value")
    assert.deepInclude(said("--session", "s1", "go on"), { session: { _tag: "Resume", sessionId: "s1" }, print: false })
  })
})

describe("pi#the-ceiling", () => {
  it("pi asks for all that a shell may do, whatever its list of tools", () => {
    for (const words of [["-p"], ["--tools", "read"], ["-nt"]])
      assert.deepInclude(said(...words, "x"), { requested: "bypassPermissions" }, words.join(" "))
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
      assert.isTrue(Result.isFailure(parseCommand(JSON.stringify(["pi", ...flags]))), flags.join(" "))
    }
    assert.include(said("@file"), "names a file")
    assert.include(said("one", "two"), "quote it")
    assert.include(said("-p", "- [ ] first task"), "write it behind a --")
    for (const words of [["install", "x"], ["mcp", "list"], ["--version"]]) assert.isUndefined(said(...words))
  })
})

it.layer(HostServices.layer)((it) => {
  const launched = (args: ReadonlyArray<string>, more: Partial<AgentOrder> = {}, agentDir = "/pi") =>
    piCommand(
      {
        agentDir,
        agentCommand: { program: process.execPath, args },
        environment: { PATH: "/bin", PI_SESSION_ID: "old", PI_CODING_AGENT_DIR: "/c", SECRET: "s" }
      },
      {
        session: { _tag: "Resume", sessionId: "s1" },
        permission: clamp("bypassPermissions", "bypassPermissions"),
        prompt: "@home",
        print: true,
        ...more
      },
      (sessionId) =>
        sessionId === "s1"
          ? Effect.succeed({ sessionId, path: "/pi/sessions/--p--/2026-01-01T00-00-00-000Z_s1.jsonl" })
          : Effect.fail(
              new SessionNotFound({ sessionId, reason: sessionId === "s2" ? "missing" : "ambiguous", message: "two" })
            )
    )

  describe("pi#the-ceiling", () => {
    it.effect("a launch below the highest permission is refused, and a list of tools of the user's stays", () =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip(launched([], { permission: clamp("acceptEdits", "acceptEdits") }))
        assert.include(refused.message, "MAX_EXTERNAL_PERMISSION=bypassPermissions")
        const { args, environment, input } = yield* launched(["--tools", "read,bash"])
        assert.deepStrictEqual(args, [
          "--tools",
          "read,bash",
          "-p",
          "--session",
          "/pi/sessions/--p--/2026-01-01T00-00-00-000Z_s1.jsonl"
        ])
        assert.strictEqual(input, "@home")
        assert.deepStrictEqual(environment, { PATH: "/bin", PI_CODING_AGENT_DIR: "/c", PI_SESSION_ID: "s1" })
      })
    )
  })

  describe("pi#the-command-line", () => {
    it.effect("a window with a prompt asks for no trust in its folder, unless pi would not ask", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const agentDir = yield* fs.makeTempDirectoryScoped()
        const project = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        const permission = clamp("bypassPermissions", "bypassPermissions")
        const unasked = Effect.fnUntraced(function* (more: Partial<AgentOrder> = {}) {
          const order = { permission, print: false, prompt: "Go on.", folder: `${project}/below`, ...more }
          const { args } = yield* launched([], order, agentDir)
          assert.deepStrictEqual(Option.getOrUndefined(ofLaunch({ program: "/bin/pi", args }, "s1"))?.args, [])
          return args.includes("--no-approve")
        })
        assert.isTrue(yield* unasked())
        assert.isFalse(yield* unasked({ prompt: "" }))
        assert.isFalse(yield* unasked({ print: true }))
        for (const [name, text, asks] of [
          ["trust.json", { [project]: true }, false],
          ["trust.json", { [project]: true, [`${project}/below`]: false }, true],
          ["trust.json", {}, true],
          ["settings.json", { defaultProjectTrust: "always" }, false],
          ["settings.json", { defaultProjectTrust: "ask" }, true]
        ] as const) {
          yield* fs.writeFileString(`${agentDir}/${name}`, JSON.stringify(text))
          assert.strictEqual(yield* unasked(), asks, `${name} ${JSON.stringify(text)}`)
        }
      })
    )
  })

  describe("pi#sessions", () => {
    it.effect("a session is resumed by its file, and one of several files is not", () =>
      Effect.gen(function* () {
        const resumed = (sessionId: string) => launched([], { session: { _tag: "Resume", sessionId } })
        const { args, program } = yield* resumed("s1")
        assert.strictEqual(args.at(-2), "--session")
        const of = ofLaunch({ program: "/bin/pi", args: ["--model", "m", ...args] }, "s1")
        assert.deepStrictEqual(Option.getOrUndefined(of), { program: "/bin/pi", args: ["--model", "m"] }, program)
        // The user's own list stays if none of our flags precedes the session.
        const own = ofLaunch({ program: "/bin/pi", args: ["--tools", "read,bash", "--session-id", "s1"] }, "s1")
        assert.deepStrictEqual(Option.getOrUndefined(own)?.args, ["--tools", "read,bash"])
        assert.isTrue(Option.isNone(ofLaunch({ program: "/bin/pi", args }, "s9")))
        assert.deepStrictEqual((yield* resumed("s2")).args.slice(-2), ["--session-id", "s2"])
        assert.strictEqual((yield* Effect.flip(resumed("s3")))._tag, "AgentNotFound")
      })
    )
  })

  describe("pi#the-command-line", () => {
    it.effect("a prompt in a window names no file, and the session waits for a person", () =>
      Effect.gen(function* () {
        const { args, input, window } = yield* launched([], { print: false })
        assert.deepStrictEqual(args.slice(-4), ["--session", args.at(-3), "--", " @home"])
        assert.deepStrictEqual([input, window], [undefined, true])
      })
    )
  })
})
