import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { display, hasDisplay } from "../../packages/node/test/fixtures/Display.ts"
import { alive, bundle, prints, type Running, said, stage, task, until, type Variables } from "./CliStage.ts"
import { live, liveCase } from "./Live.ts"

const withoutTmux = spawnSync("tmux", ["-V"]).status !== 0
const well = { code: 0, signal: null }

const seen = (watch: Running, tag: string) => watch.lines.map(said).filter(({ _tag }) => _tag === tag)

type Stage = Effect.Success<ReturnType<typeof stage>>

/** The tmux server of a stage, with one window. */
const tmuxOf = (the: Stage, ...line: ReadonlyArray<string>) => {
  const tmux = (...args: ReadonlyArray<string>) =>
    spawnSync("tmux", args, { env: the.environment, cwd: the.project, encoding: "utf8" }).stdout.trim()
  tmux("-f", "/dev/null", "new-session", "-d", "-s", "night", "-x", "80", "-y", "24", "--", ...line)
  const [TMUX = "", TMUX_PANE = ""] = tmux("display-message", "-p", "#{socket_path},#{pid},0 #{pane_id}").split(" ")
  return { tmux, inside: { TMUX, TMUX_PANE } }
}

/** Watches a Conductor in such a terminal, whose end and the Conductor's come together. */
const watched = Effect.fnUntraced(function* (the: Stage, variables: Variables, gone: () => void) {
  const conductor = yield* the.conductor()
  const args = ["watch", "--json", "--pid", String(conductor.pid), "--session-id", the.session]
  const watch = the.start(args, variables)
  yield* prints(watch, "WatchSettled")
  gone()
  conductor.kill("SIGKILL")
  return watch
})

