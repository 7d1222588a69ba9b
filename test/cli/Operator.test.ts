import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { bundle, prints, stage, task, until } from "./CliStage.ts"
import { live, liveCase } from "./Live.ts"

const withoutTmux = spawnSync("tmux", ["-V"]).status !== 0

const script = (path: string, text: string) => fs.writeFileSync(path, `#!/bin/sh\n${text}`, { mode: 0o755 })

describe("command-line#plumbing", () => {
  describe.concurrent("compact by hand", () => {
    liveCase("compact compacts a session whose process has ended in place, under the ceiling", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1, 10)])
        assert.strictEqual((yield* the.run(["__stand-in", ...the.order])).code, 0)
        const [agent, seen] = [join(the.home, "agent"), join(the.home, "seen")]
        script(
          agent,
          `pwd > '${seen}'; printf '%s\\n' "$@" >> '${seen}'; exec '${process.execPath}' '${bundle}' __stand-in "$@"\n`
        )
        // From anywhere: a session is compacted in its own project's folder.
        const at = { SOUFFLEUR_AGENT_COMMAND: agent }
        const { code, errors, lines } = yield* the.run(["compact", the.session, "--json"], at, the.home)
        assert.strictEqual(code, 0, errors)
        assert.deepStrictEqual(JSON.parse(lines.join("")), { session_id: the.session, compacted: true, attempts: 1 })
        assert.strictEqual(the.conversation(the.session).split('"compact_boundary"').length, 2)
        const args = ["--resume", the.session, "-p", "--permission-mode", "acceptEdits", "--", "/compact"]
        assert.deepStrictEqual(fs.readFileSync(seen, "utf8").split("\n"), [the.project, ...args, ""])
        // The launch held the environment; it is decided.
        assert.isFalse(fs.readdirSync(join(the.state, "launches")).some((name) => name.endsWith(".json")))

        // Told where, there; and a project that is gone is compacted from here.
        const elsewhere = join(the.home, "elsewhere")
        fs.mkdirSync(elsewhere)
        const told = ["compact", the.session, "--project-dir", elsewhere]
        assert.strictEqual((yield* the.run(told, at, the.home)).code, 0)
        assert.strictEqual(fs.readFileSync(seen, "utf8").split("\n")[0], elsewhere)
        fs.renameSync(the.project, `${the.project}-moved`)
        assert.strictEqual((yield* the.run(["compact", the.session], at, the.home)).code, 0)
        assert.strictEqual(fs.readFileSync(seen, "utf8").split("\n")[0], the.home)
      })
    )

    liveCase("compact without a boundary is tried once more, and fails whatever the agent's exit code", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1, 10)])
        yield* the.run(["__stand-in", ...the.order])
        const agent = join(the.home, "agent")
        script(agent, `SOUFFLEUR_STANDIN_COMPACT_FAILS=true exec '${process.execPath}' '${bundle}' __stand-in "$@"\n`)
        const { code, errors, lines } = yield* the.run(["compact", the.session], { SOUFFLEUR_AGENT_COMMAND: agent })
        assert.deepStrictEqual([code, lines], [1, []])
        assert.match(errors, /^souffleur: session \S+ is not compacted: the compact session ended without a boundary$/m)
        assert.lengthOf(the.launched(), 2)
      })
    )

    live("compact is refused while a process holds the session or a watch looks after it, and launches nothing", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const conductor = yield* the.conductor()
        const held = yield* the.run(["compact", the.session, "--json"])
        assert.deepStrictEqual([held.code, held.lines], [2, []])
        assert.match(held.errors, new RegExp(`process ${conductor.pid} holds session`))
        const watch = the.watch(conductor, "--observe")
        yield* prints(watch, "WatchSettled")
        conductor.kill("SIGKILL")
        yield* prints(watch, "RecoveryWithheld")
        const watched = yield* the.run(["compact", the.session])
        assert.deepStrictEqual([watched.code, watched.lines], [2, []])
        assert.match(watched.errors, /looks after session .*"souffleur release opera-/)
        assert.deepStrictEqual(the.launched(), [])
        assert.strictEqual((yield* the.run(["compact", "no-such-session"])).code, 2)
      })
    )
  })
})

