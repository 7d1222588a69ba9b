import { Agent, clamp, parseSessionId } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Option, Result, Schema } from "effect"
import { claudeCode } from "../../src/claude/ClaudeCode.ts"
import { claudeFolder, running, services } from "./support/ClaudeFolder.ts"

const order = {
  session: { _tag: "Resume", sessionId: "abc-1" },
  permission: clamp("bypassPermissions", "acceptEdits"),
  prompt: "--dangerously-skip-permissions; $(id)\nsecond line",
  print: false
} as const
it.layer(services)((it) => {
  const agent = (program: string, environment: Readonly<Record<string, string>>, also: ReadonlyArray<string> = []) =>
    Effect.service(Agent).pipe(
      Effect.provide(
        claudeCode
          .layer({
            agentDir: "/nowhere",
            agentCommand: { program, args: ["--model", "opus"] },
            environment,
            environmentAllowed: also
          })
          .pipe(Layer.provide(running()))
      )
    )

  describe("behaviour#launch", () => {
    it.effect("the prompt comes after the flags, and each argument stays as it is", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* claudeFolder({ "plain/claude": "", "bin/claude": "", "both/claude/x": "" })
        yield* fs.chmod(`${folder}/bin/claude`, 0o755)
        const environment = { PATH: `relative:${folder}/both:${folder}/plain::${folder}/bin` }
        const claude = yield* agent("claude", environment)
        assert.deepStrictEqual(yield* claude.command(order), {
          program: `${folder}/bin/claude`,
          args: ["--model", "opus", "--resume", "abc-1", "--permission-mode", "acceptEdits", "--", order.prompt],
          window: true,
          environment
        })
        const fresh = yield* claude.command({ ...order, session: { _tag: "Fresh", sessionId: "abc-2" }, print: true })
        assert.deepStrictEqual(fresh.args.slice(2, 5), ["--session-id", "abc-2", "-p"])
        assert.deepStrictEqual(fresh.args.slice(5), ["--permission-mode", "acceptEdits"])
        assert.strictEqual(fresh.input, order.prompt)
        const byPath = yield* agent(`${folder}/bin/../bin/claude`, {})
        assert.strictEqual((yield* byPath.command(order)).program, `${folder}/bin/claude`)
      })
    )

    it.effect("a launch that is held to a lower mode gets that mode", () =>
      Effect.gen(function* () {
        const claude = yield* agent("/bin/true", {})
        const modeOf = (heldTo: "plan" | "asks") =>
          Effect.map(claude.command({ ...order, heldTo }), ({ args }) => args[args.indexOf("--permission-mode") + 1])
        assert.deepStrictEqual([yield* modeOf("plan"), yield* modeOf("asks")], ["plan", "default"])
      })
    )

    it.effect("a launch fails without its program, or with an id that cannot be one", () =>
      Effect.gen(function* () {
        const folder = yield* claudeFolder({ "plain/claude": "" })
        const failure = (program: string, sessionId = "abc") =>
          agent(program, { PATH: `${folder}/plain` }).pipe(
            Effect.flatMap((claude) => claude.command({ ...order, session: { _tag: "Resume", sessionId } })),
            Effect.flip
          )
        assert.include((yield* failure("claude")).problem, "PATH")
        assert.include((yield* failure(`${folder}/plain/claude`)).problem, "is not an executable file")
        assert.include((yield* failure("/bin/sh", "--dangerously-skip-permissions")).problem, "session id")
      })
    )
  })

  const Hostile = Schema.Union([
    Schema.String,
    Schema.Literals([
      "--permission-mode=bypassPermissions",
      "--dangerously-skip-permissions",
      "-p",
      "--",
      "$(touch x)",
      "`x`; rm",
      "../../x",
      "*",
      "\n--settings={}"
    ])
  ])

  describe("claude-code#permissions", () => {
    it.effect.prop(
      "neither prompt nor session id is ever a flag: a bad id is refused, and a prompt is the last word",
      [Hostile, Hostile],
      ([prompt, sessionId]) =>
        Effect.gen(function* () {
          const claude = yield* agent("/bin/sh", {})
          for (const print of [true, false]) {
            const made = yield* Effect.option(
              claude.command({ ...order, prompt, print, session: { _tag: "Resume", sessionId } })
            )
            if (Option.isNone(made)) assert.isTrue(Result.isFailure(parseSessionId(sessionId)))
            else {
              assert.match(sessionId, /^[A-Za-z0-9][A-Za-z0-9_-]*$/u)
              const flags = [
                "--model",
                "opus",
                "--resume",
                sessionId,
                ...(print ? ["-p"] : []),
                "--permission-mode",
                "acceptEdits"
              ]
              assert.deepStrictEqual(made.value.args, [...flags, ...(prompt === "" || print ? [] : ["--", prompt])])
              assert.strictEqual(made.value.input, print && prompt !== "" ? prompt : undefined)
            }
          }
        })
    )

    it.effect("a successor may read its export, that one file alone, and only if the program is Claude", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* claudeFolder({ "bin/claude": "", "bin/stub": "" })
        for (const name of ["claude", "stub"]) yield* fs.chmod(`${folder}/bin/${name}`, 0o755)
        const reads = "/home/a (b)/x[1]*.md"
        const claude = yield* agent("claude", { PATH: `${folder}/bin` })
        const { args } = yield* claude.command({ ...order, reads })
        assert.deepStrictEqual(args.slice(2), [
          `--settings=${JSON.stringify({ permissions: { allow: [String.raw`Read(//home/a \(b\)/x\[1\]\*.md)`] } })}`,
          "--resume",
          "abc-1",
          "--permission-mode",
          "acceptEdits",
          "--",
          order.prompt
        ])
        const stub = yield* agent("stub", { PATH: `${folder}/bin` })
        assert.notInclude((yield* stub.command({ ...order, reads })).args.join(" "), "--settings")
      })
    )
  })

  describe("behaviour#secrets", () => {
    it.effect("the answer of a launch in print mode has its form, unless the program may not know the flag", () =>
      Effect.gen(function* () {
        const form = { schema: '{"type":"object"}', file: "/state/verdict-reviewer.json" }
        const folder = yield* claudeFolder({ claude: "" })
        yield* (yield* FileSystem.FileSystem).chmod(`${folder}/claude`, 0o755)
        const claude = yield* agent(`${folder}/claude`, {})
        assert.strictEqual(claude.answersInForm, "at the end")
        const printed = yield* claude.command({ ...order, form, print: true })
        assert.deepStrictEqual(printed.args.slice(-2), ["--json-schema", form.schema])
        assert.notInclude((yield* claude.command({ ...order, form })).args, "--json-schema")
        const other = yield* agent("/bin/true", {})
        assert.isUndefined(other.answersInForm)
        assert.notInclude((yield* other.command({ ...order, form, print: true })).args, "--json-schema")
      })
    )

    it.effect("a prompt that the agent reads on standard input is not in the command line", () =>
      Effect.gen(function* () {
        const claude = yield* agent("/bin/sh", {})
        const words = (more: object) =>
          Effect.map(claude.command({ ...order, ...more }), ({ args, input, window }) => [args.at(-1), input, window])
        assert.deepStrictEqual(yield* words({ print: true }), ["acceptEdits", order.prompt, undefined])
        // A window's standard input is a person's; by its word a session that compacts is known, and it says nothing.
        assert.deepStrictEqual(yield* words({ print: false }), [order.prompt, undefined, true])
        assert.deepStrictEqual(yield* words({ print: true, prompt: "/compact" }), ["/compact", undefined, undefined])
        assert.deepStrictEqual(yield* words({ print: true, prompt: "" }), ["acceptEdits", undefined, undefined])
      })
    )
  })

  describe("claude-code#environment", () => {
    it.effect("an agent gets the user's variables, and none of a session around souffleur", () =>
      Effect.gen(function* () {
        const handed = {
          PATH: "/bin",
          HOME: "/home/user",
          LC_ALL: "C",
          XDG_RUNTIME_DIR: "/run/user/1",
          https_proxy: "http://proxy",
          ANTHROPIC_API_KEY: "key",
          CLAUDE_CONFIG_DIR: "/c",
          CLAUDE_CODE_USE_BEDROCK: "1",
          AWS_PROFILE: "p",
          DISABLE_TELEMETRY: "1",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          BASH_DEFAULT_TIMEOUT_MS: "7200000",
          MY_OWN: "x"
        }
        const kept = {
          CLAUDECODE: "1",
          CLAUDE_PID: "1",
          CLAUDE_CODE_SESSION_ID: "s",
          CLAUDE_CODE_CHILD_SESSION: "1",
          CLAUDE_CODE_ENTRYPOINT: "cli",
          CLAUDE_PROJECT_DIR: "/p",
          CLAUDE_CODE_SSE_PORT: "1",
          BASH_ENV: "/x.sh",
          NODE_OPTIONS: "--require x",
          LD_PRELOAD: "x",
          GOOGLE_APPLICATION_CREDENTIALS: "g",
          OTHER: "x"
        }
        const claude = yield* agent("/bin/sh", { ...handed, ...kept }, ["MY_OWN", "CLAUDECODE", "CLAUDE_PID"])
        assert.deepStrictEqual((yield* claude.command(order)).environment, handed)
        const empty = yield* agent("/bin/sh", { PATH: "/bin", CLAUDE_CONFIG_DIR: "" })
        assert.deepStrictEqual((yield* empty.command(order)).environment, { PATH: "/bin" })
      })
    )

    it.effect("a session's processes are known by their environment", () =>
      Effect.gen(function* () {
        const claude = yield* agent("claude", {})
        assert.deepStrictEqual(claude.tags({ pid: 7, sessionId: "s" }), [
          { environment: { CLAUDE_PID: "7", CLAUDE_CODE_SESSION_ID: "s" } }
        ])
        assert.deepStrictEqual(claude.sessionTag("s"), { environment: { CLAUDE_CODE_SESSION_ID: "s" } })
      })
    )
  })
})
