import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Processes } from "@souffleur/domain"
import { Effect, Option } from "effect"
import * as NodeProcesses from "../src/processes/Processes.ts"
import { builtProgram } from "./fixtures/BuiltProgram.ts"
import { display, hasDisplay } from "./fixtures/Display.ts"
import { entryOf, hostile, howEnded, launching, node, order, windowed } from "./fixtures/Launching.ts"
import { becomes, exists, folder, identity, killed, output, spawned, until } from "./fixtures/Spawned.ts"

const { launcherIn, usual } = await launching()
const andStays = await builtProgram(entryOf("launchAndStay.ts"))

/** This process on a display of the test's own. A terminal is started with its variables. */
const onDisplay = Effect.acquireRelease(
  Effect.map(display, (name) => {
    const before = { DISPLAY: process.env["DISPLAY"], NODE_OPTIONS: process.env["NODE_OPTIONS"] }
    Object.assign(process.env, { DISPLAY: name, NODE_OPTIONS: "--no-such-option", SOUFFLEUR_NTFY_TOKEN: "tk" })
    return { before, name }
  }),
  ({ before }) =>
    Effect.sync(() => {
      delete process.env["SOUFFLEUR_NTFY_TOKEN"]
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    })
).pipe(Effect.map(({ name }) => name))

const statOf = (pid: number) => fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ").map(Number)
const environmentOf = (pid: number) => fs.readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").slice(0, -1)

/** The nearest xterm above a process. */
const terminalOf = Effect.fnUntraced(function* (pid: number) {
  const { find } = yield* Processes
  for (let at = pid; at > 1;) {
    const found = Option.getOrThrow(yield* find(at))
    if (found.name === "xterm") return at
    at = found.parent
  }
  return 0
})

