import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Processes } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { asWindow } from "../src/terminal/Pty.ts"
import * as NodeProcesses from "../src/processes/Processes.ts"
import { hostile, launching, windowed } from "./fixtures/Launching.ts"
import { exists, folder, killed, until } from "./fixtures/Spawned.ts"

const { launcherIn, usual } = await launching()

/**
 * Keeps its arguments. Of `kitty @ launch` it does what kitty does: it sets variables and folder, and runs the command
 * behind `--`.
 */
const obedient = `#!/bin/sh
for one in "$@"; do printf '%s\\0' "$one"; done > "$KITTY_STUB/argv"
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  case "$1" in
    --env) shift; export "$1" ;;
    --cwd) shift; cd "$1" || exit 1 ;;
  esac
  shift
done
shift
`

/** A program named kitty, first in the search path. */
const kitty = (script: string) =>
  Effect.acquireRelease(
    Effect.map(folder, (at) => {
      fs.mkdirSync(join(at, "bin"))
      fs.writeFileSync(join(at, "bin", "kitty"), script, { mode: 0o755 })
      const { KITTY_STUB, NODE_OPTIONS, PATH } = process.env
      Object.assign(process.env, {
        PATH: `${join(at, "bin")}:${PATH}`,
        KITTY_STUB: at,
        NODE_OPTIONS: "--no-such-option"
      })
      return { at, before: { KITTY_STUB, NODE_OPTIONS, PATH } }
    }),
    ({ before }) =>
      Effect.sync(() => {
        for (const [name, value] of Object.entries(before)) {
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
      })
  ).pipe(Effect.map(({ at }) => at))

describe("settings#launcher", () => {
  it.layer(NodeProcesses.layer, { excludeTestServices: true })("kitty, by a program that stands in for it", (it) => {
    for (const [how, end] of [
      ["answers at once", '"$@" > /dev/null 2>&1 &\n'],
      ["becomes its command", 'exec "$@"\n']
    ] as const) {
      it.effect(`a tab runs the launcher, which becomes the agent; kitty ${how}`, () =>
        Effect.gen(function* () {
          const at = yield* kitty(obedient + end)
          const launcher = yield* launcherIn(at, { terminals: ["kitty"] })
          const line = "pwd > folder; cat /proc/$$/environ > env; exec sleep 300"
          yield* launcher.prepare(windowed("tab", at, line, hostile))
          const agent = yield* launcher.launch("tab")
          yield* Effect.addFinalizer(() => killed(agent.pid))
          assert.deepStrictEqual(fs.readFileSync(join(at, "argv"), "utf8").split("\0").slice(0, -1), [
            ..."@ launch --type=tab --keep-focus --title".split(" "),
            ..."Conductor (S2)|--cwd".split("|"),
            at,
            ..."--env SOUFFLEUR_LAUNCH_ID=tab --env".split(" "),
            `SOUFFLEUR_WINDOW=${join(at, "launches", "tab.window")}`,
            "--env",
            `SOUFFLEUR_EXIT=${join(at, "launches", "tab.exit")}`,
            ..."--env NODE_OPTIONS= -- /bin/sh -c".split(" "),
            ...asWindow({ line: usual, environment: {} }, { exit: "", window: "" }).line.slice(2),
            join(at, "launches", "tab.json")
          ])
          const processes = yield* Processes
          yield* until(
            Effect.map(processes.find(agent.pid), (found) => Option.exists(found, (info) => info.name === "sleep"))
          )
          assert.sameMembers(fs.readFileSync(join(at, "env"), "utf8").split("\0").slice(0, -1), [
            "PATH=/usr/bin:/bin",
            `PWD=${at}`,
            "SOUFFLEUR_LAUNCH_ID=tab"
          ])
          assert.strictEqual(fs.readFileSync(join(at, "folder"), "utf8").trim(), at)
          // Its output is the window's.
          assert.isFalse(fs.existsSync(launcher.outputPath("tab")))
        })
      )
    }

    it.effect(
      "a launch without kitty, or refused by it, fails and is cancelled; a refusal after the agent is ignored",
      () =>
        Effect.gen(function* () {
          const at = yield* kitty(obedient + "exit 1\n")
          const launcher = yield* launcherIn(at, { terminals: ["kitty"] })
          yield* launcher.prepare(windowed("refused", at, "echo ran > runs"))
          assert.match((yield* Effect.flip(launcher.launch("refused"))).message, /kitty refused .*allow_remote_control/)
          assert.isTrue(Option.isNone(yield* launcher.settle("refused")))

          fs.writeFileSync(join(at, "bin", "kitty"), obedient + '"$@"\nexit 1\n')
          yield* launcher.prepare(windowed("late", at, "touch late"))
          yield* launcher.launch("late")
          yield* exists(join(at, "late"))

          fs.rmSync(join(at, "bin", "kitty"))
          // This machine may have a kitty of its own.
          process.env["PATH"] = join(at, "bin")
          yield* launcher.prepare(windowed("none", at, "echo ran > runs"))
          assert.strictEqual((yield* Effect.flip(launcher.launch("none"))).message, "kitty cannot be started")
          assert.isFalse(fs.existsSync(join(at, "runs")))
        })
    )
  })
})
