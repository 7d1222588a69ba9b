import { claudeCode } from "@souffleur/agents"
import { CycleSettings } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { RecoveryProgram, type RecoveryQuestion } from "@souffleur/recovery"
import { loadSettings } from "@souffleur/process"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, FileSystem, Layer, Option } from "effect"
import { layerHost } from "../src/world/StoreLayers.ts"
import { layerWatch } from "../src/world/World.ts"
import { installed } from "./Installed.ts"

/** Acts with the parts of a watch of this project, opened under its config file as it is now. */
const within = Effect.fnUntraced(function* <A, E, R>(
  project: string,
  more: Readonly<Record<string, string>>,
  act: Effect.Effect<A, E, R>
) {
  const variables = { HOME: project, PATH: "/usr/bin:/bin", ...more }
  const settings = yield* loadSettings({ agent: claudeCode, projectDir: project, environment: variables, flags: {} })
  const parts = layerWatch(settings, project, null).pipe(Layer.provide([installed(variables), layerHost]))
  return yield* Effect.provide(act, parts)
})
const configured = Effect.fnUntraced(function* (text: string) {
  const fs = yield* FileSystem.FileSystem
  const project = yield* fs.makeTempDirectoryScoped()
  const write = Effect.fnUntraced(function* (text: string) {
    yield* fs.makeDirectory(`${project}/.orchestra_configs`, { recursive: true })
    yield* fs.writeFileString(`${project}/.orchestra_configs/souffleur`, text, { mode: 0o600 })
  })
  yield* write(text)
  return { project, write }
})

describe("behaviour#trust", () => {
  it.live("a config file changes no recovery program of a watch under way, as it changes other settings", () =>
    Effect.gen(function* () {
      const { project, write } = yield* configured("RECOVERY_COMMAND=/opt/first\n")
      const now = yield* within(
        project,
        {},
        Effect.gen(function* () {
          yield* write("RECOVERY_COMMAND=/tmp/evil\nTRIM_CHARS=7\n")
          return yield* yield* CycleSettings
        })
      )
      assert.deepStrictEqual([now.recoveryCommand, now.trimChars], ["/opt/first", 7])
      const none = yield* configured("")
      const still = yield* within(
        none.project,
        {},
        Effect.andThen(none.write("RECOVERY_COMMAND=/tmp/evil\n"), Effect.flatten(CycleSettings))
      )
      assert.isNull(still.recoveryCommand)
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})

describe("behaviour#recovery_command", () => {
  it.live("the program gets souffleur's variables without secrets and without marks, as the agent has them then", () =>
    Effect.gen(function* () {
      const { project } = yield* configured("")
      const prints = [process.execPath, "-e", "process.stdout.write(JSON.stringify(process.env))"]
      const variables = {
        ANTHROPIC_API_KEY: "k",
        CLAUDECODE: "1",
        CLAUDE_CODE_SESSION_ID: "s0",
        NOTIFY_SOCKET: "/run/s",
        SOUFFLEUR_LAUNCH_ID: "another",
        SOUFFLEUR_NTFY_TOKEN: "secret",
        SOUFFLEUR_RECOVERY_COMMAND: JSON.stringify(prints)
      }
      const ask = Effect.gen(function* () {
        const { ask } = yield* RecoveryProgram
        return yield* ask({ launch_id: "w-g2-c1-program" } as RecoveryQuestion, Duration.minutes(1))
      })
      assert.deepStrictEqual(JSON.parse(yield* within(project, variables, ask)), {
        HOME: project,
        PATH: "/usr/bin:/bin",
        ANTHROPIC_API_KEY: "k",
        SOUFFLEUR_LAUNCH_ID: "w-g2-c1-program",
        SOUFFLEUR_STATE_DIR: `${project}/state`,
        SOUFFLEUR_RECOVERY_COMMAND: JSON.stringify(prints)
      })
      // Without the setting there is none.
      assert.deepInclude(yield* Effect.flip(within(project, {}, ask)), { ran: false })
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.live("the permission of an agent is read from its command line, where its agent understands each word", () =>
    Effect.gen(function* () {
      const { project } = yield* configured("RECOVERY_COMMAND=/opt/first\n")
      const told = yield* within(
        project,
        {},
        Effect.map(
          RecoveryProgram,
          ({ permissionOf }) =>
            (line: string) =>
              Option.getOrUndefined(permissionOf(line.split(" ")))
        )
      )
      for (const [line, permission] of [
        ["claude --resume s1", "acceptEdits"],
        [
          "/usr/bin/node /opt/@anthropic-ai/claude-code/cli.js --resume s1 --permission-mode acceptEdits",
          "acceptEdits"
        ],
        ["claude --resume s1 --permission-mode bypassPermissions -- go", "bypassPermissions"],
        ["claude --dangerously-skip-permissions --resume s1", "bypassPermissions"],
        ["claude --resume s1 --permission-mode plan", undefined],
        ["claude --settings x.json --resume s1", undefined],
        ["vi claude", undefined]
      ] as const)
        assert.strictEqual(told(line), permission, line)
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})