describe("command-line#looking", () => {
  describe.concurrent("attach", () => {
    liveCase("attach leaves generation 1 to the user, and follows the successor's output to the end of the watch", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1, 50), task(2, 400)])
        const conductor = yield* the.conductor(2)
        const watch = the.watch(conductor)
        yield* prints(watch, "WatchSettled")
        const first = yield* the.run(["attach"])
        assert.deepStrictEqual([first.code, first.lines], [2, []])
        assert.match(
          first.errors,
          new RegExp(`Conductor \\(S1\\), pid ${conductor.pid}, was not started by souffleur: its output is not ours`)
        )
        conductor.kill("SIGKILL")
        yield* prints(watch, "ConductorRelaunched")
        const attached = yield* the.run(["attach"])
        assert.strictEqual(attached.code, 0, attached.errors)
        assert.deepStrictEqual(attached.lines, ["Every task of the plan is complete."])
        assert.match(attached.errors, /^the Conductor \(S2\), pid \d+: its output/)
        yield* watch.ended
        // The words from before the end can still be read after it.
        assert.deepStrictEqual((yield* the.run(["attach"])).lines, attached.lines)
      })
    )

    live(
      "attach selects the agent's tmux pane, even behind a shell; without a terminal it says how to go there",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1)], { SOUFFLEUR_STANDIN_HANG_AT: "1" })
          const tmux = (...args: ReadonlyArray<string>) =>
            spawnSync("tmux", args, { env: the.environment, cwd: the.project, encoding: "utf8" }).stdout.trim()
          const agent = join(the.home, "agent")
          script(agent, `'${process.execPath}' '${bundle}' __stand-in --session-id ${the.session} -- work\n`)
          tmux("-f", "/dev/null", "new-session", "-d", "-s", "the opera", agent)
          tmux("new-window", "-t", "the opera:", "sleep", "300")
          const sessions = join(the.home, "claude", "sessions")
          const pids = Effect.sync(() => (fs.existsSync(sessions) ? fs.readdirSync(sessions) : []))
          const [file] = yield* until(pids, (found) => found.length === 1 && the.sessions().length === 1)
          const pid = file!.replace(".json", "")
          const watch = the.start(["watch", "--json", "--pid", pid, "--session-id", the.session])
          yield* prints(watch, "WatchSettled")
          const shown = () => tmux("display-message", "-p", "-t", "the opera:", "#{window_index}")
          assert.strictEqual(shown(), "1")
          const { code, errors, lines } = yield* the.run(["attach"])
          assert.strictEqual(code, 0, errors)
          assert.deepStrictEqual(lines, [
            `the Conductor (S1), pid ${pid}: it runs in tmux, session the opera: tmux attach-session -t '%0'`
          ])
          assert.strictEqual(shown(), "0")
          // Another server answers there, or none.
          const outside = yield* the.run(["attach"], { TMUX_TMPDIR: the.project })
          assert.deepStrictEqual([outside.code, outside.lines], [2, []])
          assert.match(outside.errors, /be asked from here: tmux -S \/\S+ attach$/mu)
        }),
      withoutTmux
    )

    liveCase("attach asks kitty for the window of the agent, or of its parent", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const conductor = yield* the.conductor()
        const watch = the.watch(conductor)
        yield* prints(watch, "WatchSettled")
        const [bin, asked] = [join(the.home, "bin"), join(the.home, "asked")]
        fs.mkdirSync(bin)
        script(join(bin, "kitty"), `echo "$@" >> '${asked}'\n[ "$4" = pid:${process.pid} ]\n`)
        const { code, errors, lines } = yield* the.run(["attach"], {
          PATH: `${bin}:/usr/bin:/bin`,
          KITTY_LISTEN_ON: "unix:/nowhere"
        })
        assert.deepStrictEqual([code, lines, errors], [0, [], ""])
        const pids = [conductor.pid, process.pid]
        assert.deepStrictEqual(
          fs.readFileSync(asked, "utf8").trim().split("\n"),
          pids.map((pid) => `@ focus-window --match pid:${pid}`)
        )
      })
    )
  })
})

describe("settings#launcher", () => {
  liveCase("a successor in kitty starts in a tab, not in print mode; attach says when kitty does not answer", () =>
    Effect.gen(function* () {
      const the = yield* stage([task(1, 50), task(2)])
      const bin = join(the.home, "bin")
      fs.mkdirSync(bin)
      // Of `kitty @ launch` it does what a test needs: the command behind `--`, which outlives it.
      script(
        join(bin, "kitty"),
        `[ "$2" = launch ] || exit 1\nwhile [ "$1" != -- ]; do [ "$1" = --env ] && export "$2"; shift; done\nshift\n"$@" > /dev/null 2>&1 &\n`
      )
      const kitty = {
        PATH: `${bin}:/usr/bin:/bin`,
        KITTY_LISTEN_ON: "unix:/nowhere",
        KITTY_WINDOW_ID: "1",
        SOUFFLEUR_LAUNCHER: "auto"
      }
      const conductor = yield* the.conductor(2)
      const watch = the.start(["watch", "--json", "--pid", String(conductor.pid), "--session-id", the.session], kitty)
      yield* prints(watch, "WatchSettled")
      conductor.kill("SIGKILL")
      const { conductor: successor, print } = yield* prints(watch, "ConductorRelaunched")
      assert.isFalse(print)
      const attached = yield* the.run(["attach"], kitty)
      assert.strictEqual(attached.code, 2)
      assert.match(
        attached.errors,
        /the Conductor \(S2\), pid \d+, was launched into a terminal that cannot be asked from here: look for its window on your desktop, or type souffleur attach within/
      )
      assert.deepStrictEqual(yield* watch.ended, { code: 0, signal: null })
      assert.deepStrictEqual(the.launched(), [(successor as { readonly pid: number }).pid])
    })
  )
})
