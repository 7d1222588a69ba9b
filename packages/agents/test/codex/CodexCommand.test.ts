import { Agent, type AgentOrder, clamp, Processes } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { FakeProcesses } from "@souffleur/testing"
import { Effect, FileSystem, Option, Result } from "effect"
import { codex } from "../../src/codex/Codex.ts"
import { codexInPrintMode, launchesCodex, runsCodex } from "../../src/codex/command/CodexVerb.ts"
import { codexCommand, codexCompactPrompt } from "../../src/codex/command/CodexLaunch.ts"
import { makeCodexReader } from "../../src/codex/command/CodexOutput.ts"

const taken = (...words: ReadonlyArray<string>) => codex.takeApart(words, { program: "codex", args: [] })
const literal = (...words: ReadonlyArray<string>) => taken("codex", ...words)
const said = (...words: ReadonlyArray<string>) =>
  Result.match(literal(...words), { onFailure: ({ message }) => message, onSuccess: Option.getOrUndefined })

describe("codex#the-command-line", () => {
  it("a command of codex exec is taken apart: its flags stay, and those of each launch do not", () => {
    assert.deepStrictEqual(said("exec", "-m", "gpt-5", "--json", "-s", "workspace-write", "--", "--yolo"), {
      agentCommand: { program: "codex", args: ["-m", "gpt-5", "--json"] },
      session: undefined,
      print: true,
      requested: "acceptEdits",
      prompt: "--yolo"
    })
    assert.deepInclude(said("exec", "resume", "01a2", "go on"), {
      session: { _tag: "Resume", sessionId: "01a2" },
      prompt: "go on"
    })
    assert.deepInclude(said("exec", "--sandbox=danger-full-access", "x"), { requested: "bypassPermissions" })
    assert.deepInclude(said("exec", "--yolo", "x"), { requested: "bypassPermissions" })
    assert.deepInclude(said("exec", "-c", "model_reasoning_effort=high", "x"), {
      agentCommand: { program: "codex", args: ["-c", "model_reasoning_effort=high"] }
    })
  })

  it("a refusal tells a flag that lifts the ceiling from a flag that is unknown", () => {
    assert.include(said("exec", "--add-dir", "/"), "can lift the permission ceiling")
    assert.include(said("exec", "--future"), "is unknown")
  })
  it("a flag without its value, or with too much of one, is refused with what to write", () => {
    assert.strictEqual(said("exec", "-m", "--json"), "-m must have a value: write it right behind")
    assert.strictEqual(said("exec", "--yolo=x"), "--yolo takes no value: leave the value out")
    assert.strictEqual(said("exec", "--add-dir", "/"), "--add-dir can lift the permission ceiling: leave it out")
  })
})

describe("behaviour#permission-ceiling", () => {
  it("a flag that lifts the ceiling is refused, and so is each flag that is not understood", () => {
    for (const flags of [
      ["--add-dir", "/"],
      ["--approve-for-me"],
      ["--full-auto"],
      ["-p", "night"],
      ["--profile=night"],
      ["--trust"],
      ["--dangerously-bypass-hook-trust"],
      ["--enable", "x"],
      ["-a", "never"],
      ["-c", 'sandbox_mode="danger-full-access"'],
      ["--config=sandbox_workspace_write.network_access=true"],
      ["-c", "approval_policy=never"],
      ["-c", "mcp_servers.x.command=sh"],
      ["-c", "model_providers.x.auth.command=sh"],
      ["-s", "read-only"],
      ["--ephemeral"],
      ["-C", "/"],
      ["--future"],
      ["--future=x"],
      ["--future", "x"],
      ["-m"]
    ]) {
      assert.isString(said("exec", ...flags), flags.join(" "))
      assert.isTrue(Result.isFailure(codex.parseCommand(JSON.stringify(["codex", ...flags]))), flags.join(" "))
    }
  })

  it("an errand of Codex is any other command, and a session or a prompt that is not clear is refused", () => {
    for (const words of [["login"], ["mcp", "list"], ["--version"], ["exec", "--help"]])
      assert.isUndefined(said(...words), words.join(" "))
    assert.isTrue(Option.isNone(Result.getOrThrow(taken("grep", "codex", "exec"))))
    assert.deepInclude(said("exec", "-"), { print: true, prompt: "" })
    assert.include(said("exec", "one", "two"), "quote it")
    assert.include(said("exec", "resume"), "must name a session")
  })

  it("a subcommand of Codex that is no known errand is refused, with what to write in its place", () => {
    for (const words of [
      ["review"],
      ["fork"],
      ["cloud", "exec"],
      ["app-server"],
      ["mcp-server"],
      ["agents"],
      ["future"]
    ])
      assert.strictEqual(
        said(...words, "do it"),
        `souffleur cannot set the ceiling of codex ${words[0]}: write codex -- PROMPT, or run it without souffleur`
      )
    assert.include(said("hello"), "codex hello: write codex -- hello where that is your prompt, or run it")
    for (const word of ["review", "fork"])
      assert.include(said("exec", word), `cannot set the ceiling of codex exec ${word}: write codex exec -- PROMPT`)
  })
})

