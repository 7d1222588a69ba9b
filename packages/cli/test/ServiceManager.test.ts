import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { install } from "../src/service/ServiceManager.ts"
import { Environment } from "../src/world/CommandEnvironment.ts"
import { services } from "./mcp/McpPlace.ts"
import { printed } from "./Printed.ts"
import { surroundingsIn } from "./Surroundings.ts"

/** A systemctl, first in the path, that refuses one word as it does without a session's bus. */
const refusing = Effect.fnUntraced(function* (word: string) {
  const home = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
  const script = `#!/bin/sh\n[ "$2" = ${word} ] || exit 0\necho 'Failed to connect to bus: No medium found' >&2\nexit 1\n`
  fs.writeFileSync(join(home, "systemctl"), script, { mode: 0o755 })
  const { PATH = "" } = process.env
  yield* Effect.acquireRelease(
    Effect.sync(() => void (process.env["PATH"] = `${home}:${PATH}`)),
    () => Effect.sync(() => void (process.env["PATH"] = PATH))
  )
  const file = join(home, ".config/systemd/user/souffleur-opera-1.service")
  const variables = { HOME: home, PATH, SOUFFLEUR_STATE_DIR: join(home, "100% state") }
  const installed = install("opera-1", true).pipe(Effect.provideService(Environment, surroundingsIn(home, variables)))
  return { file, home, installed, variables }
})

describe("behaviour#service", () => {
  it.layer(services)((it) => {
    it.effect(
      "a service that its manager does not take is told with the manager's words, and its file is as before",
      () =>
        Effect.gen(function* () {
          const { file, installed } = yield* refusing("daemon-reload")
          const { message } = yield* Effect.flip(installed)
          assert.include(
            message,
            '"systemctl --user daemon-reload" failed: it ended with exit code 1: Failed to connect to bus: No medium found'
          )
          // Cron takes a percent sign for a line break.
          assert.match(
            message,
            /; without systemd, cron does it: "crontab -e", and this line there: @reboot PATH=\S+ /u
          )
          assert.match(message, / SOUFFLEUR_STATE_DIR='\/.*\/100\\% state' .* watch --resume opera-1 --quiet$/u)
          assert.deepStrictEqual(fs.readdirSync(dirname(file)), [])
          const older = '# Written by "souffleur service install"; "souffleur service uninstall" removes it.\n'
          fs.writeFileSync(file, older)
          yield* Effect.flip(installed)
          assert.strictEqual(fs.readFileSync(file, "utf8"), older)
        })
    )
    it.effect("a service that waits for a login is told with what starts it with the machine, by setup too", () =>
      Effect.gen(function* () {
        const { home, variables } = yield* refusing("nothing")
        const hint = /It starts when you log in; to start it with the machine: "loginctl enable-linger"\./u
        for (const args of [
          ["service", "install"],
          ["setup", "--yes", "--service"]
        ])
          assert.match((yield* printed(home, variables, ...args)).join("\n"), hint)
      })
    )
    it.effect("on a system without systemd and launchd the line for cron is told", () =>
      Effect.gen(function* () {
        const { home, variables } = yield* refusing("nothing")
        const elsewhere = { ...surroundingsIn(home, variables), platform: "freebsd" as const }
        const refused = yield* Effect.flip(Effect.provideService(install("all", true), Environment, elsewhere))
        assert.match(refused.message, /cron does it: .* @reboot .* resume --all --keep$/u)
      })
    )
    it.effect("a service that is enabled and does not start keeps its file", () =>
      Effect.gen(function* () {
        const { file, installed } = yield* refusing("start")
        assert.match(
          (yield* Effect.flip(installed)).message,
          /^"systemctl --user start souffleur-opera-1\.service" failed/u
        )
        assert.isTrue(fs.existsSync(file))
      })
    )
  })
})