/** Checks that a watch got a successor in print mode, and that people are told why. */
const withoutWindow = Effect.fnUntraced(function* (the: Stage, watch: Running, terminal: string, says: RegExp) {
  const {
    message,
    revision,
    watch: id
  } = yield* prints(watch, "WindowRefused", (event) => event["terminal"] === terminal)
  assert.deepInclude(yield* prints(watch, "ConductorRelaunched"), { print: true, generation: 2 })
  assert.deepStrictEqual(yield* watch.ended, well, watch.errors())
  assert.lengthOf(the.launched(), 1)
  assert.match(String(message), says)
  const told = the.messages().find((one) => /^\[?.*No window/su.test(String(one["message"])))
  assert.match(String(told?.["message"]), /it is launched in print mode, where nobody can answer it/u)
  const why = (yield* the.ask(["why", id, String(revision)])).lines.join("\n")
  assert.match(why, says)
  assert.match(why, /cancelled for ever/u)
})

describe.concurrent("a terminal that is gone", () => {
  describe("behaviour#no-window", () => {
    live(
      "a Conductor whose tmux is gone comes back without a window, and comms, why and a notice tell it",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1)])
          const { inside, tmux } = tmuxOf(the, "sleep", "300")
          const notices = join(the.home, "notices")
          const keep = `require("node:fs").appendFileSync(${JSON.stringify(notices)}, require("node:fs").readFileSync(0) + "\\n")`
          const variables = {
            ...inside,
            SOUFFLEUR_LAUNCHER: "auto",
            SOUFFLEUR_NOTIFY: `command:${JSON.stringify([process.execPath, "-e", keep])}`
          }
          const watch = yield* watched(the, variables, () => tmux("kill-server"))
          yield* withoutWindow(the, watch, "tmux", /tmux is gone/u)
          assert.match(fs.readFileSync(notices, "utf8"), /"warning".*No window of tmux was opened/u)
        }),
      withoutTmux
    )

    live(
      "with LAUNCHER=tmux a launch waits for the server, and its window is in the new one",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1)])
          const first = tmuxOf(the, "sleep", "300")
          const variables = { ...first.inside, SOUFFLEUR_LAUNCHER: "tmux" }
          const watch = yield* watched(the, variables, () => first.tmux("kill-server"))
          const delayed = yield* prints(watch, "LaunchDelayed")
          assert.match(String(delayed["message"]), /tmux is gone; .*type "souffleur retry \S+ --headless"$/u)
          assert.deepStrictEqual(the.launched(), [])
          const { tmux } = tmuxOf(the, "sleep", "300")
          yield* Effect.addFinalizer(() => Effect.sync(() => tmux("kill-server")))
          assert.deepInclude(yield* prints(watch, "ConductorRelaunched"), { print: false })
          assert.deepStrictEqual(yield* watch.ended, well, watch.errors())
          assert.lengthOf(the.launched(), 1)
          assert.lengthOf(seen(watch, "WindowRefused"), 0)
        }),
      withoutTmux
    )

    liveCase("a Conductor whose kitty is gone, or whose terminal opens no window, comes back without one", () =>
      Effect.gen(function* () {
        for (const [terminal, variables, says] of [
          ["kitty", { KITTY_WINDOW_ID: "1", KITTY_LISTEN_ON: "unix:/nowhere/kitty" }, /kitty (?:cannot|refused)/u],
          ["window", { SOUFFLEUR_TERMINAL_COMMAND: '["/bin/false","--"]' }, /\/bin\/false ended with exit code 1/u]
        ] as const) {
          const the = yield* stage([task(1)])
          const watch = yield* watched(the, { ...variables, SOUFFLEUR_LAUNCHER: "auto" }, () => undefined)
          yield* withoutWindow(the, watch, terminal, says)
        }
      })
    )

    liveCase(
      "run in a tmux that is killed with agent and souffleur comes back by its guardian, without a window",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1, 600_000)], { SOUFFLEUR_LAUNCHER: "auto" })
          fs.rmSync(the.comms)
          const [node, program] = [process.execPath, bundle]
          const { tmux } = tmuxOf(the, node, program, "run", "--", node, program, "__stand-in", "Work on the plan.")
          const tags = Effect.map(the.events, (all) => all.map(({ _tag }) => _tag))
          yield* until(tags, (found) => found.includes("WatchSettled"))
          const before = (yield* the.events).find(({ _tag }) => _tag === "ConductorConfirmed")
          assert.deepInclude(before, { print: false })
          tmux("kill-server")
          yield* until(tags, (found) => found.includes("ConductorRelaunched") || found.includes("RecoveryFailedClosed"))
          const events = yield* the.events
          assert.deepInclude(
            events.find(({ _tag }) => _tag === "ConductorRelaunched"),
            { print: true }
          )
          assert.deepInclude(
            events.find(({ _tag }) => _tag === "WindowRefused"),
            { terminal: "tmux", instead: "headless" }
          )
          assert.strictEqual((yield* the.ask(["release"])).code, 0)
        }),
      withoutTmux
    )

    liveCase("a first launch whose terminal opens no window runs without one, with the prompt that was typed", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)], { SOUFFLEUR_TERMINAL_COMMAND: "/bin/false", SOUFFLEUR_LAUNCHER: "auto" })
        fs.rmSync(the.comms)
        const [node, program] = [process.execPath, bundle]
        const run = the.start(["run", "--json", "--", node, program, "__stand-in", "Work on the plan."])
        assert.deepInclude(yield* prints(run, "WindowRefused"), { cycle: 0, terminal: "window", instead: "headless" })
        assert.deepInclude(yield* prints(run, "ConductorConfirmed"), { print: true })
        assert.deepStrictEqual(yield* run.ended, well, run.errors())
        assert.isTrue(fs.existsSync(join(the.project, "scene-1.txt")))
        assert.lengthOf(the.launched(), 1)
      })
    )
  })

  describe("settings#launcher", () => {
    liveCase(
      "start, dry run and doctor say that a Conductor in a window has a successor without one, and what to set",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1)], { SOUFFLEUR_LAUNCHER: "auto", SOUFFLEUR_STANDIN_HANG_AT: "1" })
          const agent = [process.execPath, bundle, "__stand-in", "--session-id", the.session, "--", "Work on the plan."]
          tmuxOf(the, ...agent)
          const folder = join(the.home, "claude", "sessions")
          const [file = ""] = yield* until(
            Effect.sync(() => (fs.existsSync(folder) ? fs.readdirSync(folder) : [])),
            (found) => found.length === 1 && the.sessions().length === 1
          )
          const named = ["--pid", file.replace(".json", ""), "--session-id", the.session]
          const says = /process \d+ has a window, and its successor would have none: in print mode/u
          const watch = the.start(["watch", ...named])
          yield* until(Effect.sync(watch.errors), (errors) => says.test(errors.replaceAll(/\s+/gu, " ")))
          watch.kill("SIGTERM")
          yield* watch.ended
          for (const args of [["watch", "--dry-run", ...named], ["doctor", named[1]!], ["doctor"]]) {
            const { lines } = yield* the.ask(args)
            assert.match(lines.join(" ").replaceAll(/\s+/gu, " "), says, args.join(" "))
          }
          const windowed = yield* the.ask(["watch", "--dry-run", "--json", ...named], {
            SOUFFLEUR_TERMINAL_COMMAND: '["xterm","-e"]'
          })
          assert.deepInclude(JSON.parse(windowed.lines.join("\n")).sees, { terminal: "window", window_lost: null })
        }),
      withoutTmux
    )

    liveCase(
      "TERMINAL_COMMAND brings a Conductor back in a window of its own (skipped where xterm or Xvfb is missing)",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1)])
          const variables = {
            DISPLAY: yield* display,
            SOUFFLEUR_LAUNCHER: "auto",
            SOUFFLEUR_TERMINAL_COMMAND: '["xterm","-e"]'
          }
          const watch = yield* watched(the, variables, () => undefined)
          const { conductor, print } = yield* prints(watch, "ConductorRelaunched")
          assert.isFalse(print)
          const { pid } = conductor as { readonly pid: number }
          const terminal = fs.readlinkSync(`/proc/${pid}/fd/0`)
          assert.match(terminal, /^\/dev\/pts\//u)
          assert.deepStrictEqual(yield* watch.ended, well, watch.errors())
          assert.isTrue(alive(pid) || the.launched().includes(pid))
        }),
      !hasDisplay
    )
  })
})