describe("codex#in-a-terminal", () => {
  it("an interactive Codex is taken apart, and works in its own process", () => {
    assert.deepStrictEqual(said("-m", "gpt-5", "-s", "danger-full-access", "-a", "never", "--", "--yolo"), {
      agentCommand: { program: "codex", args: ["--no-daemon", "-m", "gpt-5"] },
      session: undefined,
      print: false,
      requested: "bypassPermissions",
      prompt: "--yolo"
    })
    for (const words of [
      ["resume", "01a2", "go on"],
      ["--no-daemon", "resume", "01a2", "--", "go on"]
    ])
      assert.deepStrictEqual(said(...words), {
        agentCommand: { program: "codex", args: ["--no-daemon"] },
        session: { _tag: "Resume", sessionId: "01a2" },
        print: false,
        requested: "acceptEdits",
        prompt: "go on"
      })
    assert.deepInclude(said(), { print: false, prompt: "" })
  })
  it("an interactive Codex that lifts the ceiling, asks, or leaves its process is refused", () => {
    for (const flags of [
      ["--enable", "daemon_auto_start"],
      ["--disable", "hooks"],
      ["-a", "on-request"],
      ["--remote", "unix://"],
      ["--add-dir", "/"],
      ["--approve-for-me"],
      ["--dangerously-bypass-hook-trust"],
      ["-c", 'projects={"/x"={trust_level="trusted"}}'],
      ["-s", "read-only"],
      ["--json"],
      ["--skip-git-repo-check"],
      ["-C", "/"],
      ["resume", "--last"],
      ["resume"],
      ["-m", "gpt-5", "exec", "do it"],
      ["-m", "gpt-5", "fork", "01a2"],
      ["one", "two words"]
    ])
      assert.isString(said(...flags), flags.join(" "))
  })
  it("a process is a Codex by its own program or its launcher's", () => {
    assert.isTrue(runsCodex(["/x/bin/codex", "exec", "--json"]))
    assert.isTrue(runsCodex(["node", "/x/@openai/codex/bin/codex.js", "exec"]))
    for (const words of [[], ["do it"], ["--no-daemon", "--", "do"], ["resume", "01a2"]])
      assert.isTrue(runsCodex(["/x/bin/codex", ...words]), words.join(" "))
    for (const flags of [[], ["-c", "a=b"], ["--config=a=b"], ["-m", "gpt-5", "--oss"], ["--future", "two words"]])
      for (const verb of ["app-server", "mcp-server"])
        assert.isFalse(runsCodex(["codex", ...flags, verb]), `${flags.join(" ")} ${verb}`)
    assert.isTrue(runsCodex(["codex", "-c", "a=b", "exec", "do it"]))
    assert.isFalse(runsCodex(["vi", "codex"]))
  })

  it("a launcher of Codex has its arguments, and an agent above a tool has others", () => {
    const launcher = ["node", "/x/@openai/codex/bin/codex.js", "exec", "--json"]
    assert.isTrue(launchesCodex(launcher, ["/x/vendor/codex", "exec", "--json"]))
    assert.isFalse(launchesCodex(["codex", "--no-daemon"], ["codex", "exec", "do it"]))
    assert.isFalse(launchesCodex(["bash"], ["sh"]))
  })

  it("a Codex ends after its turn where it is exec", () => {
    for (const program of [[], ["/x/bin/codex"], ["node", "/x/@openai/codex/bin/codex.js"]]) {
      assert.isTrue(codexInPrintMode([...program, "exec", "--json"]))
      assert.isTrue(codexInPrintMode([...program, "-m", "gpt-5", "exec", "--json"]))
      assert.isFalse(codexInPrintMode([...program, "--no-daemon", "--", "exec"]))
    }
  })
})

