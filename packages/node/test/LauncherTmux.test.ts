import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { plain, Processes } from "@souffleur/domain"
import { Effect, Option } from "effect"
import * as NodeProcesses from "../src/processes/Processes.ts"
import { hostile, howEnded, launching, order, windowed } from "./fixtures/Launching.ts"
import { folder, killed, until } from "./fixtures/Spawned.ts"

const { launcherIn } = await launching()

/** A tmux server of the test's own, with one pane. Its environment would break every Node that starts in it. */
const server = (name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = `souffleur-${process.pid}-${name}`
      const tmux = (...args: ReadonlyArray<string>) =>
        spawnSync("tmux", ["-L", socket, ...args], {
          encoding: "utf8",
          env: {
            PATH: process.env["PATH"],
            LC_ALL: "C.UTF-8",
            NODE_OPTIONS: "--no-such-option",
            SECRET: "of the server"
          }
        }).stdout.trim()
      tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "-s", "first", "sleep", "300")
      return { socket, tmux, pane: tmux("list-panes", "-F", "#{pane_id}") }
    }),
    ({ socket, tmux }) =>
      Effect.sync(() => {
        tmux("kill-server")
        fs.rmSync(`/tmp/tmux-${process.getuid?.()}/${socket}`, { force: true })
      })
  )