it.layer(NodeProcesses.layer, { excludeTestServices: true })("xterm (skipped where it or Xvfb is missing)", (it) => {
  describe("settings#launcher", () => {
    it.effect.skipIf(!hasDisplay)(
      "TERMINAL_COMMAND opens a window whose command becomes the agent; its title is set and its end is told",
      () =>
        Effect.gen(function* () {
          const at = yield* folder
          yield* onDisplay
          const windowWords = ["xterm", "-l", "-lf", join(at, "shown"), "-e"] as const
          const launcher = yield* launcherIn(at, { terminals: ["window"], windowWords })
          const line =
            "test -t 0 && test -t 1 && test -t 2 && cat /proc/$$/cmdline > args; cat /proc/$$/environ > env; pwd > folder; while ! [ -e go ]; do sleep 0.02; done; exit 7"
          yield* launcher.prepare({ ...windowed("window", at, line, hostile), title: "Conductor (S2) \u001B]0;mine" })
          const agent = yield* launcher.launch("window")
          yield* Effect.addFinalizer(() => killed(agent.pid))
          assert.isTrue(yield* launcher.inWindow("window"))
          yield* exists(join(at, "folder"))
          assert.deepStrictEqual(fs.readFileSync(join(at, "args"), "utf8").split("\0").slice(0, -1), [
            "/bin/sh",
            "-c",
            line,
            "sh",
            ...hostile
          ])
          assert.sameMembers(fs.readFileSync(join(at, "env"), "utf8").split("\0").slice(0, -1), [
            "PATH=/usr/bin:/bin",
            `PWD=${at}`,
            "SOUFFLEUR_LAUNCH_ID=window"
          ])
          const processes = yield* Processes
          assert.isTrue(Option.exists(yield* processes.find(agent.pid), ({ hasTerminal }) => hasTerminal === true))

          // The terminal is a session of its own, reads and writes nothing of souffleur's, and is not of the launch.
          const terminal = yield* terminalOf(agent.pid)
          assert.strictEqual(statOf(terminal)[3], terminal)
          for (const one of [0, 1, 2]) assert.strictEqual(fs.readlinkSync(`/proc/${terminal}/fd/${one}`), "/dev/null")
          assert.notMatch(environmentOf(terminal).join("\n"), /SOUFFLEUR_(?:LAUNCH_ID|NTFY_TOKEN)/u)

          fs.writeFileSync(join(at, "go"), "")
          yield* until(Effect.map(launcher.endOf("window"), Option.isSome))
          const later = yield* launcherIn(at)
          assert.deepStrictEqual(yield* howEnded(later, "window"), Option.some({ _tag: "Exited", code: 7 }))
          yield* until(Effect.sync(() => !fs.existsSync(`/proc/${terminal}`)))
          assert.include(
            fs.readFileSync(join(at, "shown"), "utf8"),
            "\u001B]2;Conductor (S2) \\u001b]0;mine\u0007",
            "a title is plain"
          )
        })
    )

    it.effect.skipIf(!hasDisplay)("a window outlives a souffleur that is killed", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const env = { DISPLAY: yield* onDisplay }
        yield* (yield* launcherIn(at, { terminals: ["window"] })).prepare(windowed("orphan", at, "exec sleep 300"))
        const souffleur = yield* spawned(node, [andStays, at, "orphan", usual[1], "xterm", "-e"], { env })
        const agent = yield* identity(Number(yield* output(souffleur)))
        yield* Effect.addFinalizer(() => killed(agent.pid))
        const dead = yield* identity(souffleur.pid)
        yield* killed(souffleur.pid)
        yield* becomes(dead, "gone")
        assert.strictEqual(yield* (yield* Processes).condition(agent), "running")
        assert.isAbove(yield* terminalOf(agent.pid), 1)
        assert.deepStrictEqual(yield* (yield* launcherIn(at)).settle("orphan"), Option.some(agent))
      })
    )

    it.effect.skipIf(!hasDisplay)("a command with a terminal of its own has the window, and its output is kept", () =>
      Effect.gen(function* () {
        const at = yield* folder
        yield* onDisplay
        const launcher = yield* launcherIn(at, { terminals: ["window"], windowWords: ["xterm", "-e"] })
        yield* launcher.prepare({ ...order("own", at, "test -t 1 && echo shown; exit 3"), terminal: "own" })
        const agent = yield* launcher.launch("own")
        yield* Effect.addFinalizer(() => killed(agent.pid))
        yield* until(Effect.map(launcher.endOf("own"), Option.isSome))
        assert.deepStrictEqual(yield* howEnded(launcher, "own"), Option.some({ _tag: "Exited", code: 3 }))
        assert.strictEqual(fs.readFileSync(launcher.outputPath("own"), "utf8").trim(), "shown")
      })
    )
  })
})

describe("behaviour#no-window", () => {
  it.layer(NodeProcesses.layer, { excludeTestServices: true })((it) => {
    it.effect("a terminal that is missing, or ends badly, opens no window; one that ends well may still open one", () =>
      Effect.gen(function* () {
        const at = yield* folder
        for (const [id, windowWords, says] of [
          ["missing", ["no-such-terminal"], "no-such-terminal cannot be started"],
          ["fails", ["/bin/sh", "-c", "exit 3"], "/bin/sh ended with exit code 3"],
          ["killed", ["/bin/sh", "-c", "kill -9 $$"], "/bin/sh ended by a signal"],
          ["unset", undefined, "no words are set that open a window"]
        ] as const) {
          const launcher = yield* launcherIn(at, { terminals: ["window"], windowWords })
          yield* launcher.prepare(windowed(id, at, "echo ran > runs"))
          const failed = yield* Effect.flip(launcher.launch(id))
          assert.deepInclude(failed, { message: says, noWindow: true })
          assert.isTrue(Option.isNone(yield* launcher.settle(id)))
        }
        // As a terminal does that asks a server of its own, which opens the window later.
        const served = ["/bin/sh", "-c", '(sleep 0.3; "$@") > /dev/null 2>&1 < /dev/null &', "sh"] as const
        const launcher = yield* launcherIn(at, { terminals: ["window"], windowWords: served })
        yield* launcher.prepare(windowed("served", at, "touch served"))
        yield* launcher.launch("served")
        yield* exists(join(at, "served"))
        assert.isFalse(fs.existsSync(join(at, "runs")))
      })
    )
  })
})