const order = (more: Partial<AgentOrder> = {}): AgentOrder => ({
  session: { _tag: "Fresh", sessionId: "" },
  permission: clamp("acceptEdits", "acceptEdits"),
  prompt: "--yolo",
  print: true,
  ...more
})
const options = (...args: ReadonlyArray<string>) => ({
  agentDir: "/codex",
  agentCommand: { program: process.execPath, args },
  environment: {
    PATH: "/bin",
    HOME: "/h",
    CODEX_HOME: "/c",
    CODEX_SESSION_ID: "old",
    OPENAI_API_KEY: "k",
    SECRET: "s"
  }
})
const line = (more?: Partial<AgentOrder>) => codexCommand(options("-m", "gpt-5"), order(more))
it.layer(HostServices.layer)((it) => {
  /** The launch of an interactive Codex in a folder, as its Codex dir has these settings. */
  const interactive = Effect.fnUntraced(function* (
    more: Partial<AgentOrder>,
    { has = [] as ReadonlyArray<string>, hooks = "{}", settings = "" } = {}
  ) {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-codex-" })
    yield* Effect.forEach(has, (name) => fs.makeDirectory(`${folder}/${name}`, { recursive: true }))
    yield* fs.writeFileString(`${folder}/config.toml`, settings)
    yield* fs.writeFileString(`${folder}/hooks.json`, hooks)
    const { args, input, window } = yield* codexCommand(
      {
        agentDir: folder,
        agentCommand: { program: process.execPath, args: ["--no-daemon", "-m", "gpt-5"] },
        environment: {}
      },
      order({ print: false, folder, ...more })
    )
    return { args, input, window, trust: `projects={"${folder}"={trust_level="trusted"}}` }
  })

  describe("codex#the-command-line", () => {
    it.effect("a launch has its sandbox, also in a resumed session, and its prompt on standard input", () =>
      Effect.gen(function* () {
        const fresh = yield* line()
        assert.deepStrictEqual(fresh.args, ["exec", "-m", "gpt-5", "-s", "workspace-write", "--json", "-"])
        assert.strictEqual(fresh.input, "--yolo")
        assert.deepStrictEqual(fresh.environment, { PATH: "/bin", HOME: "/h", CODEX_HOME: "/c", OPENAI_API_KEY: "k" })
        const session = { _tag: "Resume", sessionId: "01a2" } as const
        const permission = clamp("bypassPermissions", "bypassPermissions")
        const resumed = yield* line({ session, permission, print: false })
        // Its session has worked in that folder before, perhaps outside of a repository.
        const goesOn = ["--skip-git-repo-check", "--json", "resume", "01a2", "-"]
        assert.deepStrictEqual(resumed.args.slice(3), ["-s", "danger-full-access", ...goesOn])
        assert.deepStrictEqual([resumed.input, resumed.window], ["--yolo", undefined])
        const held = yield* line({ session, heldTo: "asks" })
        assert.deepStrictEqual(held.args.slice(3, 5), ["-s", "read-only"])
        const { args } = yield* line({ session })
        assert.deepStrictEqual(
          Option.map(codex.ofLaunch({ program: "/bin/codex", args }, ""), (command) => command.args),
          Option.some(["-m", "gpt-5"])
        )
      })
    )

    it.effect("an agent that is to change nothing is in the sandbox read-only, whatever its ceiling is", () =>
      Effect.gen(function* () {
        const permission = clamp("bypassPermissions", "bypassPermissions")
        const { args } = yield* interactive({ print: true, looks: true, permission })
        assert.deepStrictEqual(args, ["exec", "-m", "gpt-5", "-s", "read-only", "--json", "-"])
      })
    )
  })

  const agentWith = (...args: ReadonlyArray<string>) =>
    Agent.pipe(
      Effect.provide(codex.layer(options(...args))),
      Effect.provideService(Processes, new FakeProcesses().service)
    )

  describe("codex#sessions", () => {
    it.effect("a session begins without an id, and none is resumed without one", () =>
      Effect.gen(function* () {
        const { command } = yield* agentWith()
        assert.notInclude((yield* command(order())).args, "resume")
        for (const sessionId of ["", "--last"]) {
          const refused = yield* Effect.flip(command(order({ session: { _tag: "Resume", sessionId } })))
          assert.strictEqual(refused.message, "cannot run codex: the session id cannot be one")
        }
      })
    )
  })

  describe("command-line#screen", () => {
    it.effect("a pipe gets words in place of records, unless the user's own --json asks for them", () =>
      Effect.gen(function* () {
        const record = JSON.stringify({ type: "turn.failed", error: { message: "limit" } })
        const into = (where: "pipe" | "terminal", ...args: ReadonlyArray<string>) =>
          Effect.map(agentWith(...args), ({ outputReader }) => outputReader(where)(record))
        assert.deepStrictEqual(yield* into("pipe", "-m", "gpt-5"), Option.some("limit"))
        assert.deepStrictEqual(yield* into("pipe", "--json"), Option.none())
        assert.deepStrictEqual(yield* into("terminal", "--json"), Option.some("limit"))
        const { args } = yield* codexCommand(options("--json", "-m", "gpt-5"), order())
        assert.deepStrictEqual(args, ["exec", "--json", "-m", "gpt-5", "-s", "workspace-write", "-"])
        assert.deepStrictEqual(
          Option.map(codex.ofLaunch({ program: "/bin/codex", args }, ""), (command) => command.args),
          Option.some(["--json", "-m", "gpt-5"])
        )
      })
    )
    it.effect("an error is shown once, and a like record of another program is text", () =>
      Effect.gen(function* () {
        const { outputReader } = yield* agentWith()
        const read = outputReader("pipe")
        const records = [
          { type: "error", message: "the limit" },
          { type: "turn.failed", error: { message: "the limit" } },
          { type: "error", error: { type: "overloaded" } }
        ]
        assert.deepStrictEqual(
          records.map((record) => read(JSON.stringify(record))),
          [Option.some("the limit"), Option.some(""), Option.none()]
        )
      })
    )
  })

  describe("codex#in-a-terminal", () => {
    it.effect("an interactive Codex in a window has its ceiling, asks nothing, and its prompt is no flag", () =>
      Effect.gen(function* () {
        const { args, input, trust, window } = yield* interactive({ session: { _tag: "Resume", sessionId: "01a2" } })
        assert.deepStrictEqual([input, window], [undefined, true])
        const quiet = ["-c", "check_for_update_on_startup=false", "-c", trust, "--disable", "hooks"]
        const begin = ["--no-daemon", "-m", "gpt-5", "-s", "workspace-write", "-a", "never"]
        assert.deepStrictEqual(args, [...begin, ...quiet, "resume", "01a2", "--", "--yolo"])
        assert.deepStrictEqual(
          Option.map(codex.ofLaunch({ program: "/bin/codex", args }, ""), (command) => command.args),
          Option.some(["--no-daemon", "-m", "gpt-5"])
        )
        assert.strictEqual((yield* interactive({ prompt: "" })).args.at(-1), "hooks")
      })
    )

    it.effect(
      "a launch trusts no settings of its folder that a person has not seen, and has hooks where one approved each",
      () =>
        Effect.gen(function* () {
          const unseen = yield* interactive({}, { has: [".codex/rules"] })
          assert.notInclude(unseen.args, unseen.trust)
          const permission = clamp("bypassPermissions", "bypassPermissions")
          const lifted = yield* interactive({ permission }, { has: [".codex/rules"] })
          assert.include(lifted.args, lifted.trust)
          const empty = yield* interactive({}, { has: [".codex"] })
          assert.include(empty.args, empty.trust)
          const settings = '[hooks.state."x"]\ntrusted_hash = "sha256:0"\n'
          assert.notInclude((yield* interactive({}, { settings })).args, "hooks")
          const changed = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/moved"}]}]}}'
          assert.include((yield* interactive({}, { settings, hooks: changed })).args, "hooks")
        })
    )

    it.effect("the answers of codex exec have the form of the launch", () =>
      Effect.gen(function* () {
        const form = { schema: "{}", file: "/state/verdict-reviewer.json" }
        const { args } = yield* interactive({ print: true, form, session: { _tag: "Resume", sessionId: "01a2" } })
        const begin = ["exec", "-m", "gpt-5", "-s", "workspace-write", "--skip-git-repo-check", "--json"]
        assert.deepStrictEqual(args, [...begin, "--output-schema", form.file, "resume", "01a2", "-"])
        assert.notInclude((yield* interactive({ form })).args, "--output-schema")
      })
    )

    it.effect("an interactive Codex without a window is codex exec", () =>
      Effect.gen(function* () {
        const { args, input } = yield* interactive({ print: true })
        assert.deepStrictEqual(args, ["exec", "-m", "gpt-5", "-s", "workspace-write", "--json", "-"])
        assert.strictEqual(input, "--yolo")
      })
    )
  })

  describe("codex#compaction", () => {
    it.effect("a session compacts by exec, in no window: it changes nothing, and is known by its word", () =>
      Effect.gen(function* () {
        for (const print of [true, false]) {
          const session = { _tag: "Resume", sessionId: "01a2" } as const
          const { args, input, window } = yield* interactive({ session, prompt: codexCompactPrompt, print })
          const own = yield* codexCommand(
            options("--skip-git-repo-check"),
            order({ session, prompt: codexCompactPrompt })
          )
          assert.lengthOf(
            own.args.filter((arg) => arg === "--skip-git-repo-check"),
            1
          )
          assert.deepStrictEqual([input, window], [undefined, undefined])
          const limited = ["exec", "-m", "gpt-5", "-s", "read-only", "-c", "model_auto_compact_token_limit=1"]
          const resumed = ["--skip-git-repo-check", "--json", "resume", "01a2", "--", codexCompactPrompt]
          assert.deepStrictEqual(args, [...limited, ...resumed])
        }
      })
    )
  })
})

describe("behaviour#last-words", () => {
  it("the output shows each answer and a line for each tool, and words that are no record stay", () => {
    const read = makeCodexReader()
    const shown = (record: unknown) => read(JSON.stringify(record))
    const item = (type: string, more: object) => shown({ type, item: { id: "i", ...more } })
    assert.deepStrictEqual(item("item.completed", { type: "agent_message", text: "Done." }), Option.some("Done."))
    assert.deepStrictEqual(
      item("item.started", { type: "command_execution", command: "ls\u001b[2J" }),
      Option.some("· command_execution: ls\\u001b[2J")
    )
    assert.deepStrictEqual(shown({ type: "turn.failed", error: { message: "limit" } }), Option.some("limit"))
    assert.deepStrictEqual(shown({ type: "thread.started", thread_id: "x" }), Option.some(""))
    assert.deepStrictEqual(read("WARNING: words"), Option.none())
    assert.deepStrictEqual(shown({ type: "other" }), Option.none())
  })
})