const installed = spawnSync("tmux", ["-V"]).status === 0
it.layer(NodeProcesses.layer, { excludeTestServices: true })("tmux (skipped where it is not installed)", (it) => {
  describe("behaviour#launch-at-most-once", () => {
    it.effect.skipIf(!installed)(
      "the launcher becomes the agent in a window of souffleur's own session, and no shell reads a word of it",
      () =>
        Effect.gen(function* () {
          const at = yield* folder
          const { pane, socket, tmux } = yield* server("launch")
          tmux("new-session", "-d", "-s", "second", "sleep", "300")
          const launcher = yield* launcherIn(at, { terminals: ["tmux"], tmux: { socket, pane } })
          assert.deepStrictEqual(launcher.terminals, ["tmux"])
          const line = "cat /proc/$$/cmdline > args; cat /proc/$$/environ > env; exec sleep 300"
          const title = "#(touch x) Conductor (S2) \u001B]0;mine\u009B #{pane_id};"
          yield* launcher.prepare({ ...windowed("window", at, line, hostile), title })
          const agent = yield* launcher.launch("window")
          yield* Effect.addFinalizer(() => killed(agent.pid))
          const windows = tmux(
            "list-windows",
            "-a",
            "-F",
            "#{session_name}|#{window_name}|#{window_active}|#{pane_pid}"
          ).split("\n")
          const own = windows.find((one) => one.startsWith(`first|${plain(title)}|0|`))
          assert.lengthOf(windows, 3)
          const parent = fs.readFileSync(`/proc/${agent.pid}/stat`, "utf8").split(") ").at(-1)!.split(" ")[1]
          assert.strictEqual(own?.split("|").at(-1), parent, "a shell waits for it")

          const processes = yield* Processes
          const named = Effect.map(processes.find(agent.pid), (found) =>
            Option.exists(found, (info) => info.name === "sleep")
          )
          yield* until(named)
          assert.deepStrictEqual(fs.readFileSync(join(at, "args"), "utf8").split("\0").slice(0, -1), [
            "/bin/sh",
            "-c",
            line,
            "sh",
            ...hostile
          ])
          const environment = fs.readFileSync(join(at, "env"), "utf8").split("\0").slice(0, -1)
          assert.sameMembers(environment, ["PATH=/usr/bin:/bin", `PWD=${at}`, "SOUFFLEUR_LAUNCH_ID=window"])
          assert.sameMembers(fs.readdirSync(at), ["args", "env", "launches"])
          assert.sameMembers(fs.readdirSync(join(at, "launches")), ["window.receipt", "window.window"])
          assert.isTrue(yield* launcher.inWindow("window"))

          yield* processes.signal(agent, "SIGKILL")
          // tmux 3.3 now and then forgets to reap a pane whose window it has closed.
          yield* until(Effect.map(processes.condition(agent), (now) => now === "gone" || now === "zombie"))
          yield* until(Effect.map(launcher.endOf("window"), Option.isSome))
          assert.deepStrictEqual(
            yield* howEnded(launcher, "window"),
            Option.some({ _tag: "Killed", signal: "SIGKILL" })
          )
        })
    )

    it.effect.skipIf(!installed)(
      "an agent in a window has its terminal, and tells its exit code to a later souffleur too",
      () =>
        Effect.gen(function* () {
          const at = yield* folder
          const { pane, socket } = yield* server("exit")
          const launcher = yield* launcherIn(at, { terminals: ["tmux"], tmux: { socket, pane } })
          const line = `test -t 0 && test -t 1 && test -t 2 && stty size > said; grep -h SigIgn /proc/$$/status >> said; exit 7`
          yield* launcher.prepare(windowed("ends", at, line))
          const agent = yield* launcher.launch("ends")
          yield* Effect.addFinalizer(() => killed(agent.pid))
          const later = yield* launcherIn(at, { terminals: ["tmux"], tmux: { socket, pane } })
          yield* until(Effect.map(later.endOf("ends"), Option.isSome))
          assert.deepStrictEqual(yield* howEnded(later, "ends"), Option.some({ _tag: "Exited", code: 7 }))
          assert.strictEqual(fs.readFileSync(join(at, "said"), "utf8"), "24 80\nSigIgn:\t0000000000000000\n")
          assert.isFalse(fs.existsSync(later.outputPath("ends")), "its output is the window's")
          const files = ["ends.exit", "ends.window"].map((name) => join(at, "launches", name))
          for (const path of files) assert.strictEqual(fs.statSync(path).mode & 0o777, 0o600, path)
        })
    )

    it.effect.skipIf(!installed)(
      "a signal to the whole tree of a window ends the agent first, and its end is told",
      () =>
        Effect.gen(function* () {
          const at = yield* folder
          const { pane, socket, tmux } = yield* server("tree")
          const launcher = yield* launcherIn(at, { terminals: ["tmux"], tmux: { socket, pane } })
          yield* launcher.prepare(
            windowed("tree", at, "trap 'sleep 1; exit 3' TERM; touch began; while :; do sleep 0.05; done")
          )
          const agent = yield* launcher.launch("tree")
          yield* Effect.addFinalizer(() => killed(agent.pid))
          yield* until(Effect.sync(() => fs.existsSync(join(at, "began"))))
          for (const pid of [Number(tmux("list-panes", "-s", "-F", "#{pane_pid}").split("\n").at(-1)), agent.pid])
            process.kill(pid, "SIGTERM")
          yield* until(Effect.map(launcher.endOf("tree"), Option.isSome))
          assert.deepStrictEqual(yield* howEnded(launcher, "tree"), Option.some({ _tag: "Exited", code: 3 }))
        })
    )

    it.effect.skipIf(!installed)("a launch in print mode takes no window, and its output and its end are kept", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const { pane, socket, tmux } = yield* server("print")
        const launcher = yield* launcherIn(at, { terminals: ["tmux"], tmux: { socket, pane } })
        const { command, ...asked } = order("print", at, "cat; exit 7")
        yield* launcher.prepare({ ...asked, command: { ...command, input: "read" } })
        const agent = yield* launcher.launch("print")
        yield* Effect.addFinalizer(() => killed(agent.pid))
        assert.lengthOf(tmux("list-windows", "-a").split("\n"), 1)
        assert.isFalse(yield* launcher.inWindow("print"))
        yield* until(Effect.map(launcher.endOf("print"), Option.isSome))
        assert.deepStrictEqual(yield* howEnded(launcher, "print"), Option.some({ _tag: "Exited", code: 7 }))
        assert.strictEqual(fs.readFileSync(launcher.outputPath("print"), "utf8"), "read")
      })
    )
  })

  describe("behaviour#restart", () => {
    it.effect.skipIf(!installed)(
      "a command has a window as its terminal, and tells its output and its end to a later souffleur too",
      () =>
        Effect.gen(function* () {
          const at = yield* folder
          const { pane, socket, tmux } = yield* server("command")
          const launcher = yield* launcherIn(at, { terminals: ["tmux"], tmux: { socket, pane } })
          const line =
            'test -t 0 && test -t 1 && test -t 2 && stty size; read -r typed; echo "read $typed"; umask; grep SigIgn /proc/$$/status; exit 7'
          const { command, ...asked } = order("own", at, line, hostile)
          const environment = { PATH: "/usr/bin:/bin", QUOTED: '$(touch x) "' }
          yield* launcher.prepare({ ...asked, command: { ...command, environment }, terminal: "own", title: "ask" })
          const agent = yield* launcher.launch("own")
          yield* Effect.addFinalizer(() => killed(agent.pid))
          assert.isTrue(yield* launcher.inWindow("own"))
          assert.include(tmux("list-windows", "-F", "#{window_name}|#{window_active}").split("\n"), "ask|0")
          const printed = (words: string) =>
            until(
              Effect.sync(() => fs.existsSync(launcher.outputPath("own")) && words !== "" && said().includes(words))
            )
          const said = () => fs.readFileSync(launcher.outputPath("own"), "utf8")
          yield* printed("24 80")
          tmux("send-keys", "-t", "ask", "hello", "Enter")
          yield* printed("read hello")
          const later = yield* launcherIn(at, { terminals: ["tmux"], tmux: { socket, pane } })
          yield* until(Effect.map(later.endOf("own"), Option.isSome))
          assert.deepStrictEqual(yield* howEnded(later, "own"), Option.some({ _tag: "Exited", code: 7 }))
          assert.strictEqual(said().replaceAll("\r", ""), "24 80\nhello\nread hello\n0022\nSigIgn:\t0000000000000000\n")
          const files = ["own.exit", "own.out", "own.receipt", "own.window"].map((name) => join(at, "launches", name))
          for (const path of files) assert.strictEqual(fs.statSync(path).mode & 0o777, 0o600, path)
          assert.isFalse(fs.existsSync(join(at, "x")))
          assert.isFalse(yield* later.inWindow("none"))
        })
    )

    it.effect.skipIf(!installed)("a command whose window is closed has ended, and its end is unknown", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const { pane, socket, tmux } = yield* server("closed")
        const launcher = yield* launcherIn(at, { terminals: ["tmux"], tmux: { socket, pane } })
        yield* launcher.prepare({ ...order("shut", at, "sleep 300"), terminal: "own", title: "shut" })
        const agent = yield* launcher.launch("shut")
        yield* Effect.addFinalizer(() => killed(agent.pid))
        tmux("kill-window", "-t", "shut")
        const processes = yield* Processes
        yield* until(Effect.map(processes.condition(agent), (now) => now === "gone" || now === "zombie"))
        assert.deepStrictEqual(yield* launcher.endOf("shut"), Option.none())
      })
    )
  })

  describe("behaviour#no-window", () => {
    it.effect.skipIf(!installed)(
      "a server that is gone or hangs opens no window: the launch is cancelled, also once the server goes on",
      () =>
        Effect.gen(function* () {
          const at = yield* folder
          const { socket, tmux } = yield* server("none")
          const serverPid = Number(tmux("display-message", "-p", "#{pid}"))
          process.kill(serverPid, "SIGSTOP")
          yield* Effect.addFinalizer(() => Effect.sync(() => process.kill(serverPid, "SIGCONT")))
          for (const [id, place, says] of [
            ["gone", { socket: `${socket}-not` }, /^tmux is gone$/u],
            ["hangs", { socket }, /^it took too long$/u]
          ] as const) {
            const options = { terminals: ["tmux"], tmux: place, receiptTimeout: "1 second" } as const
            const launcher = yield* launcherIn(at, options)
            yield* launcher.prepare(windowed(id, at, "echo ran > runs"))
            const failed = yield* Effect.flip(launcher.launch(id))
            assert.match(failed.message, says)
            assert.isTrue(failed.noWindow)
            assert.isTrue(Option.isNone(yield* launcher.settle(id)))
          }
          process.kill(serverPid, "SIGCONT")
          // It answers in the order in which it was asked, and a window of a cancelled launch closes at once.
          yield* until(Effect.sync(() => tmux("list-windows", "-a", "-F", "#{window_id}").split("\n").length === 1))
          assert.isFalse(fs.existsSync(join(at, "runs")))
        })
    )

    it.effect.skipIf(!installed)(
      "a launch that was prepared for another terminal than souffleur's gets no window",
      () =>
        Effect.gen(function* () {
          const at = yield* folder
          const launcher = yield* launcherIn(at, { terminals: ["headless"] })
          yield* launcher.prepare({ ...windowed("elsewhere", at, "echo ran > runs"), place: "tmux" })
          const failed = yield* Effect.flip(launcher.launch("elsewhere"))
          assert.deepInclude(failed, { message: "this souffleur has no tmux", noWindow: true })
        })
    )
  })

  describe("settings#launcher", () => {
    it.effect.skipIf(!installed)("where souffleur's pane is gone, the window is in another session of its server", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const { socket, tmux } = yield* server("pane")
        const launcher = yield* launcherIn(at, { terminals: ["tmux"], tmux: { socket, pane: "%77" } })
        yield* launcher.prepare(windowed("pane", at, "exec sleep 300"))
        const agent = yield* launcher.launch("pane")
        yield* Effect.addFinalizer(() => killed(agent.pid))
        assert.include(tmux("list-windows", "-a", "-F", "#{session_name} #{window_name}"), "first Conductor (S2)")
      })
    )
  })
})
