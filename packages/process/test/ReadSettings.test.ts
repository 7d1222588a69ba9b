import { claudeCode } from "@souffleur/agents"
import { flagsOf, readGiven, type SettingFlags, Settings } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { loadSettings } from "@souffleur/process"
import { assert, describe, layer } from "@effect/vitest"
import { Duration, Effect, FileSystem, Path, Result } from "effect"

const home = { HOME: "/home/someone" }

layer(HostServices.layer)("loadSettings", (it) => {
  const load = Effect.fnUntraced(function* (
    options: {
      readonly file?: string
      readonly environment?: Readonly<Record<string, string | undefined>>
      readonly flags?: SettingFlags
    } = {}
  ) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const parent = yield* fs.makeTempDirectoryScoped()
    const projectDir = path.join(parent, "project")
    yield* fs.makeDirectory(path.join(projectDir, ".orchestra_configs"), { recursive: true })
    if (options.file !== undefined)
      yield* fs.writeFileString(path.join(projectDir, ".orchestra_configs", "souffleur"), options.file)
    return yield* loadSettings({
      agent: claudeCode,
      projectDir,
      environment: { ...home, ...options.environment },
      flags: options.flags ?? {}
    })
  })
  const refused = (options: Parameters<typeof load>[0]) =>
    load(options).pipe(Effect.catchTag("PlatformError", Effect.die), Effect.flip)

  describe("behaviour#answers-from-a-phone", () => {
    it.effect("the user's environment alone turns buttons on, and no config file", () =>
      Effect.gen(function* () {
        const { notifyAnswers, warnings } = yield* load({ file: "NOTIFY_ANSWERS=yes\n" })
        assert.strictEqual(notifyAnswers, "no")
        assert.lengthOf(warnings, 1)
        const given = (text: string) => ({ environment: { SOUFFLEUR_NOTIFY_ANSWERS: text } })
        assert.strictEqual((yield* load(given("yes"))).notifyAnswers, "yes")
        assert.strictEqual((yield* load(given(""))).notifyAnswers, "no")
        assert.include((yield* refused(given("true"))).message, "SOUFFLEUR_NOTIFY_ANSWERS")
      }).pipe(Effect.scoped)
    )
  })

  describe("settings#agent-command", () => {
    it.effect(
      "names of the environment that agents get are names, at most fifty, and none that changes what is launched or whose it is",
      () =>
        Effect.gen(function* () {
          const given = (text: string) => load({ environment: { SOUFFLEUR_AGENT_ENVIRONMENT: text } })
          assert.deepStrictEqual((yield* given("GH_TOKEN, JAVA_HOME ,GH_TOKEN,_x9")).agentEnvironment, [
            "GH_TOKEN",
            "JAVA_HOME",
            "_x9"
          ])
          assert.deepStrictEqual((yield* load({ file: "AGENT_ENVIRONMENT=GIT_AUTHOR_NAME\n" })).agentEnvironment, [
            "GIT_AUTHOR_NAME"
          ])
          const forbidden =
            "PATH LD_PRELOAD DYLD_INSERT_LIBRARIES NODE_OPTIONS BASH_ENV ENV GIT_DIR GIT_CONFIG_COUNT SOUFFLEUR_LAUNCH_ID CLAUDECODE CLAUDE_CODE_SESSION_ID"
          for (const name of forbidden.split(" ")) {
            const error = yield* refused({ environment: { SOUFFLEUR_AGENT_ENVIRONMENT: `GH_TOKEN,${name}` } })
            assert.strictEqual(error.name, "SOUFFLEUR_AGENT_ENVIRONMENT")
            assert.include(error.problem, `must not name ${name}`)
          }
          // A key that was pasted is not repeated.
          for (const text of [
            "GH_TOKEN=sk-1234",
            "9LIVES",
            "A,,B",
            "A B",
            ",",
            Array.from({ length: 51 }, (_, n) => `A${n}`).join()
          ]) {
            const error = yield* refused({ environment: { SOUFFLEUR_AGENT_ENVIRONMENT: text } })
            assert.match(error.problem, /must be at most 50 names/u)
            assert.notInclude(error.problem, "sk-1234")
          }
          const inFile = yield* load({ file: "AGENT_ENVIRONMENT=GH_TOKEN,LD_PRELOAD\n" })
          assert.deepStrictEqual(inFile.agentEnvironment, [])
          assert.match(inFile.warnings.join(), /line 1: AGENT_ENVIRONMENT must not name LD_PRELOAD.*default is used/u)
        })
    )
  })

  describe("settings#keys", () => {
    it.effect("the defaults apply without any source, and without a warning", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(Settings.json(yield* load()), {
          force_compact_threshold_tokens: 400_000,
          max_external_permission: "acceptEdits",
          agent_command: "claude",
          agent_environment: [],
          recovery: null,
          recovery_command: null,
          export_command: null,
          launcher: "auto",
          terminal_command: null,
          trim_chars: 800_000,
          watcher_initial_wait: "240 seconds",
          watcher_interval: "60 seconds",
          heartbeat_stale_after: "240 seconds",
          monitor_initial_wait: "360 seconds",
          monitor_interval: "180 seconds",
          monitor_stale_after: "180 seconds",
          validation_retry_interval: "30 seconds",
          compact_poll_interval: "1 seconds",
          compact_timeout: "300 seconds",
          stall_after: null,
          handoff_within: "900 seconds",
          max_tokens: null,
          max_time: null,
          max_dollars: null,
          quiet_hours: null,
          stop_grace: "10 seconds",
          verify_timeout: "1800 seconds",
          task_stale_after: "540 seconds",
          implementer_timeout: "3600 seconds",
          reviewer_timeout: "1800 seconds",
          launch_spacing: "5 seconds",
          limit_margin: "60 seconds",
          restart_pause: "1 seconds",
          keep_awake: "no",
          until: null,
          rounds: 5,
          notify: [],
          page_url: null,
          notify_answers: "no",
          state_dir: "/home/someone/.local/state/souffleur",
          agent_dir: "/home/someone/.claude",
          warnings: [],
          source: null
        })
      })
    )
  })

  describe("settings#sources", () => {
    it.effect("a flag is stronger than the environment, which is stronger than the file", () =>
      Effect.gen(function* () {
        const file = "TRIM_CHARS=1\nLAUNCHER=tmux\nSTOP_GRACE=3 seconds"
        const environment = { SOUFFLEUR_TRIM_CHARS: "2", SOUFFLEUR_LAUNCHER: "headless" }
        const settings = yield* load({ file, environment, flags: { trimChars: "3" } })
        assert.strictEqual(settings.trimChars, 3)
        assert.strictEqual(settings.launcher, "headless")
        assert.strictEqual(Duration.toMillis(settings.stopGrace), 3000)
        assert.isNotNull(settings.source)
      })
    )
    it.effect("the threshold and the ceiling come from the file alone", () =>
      Effect.gen(function* () {
        const environment = {
          SOUFFLEUR_FORCE_COMPACT: "1",
          FORCE_COMPACT: "1",
          SOUFFLEUR_MAX_EXTERNAL_PERMISSION: "bypassPermissions",
          MAX_EXTERNAL_PERMISSION: "bypassPermissions"
        }
        const flags = { forceCompactThresholdTokens: "1", maxExternalPermission: "bypassPermissions" }
        const without = yield* load({ environment, flags })
        assert.isNull(without.forceCompactThresholdTokens)
        assert.strictEqual(without.maxExternalPermission, "acceptEdits")
        const ignored = ["FORCE_COMPACT", "MAX_EXTERNAL_PERMISSION"].map(
          (key) => `SOUFFLEUR_${key} is not read: ${key} comes from the config file alone`
        )
        assert.deepStrictEqual(without.warnings, ignored)
        assert.deepStrictEqual((yield* load({ environment: { SOUFFLEUR_FORCE_COMPACT: " " } })).warnings, [])
        const file = "FORCE_COMPACT=5\nMAX_EXTERNAL_PERMISSION=bypassPermissions"
        const withFile = yield* load({ file, environment })
        assert.strictEqual(withFile.forceCompactThresholdTokens, 5)
        assert.strictEqual(withFile.maxExternalPermission, "bypassPermissions")
      })
    )

    it.effect("an invalid variable or flag fails with its name, its value and what it must be", () =>
      Effect.gen(function* () {
        const variable = yield* refused({ environment: { SOUFFLEUR_TRIM_CHARS: "many" } })
        assert.strictEqual(variable._tag, "BadSetting")
        assert.deepStrictEqual([variable.name, variable.value], ["SOUFFLEUR_TRIM_CHARS", "many"])
        const flag = yield* refused({ flags: { stopGrace: "" }, environment: { SOUFFLEUR_STOP_GRACE: "1 second" } })
        assert.deepStrictEqual([flag.name, flag.value], ["--stop-grace", ""])
        assert.strictEqual((yield* refused({ flags: { agentCommand: " " } })).name, "--agent-command")
        assert.strictEqual((yield* refused({ environment: { SOUFFLEUR_LAUNCHER: "Auto" } })).name, "SOUFFLEUR_LAUNCHER")
      })
    )

    it.effect("the words that open a window are a program, or a JSON array of words, none of them empty", () =>
      Effect.gen(function* () {
        const read = (text: string) =>
          Effect.map(load({ environment: { SOUFFLEUR_TERMINAL_COMMAND: text } }), (all) => all.terminalCommand)
        assert.deepStrictEqual(yield* read("foot"), ["foot"])
        assert.deepStrictEqual(yield* read(' ["wezterm","start","--"] '), ["wezterm", "start", "--"])
        for (const text of ["[]", '["kitty"', '["kitty",""]', '["kitty",7]', '["kit\\u0000ty"]']) {
          const { problem } = yield* refused({ environment: { SOUFFLEUR_TERMINAL_COMMAND: text } })
          assert.strictEqual(problem, 'must be a program, or words such as ["kitty","--"]', text)
        }
      })
    )

    it.effect("an empty variable counts as not set", () =>
      Effect.gen(function* () {
        const settings = yield* load({ file: "TRIM_CHARS=7", environment: { SOUFFLEUR_TRIM_CHARS: "" } })
        assert.strictEqual(settings.trimChars, 7)
      })
    )
  })

  describe("settings#folders", () => {
    it.effect("the folders come from the environment alone", () =>
      Effect.gen(function* () {
        const file = "STATE_DIR=/elsewhere\nCLAUDE_DIR=/elsewhere"
        const settings = yield* load({ file })
        assert.strictEqual(settings.warnings.length, 2)
        assert.strictEqual(settings.stateDir, "/home/someone/.local/state/souffleur")
        const folders = Effect.fnUntraced(function* (environment: Record<string, string>) {
          const { stateDir, agentDir } = yield* load({ environment })
          return [stateDir, agentDir]
        })
        assert.deepStrictEqual(yield* folders({ XDG_STATE_HOME: "/x", CLAUDE_CONFIG_DIR: "/c" }), [
          "/x/souffleur",
          "/c"
        ])
        assert.deepStrictEqual(yield* folders({ XDG_STATE_HOME: "x", CLAUDE_CONFIG_DIR: "" }), [
          "/home/someone/.local/state/souffleur",
          "/home/someone/.claude"
        ])
        assert.deepStrictEqual(
          yield* folders({
            XDG_STATE_HOME: "/x",
            CLAUDE_CONFIG_DIR: "/c",
            SOUFFLEUR_STATE_DIR: "/s",
            SOUFFLEUR_CLAUDE_DIR: "/d",
            HOME: ""
          }),
          ["/s", "/d"]
        )
        assert.strictEqual((yield* refused({ environment: { HOME: "" } })).name, "HOME")
      })
    )
  })

  describe("settings#config-file", () => {
    it.effect("an invalid value in the file gives a warning with line and key, and the default", () =>
      Effect.gen(function* () {
        const file = [
          "FORCE_COMPACT=0",
          "MAX_EXTERNAL_PERMISSION=BypassPermissions",
          "TRIM_CHARS=1e6",
          "LAUNCHER=screen",
          "STOP_GRACE=soon",
          "WATCHER_INTERVAL=0 seconds",
          "AGENT_COMMAND="
        ]
        const settings = yield* load({ file: file.join("\n") })
        assert.strictEqual(settings.warnings.length, file.length)
        for (const [index, line] of file.entries()) {
          const key = line.split("=")[0]!
          assert.isTrue(
            settings.warnings.some((warning) => warning.startsWith(`line ${index + 1}: ${key} `)),
            key
          )
        }
        assert.deepStrictEqual(
          { ...Settings.json(settings), warnings: [], source: null },
          { ...Settings.json(yield* load()), warnings: [], source: null }
        )
      })
    )
  })

  describe("settings#values", () => {
    it.effect("positive integers are digits that a number can hold", () =>
      Effect.gen(function* () {
        for (const bad of [
          "-1",
          "+1",
          "0",
          "1.5",
          "1e3",
          "0x10",
          "1_000",
          "NaN",
          "Infinity",
          "99999999999999999999",
          "5 tokens"
        ]) {
          const settings = yield* load({ file: `FORCE_COMPACT=${bad}` })
          assert.isNull(settings.forceCompactThresholdTokens, bad)
          assert.strictEqual(settings.warnings.length, 1, bad)
        }
      })
    )

    it.effect("an amount is dollars with two decimals at most, and a duration two weeks at most", () =>
      Effect.gen(function* () {
        for (const [text, amount] of [
          ["25", 25],
          ["2.50", 2.5]
        ] as const)
          assert.strictEqual((yield* load({ environment: { SOUFFLEUR_MAX_DOLLARS: text } })).maxDollars, amount)
        for (const text of ["0", "0.00", "2.505", "2,50", "-1", "$5", "1e3", ".5"])
          assert.strictEqual((yield* refused({ environment: { SOUFFLEUR_MAX_DOLLARS: text } })).value, text)
        const longest = { SOUFFLEUR_MAX_TIME: "2 weeks" }
        assert.deepStrictEqual((yield* load({ environment: longest })).maxTime, Duration.weeks(2))
        for (const text of ["1209601 seconds", "15 days"])
          assert.strictEqual((yield* refused({ environment: { SOUFFLEUR_MAX_TIME: text } })).value, text)
      })
    )

    it.effect("hostile durations are refused", () =>
      Effect.gen(function* () {
        const always = [
          "-1 seconds",
          "Infinity",
          "-Infinity",
          "NaN",
          "NaN seconds",
          "1e9 seconds",
          "60",
          "60 x",
          "9999999 weeks",
          "seconds"
        ]
        for (const bad of always) {
          assert.strictEqual((yield* refused({ environment: { SOUFFLEUR_STOP_GRACE: bad } })).value, bad)
          assert.strictEqual((yield* refused({ environment: { SOUFFLEUR_WATCHER_INTERVAL: bad } })).value, bad)
        }
        for (const nothing of ["0 seconds", "0 nanos", "1 nano", "999 micros"]) {
          assert.strictEqual((yield* refused({ environment: { SOUFFLEUR_WATCHER_INTERVAL: nothing } })).value, nothing)
          assert.strictEqual(
            (yield* refused({ environment: { SOUFFLEUR_HEARTBEAT_STALE_AFTER: nothing } })).value,
            nothing
          )
        }
        const settings = yield* load({
          environment: {
            SOUFFLEUR_STOP_GRACE: "0 seconds",
            SOUFFLEUR_WATCHER_INITIAL_WAIT: "0 millis",
            SOUFFLEUR_WATCHER_INTERVAL: "50 millis"
          }
        })
        assert.strictEqual(Duration.toMillis(settings.stopGrace), 0)
        assert.strictEqual(Settings.json(settings)["watcher_interval"], "50 millis")
      })
    )

    it.effect("a duration is a number with s, m, h or d, from the environment, a flag or the file", () =>
      Effect.gen(function* () {
        const settings = yield* load({
          environment: { SOUFFLEUR_STOP_GRACE: "90s" },
          flags: { reviewerTimeout: "30m" },
          file: "MAX_TIME=8h\nHANDOFF_WITHIN=1 d"
        })
        assert.deepStrictEqual(settings.warnings, [])
        const { handoffWithin, maxTime, reviewerTimeout, stopGrace } = settings
        assert.deepStrictEqual(
          [stopGrace, reviewerTimeout, maxTime!, handoffWithin].map(Duration.toSeconds),
          [90, 1800, 28_800, 86_400]
        )
      })
    )
    it.effect("the durations that are printed read back as the same", () =>
      Effect.gen(function* () {
        for (const written of ["1500 millis", "1.5 seconds", "2 minutes", "1.25 millis"]) {
          const settings = yield* load({ environment: { SOUFFLEUR_COMPACT_TIMEOUT: written } })
          const printed = Settings.json(settings)["compact_timeout"]
          assert.isTrue(Duration.equals(Duration.fromInputUnsafe(printed as Duration.Input), settings.compactTimeout))
        }
      })
    )

    it("a program gives a duration in any form, and what is none is refused by the name of its setting", () => {
      const given = { stallAfter: null, stopGrace: "30 seconds", watcherInterval: 50, rounds: 3 } as const
      const { stopGrace, watcherInterval, ...others } = Result.getOrThrow(readGiven(claudeCode, given))
      assert.deepStrictEqual([stopGrace, watcherInterval], [Duration.seconds(30), Duration.millis(50)])
      assert.deepStrictEqual(others, { stallAfter: null, rounds: 3 })
      const soon = readGiven(claudeCode, { stopGrace: "soon" as "1 second" })
      assert.deepInclude(Result.getOrThrow(Result.flip(soon)), { _tag: "BadSetting", name: "stopGrace" })
    })
    it.effect("a program limits the agents of a plan by durations, which are read as the flags are", () =>
      Effect.gen(function* () {
        const limits = { implementerTimeout: { hours: 2 }, reviewerTimeout: undefined }
        const { implementerTimeout, reviewerTimeout } = yield* load({ flags: flagsOf(limits) })
        assert.deepStrictEqual([implementerTimeout, reviewerTimeout], [Duration.hours(2), Duration.minutes(30)])
        const error = yield* refused({ flags: flagsOf({ reviewerTimeout: "soon" as "1 second" }) })
        assert.deepInclude(error, { name: "--reviewer-timeout", value: "soon" })
      })
    )
  })
})
