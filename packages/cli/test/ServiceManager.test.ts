import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem } from "effect"
import { install } from "../src/service/ServiceManager.ts"
import { Environment } from "../src/world/CommandEnvironment.ts"
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
  const installed = install("opera-1", true).pipe(
    Effect.provideService(Environment, surroundingsIn(home, { HOME: home, PATH }))
  )
  return { file, installed }
})

describe("behaviour#service", () => {
  it.layer(HostServices.layer)((it) => {
    it.effect(
      "a service that its manager does not take is told with the manager's words, and its file is as before",
      () =>
        Effect.gen(function* () {
          const { file, installed } = yield* refusing("daemon-reload")
          assert.strictEqual(
            (yield* Effect.flip(installed)).message,
            '"systemctl --user daemon-reload" failed: it ended with exit code 1: Failed to connect to bus: No medium found'
          )
          assert.deepStrictEqual(fs.readdirSync(dirname(file)), [])
          const older = '# Written by "souffleur service install"; "souffleur service uninstall" removes it.\n'
          fs.writeFileSync(file, older)
          yield* Effect.flip(installed)
          assert.strictEqual(fs.readFileSync(file, "utf8"), older)
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
