import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { bundle, stage, task, until, type Variables } from "./CliStage.ts"
import { first, theatre } from "./CliTheatre.ts"

const missing = spawnSync("tmux", ["-V"]).status !== 0

/** Starts `souffleur top` in a window of a tmux server of the test's own. Its script says the exit code after it. */
const makePane = Effect.fnUntraced(function* (
  the: Pick<Effect.Success<ReturnType<typeof stage>>, "environment" | "home" | "project">,
  { columns, rows }: { readonly columns: number; readonly rows: number },
  more: Variables = {}
) {
  const env = { ...the.environment, TERM: "xterm-256color", LC_ALL: "C.UTF-8", ...more }
  // A server that was told to end takes commands for a moment more, and loses them.
  const server = crypto.randomUUID()
  const tmux = (...args: ReadonlyArray<string>) =>
    execFileSync("tmux", ["-L", server, "-f", "/dev/null", ...args], { env, cwd: the.project, encoding: "utf8" })
  const [inner, outer] = [join(the.home, "inner.sh"), join(the.home, "outer.sh")]
  fs.writeFileSync(inner, `echo $$ > '${the.home}/pid'\nexec '${process.execPath}' '${bundle}' top --utc\n`)
  fs.writeFileSync(outer, `echo before\nsh '${inner}'\necho "code $?"\nexec sleep 1000\n`)
  yield* Effect.acquireRelease(
    Effect.sync(() => tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), `sh '${outer}'`)),
    () => Effect.sync(() => void spawnSync("tmux", ["-L", server, "kill-server"], { env }))
  )
  const seen = () => tmux("capture-pane", "-p")
  return {
    tmux,
    press: (...keys: ReadonlyArray<string>) => void tmux("send-keys", ...keys),
    shows: (words: string) => until(Effect.sync(seen), (text) => text.includes(words)),
    // A watch that ended says its exit code too, so the script's own line is asked for whole.
    ends: (code: number) => until(Effect.sync(seen), (text) => text.split("\n").includes(`code ${code}`)),
    lines: () => seen().split("\n"),
    isFull: () => tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}").trim() === "1 0",
    isRestored: () => tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}").trim() === "0 1",
    pid: () => Number(fs.readFileSync(join(the.home, "pid"), "utf8"))
  }
})

/** Starts a watch of a command that goes on until `go` is there, in the folder of the project or in another one. */
const watched = Effect.fnUntraced(function* (
  the: Effect.Success<ReturnType<typeof stage>>,
  { prints = ":", name = "" }: { readonly prints?: string; readonly name?: string } = {}
) {
  const script = `${prints}; until [ -e go ]; do sleep 0.05; done`
  const folder = name === "" ? the.project : join(the.home, name)
  fs.mkdirSync(folder, { recursive: true })
  const run = the.start(["run", "--no-guardian", "--json", "--", "/bin/sh", "-c", script], {}, folder)
  yield* until(
    Effect.sync(() => run.lines.join("\n")),
    (text) => text.includes("WatchSettled")
  )
  return (JSON.parse(run.lines[0]!) as { readonly watch: string }).watch
})

describe("command-line#top", () => {
  it.live.skipIf(missing)(
    "top shows a watch, its events and its last decision, follows news and a resize, and gives the screen back",
    () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const id = yield* watched(the)
        const pane = yield* makePane(the, { columns: 80, rows: 24 })
        yield* pane.shows(`› ${id}  ▸ working`)
        assert.isTrue(pane.isFull())
        pane.press("Enter")
        yield* pane.shows("souffleur watches.")
        assert.include(pane.lines().join("\n"), the.project)
        pane.press("?")
        yield* pane.shows("this help")
        pane.press("Escape")
        yield* pane.shows(`› ${id}  ▸ working`)
        pane.press("r")
        yield* pane.shows(`retry ${id}? y`)
        pane.press("n")
        yield* pane.shows("Nothing was said.")
        pane.press("r")
        yield* pane.shows(`retry ${id}? y`)
        pane.press("y")
        // There is nothing to try again, and the command says so itself.
        yield* pane.shows("no recovery has failed")
        pane.tmux("resize-window", "-x", "40", "-y", "10")
        yield* until(
          Effect.sync(() => pane.lines().at(9)!),
          (line) => line !== ""
        )
        yield* pane.shows("working")
        assert.isBelow(Math.max(...pane.lines().map((line) => line.length)), 41)
        // A shell in which it was stopped has written over it, and reads lines again.
        const tty = pane.tmux("display-message", "-p", "#{pane_tty}").trim()
        process.kill(pane.pid(), "SIGSTOP")
        execFileSync("sh", ["-c", `stty sane < ${tty}; printf '\\033[2J' > ${tty}`])
        process.kill(pane.pid(), "SIGCONT")
        yield* pane.shows(`› ${id}  ▸ working`)
        pane.press("?")
        yield* pane.shows("choose, or scroll")
        pane.press("Escape")
        fs.writeFileSync(join(the.project, "go"), "")
        yield* pane.shows("1 ended")
        pane.press("w")
        yield* pane.shows("ended with exit code 0")
        pane.press("q")
        yield* pane.ends(0)
        assert.isTrue(pane.isRestored())
        assert.strictEqual(pane.lines()[0], "before")
      })
  )

  it.live.skipIf(missing)(
    "top says each word, filters, sorts, and shows and follows an output that no terminal obeys",
    () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const loud = yield* watched(the, { prints: "printf '\\033]2;evil\\007\\033[2Jsung %s\\n' one", name: "loud" })
        const ends = yield* watched(the, { name: "ends" })
        const left = yield* watched(the, { name: "left" })
        const pane = yield* makePane(the, { columns: 100, rows: 24 }, { NO_COLOR: "1" })
        yield* pane.shows("3 working")
        // What the agents did is read after the list.
        yield* pane.shows("LAST HOUR")
        assert.include(pane.lines()[2], "LAST HOUR")
        assert.notInclude(pane.tmux("capture-pane", "-p", "-e"), "\u001B[1m")
        const only = function* (id: string) {
          pane.press("/")
          pane.press("-l", id)
          yield* pane.shows(`› ${id}`)
          yield* pane.shows("1 of 3")
          pane.press("Enter")
        }
        yield* only(loud)
        pane.press("o")
        yield* pane.shows("sung one")
        assert.include(pane.lines().join("\n"), `── output of ${loud}`)
        assert.notInclude(pane.tmux("display-message", "-p", "#{pane_title}"), "evil")
        pane.press("h")
        yield* pane.shows(`${loud} is held`)
        yield* pane.shows("= held")
        pane.press("s")
        yield* pane.shows("sort: age")
        pane.press("g")
        yield* pane.shows(`${loud} goes on`)
        yield* only(ends)
        pane.press("d")
        yield* pane.shows(`done ${ends}? y`)
        pane.press("y")
        yield* pane.shows(`${ends} is complete.`)
        yield* only(left)
        pane.press("l")
        yield* pane.shows(`release ${left}? y`)
        pane.press("y")
        yield* pane.shows(`${left} is released`)
        yield* only(loud)
        pane.press("x")
        yield* pane.shows(`stop ${loud}? y`)
        pane.press("y")
        yield* pane.shows(`${loud} is stopped`)
        yield* pane.shows("3 ended")
        pane.press("a")
        yield* pane.shows("nothing is there to go to")
        pane.press("q")
        yield* pane.ends(0)
      })
  )

  it.live.skipIf(missing)("top shows a run and the output of its agent, says its words, and goes to that output", () =>
    Effect.gen(function* () {
      const the = yield* theatre({ millis: 0, tasks: {} }, first)
      const held = join(the.home, "claude", "craft", "task-001.implementer.held")
      fs.mkdirSync(dirname(held), { recursive: true })
      fs.writeFileSync(held, "")
      const run = the.start(["conduct", "plan.yaml", "--json"])
      yield* the.prints(run, "AgentLaunched")
      const pane = yield* makePane(the, { columns: 100, rows: 24 })
      yield* pane.shows("0 of 1")
      pane.press("o")
      yield* pane.shows("implementer of task-001, pid")
      pane.press("r")
      yield* pane.shows("this is a run")
      pane.press("h")
      yield* pane.shows("is held: nothing further begins after its implementer")
      pane.press("g")
      yield* pane.shows("goes on now")
      pane.press("a")
      yield* until(
        Effect.sync(() => pane.isRestored()),
        (restored) => restored
      )
      yield* pane.shows("implementer of task-001, pid")
    })
  )

  it.live.skipIf(missing)(
    "attach from top gives the screen back, and goes to the window in which the agent lives",
    () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)], { SOUFFLEUR_STANDIN_HANG_AT: "1" })
        const agent = join(the.home, "agent.sh")
        fs.writeFileSync(
          agent,
          `exec '${process.execPath}' '${bundle}' __stand-in --session-id ${the.session} -- work\n`
        )
        const pane = yield* makePane(the, { columns: 80, rows: 24 })
        pane.tmux("new-window", "-d", "-n", "agent", `sh '${agent}'`)
        const sessions = join(the.home, "claude", "sessions")
        const pids = Effect.sync(() => (fs.existsSync(sessions) ? fs.readdirSync(sessions) : []))
        const [file] = yield* until(pids, (found) => found.length === 1 && the.sessions().length === 1)
        const watch = the.start(["watch", "--json", "--pid", file!.replace(".json", ""), "--session-id", the.session])
        yield* until(
          Effect.sync(() => watch.lines.join("\n")),
          (text) => text.includes("WatchSettled")
        )
        yield* pane.shows("1 working")
        pane.press("a")
        const shown = () => pane.tmux("display-message", "-p", "#{window_name}").trim()
        yield* until(Effect.sync(shown), (name) => name === "agent")
        pane.tmux("select-window", "-t", ":0")
        yield* pane.ends(0)
        assert.isTrue(pane.isRestored())
      })
  )

  it.live.skipIf(missing)("top gives the screen back after a signal and after Ctrl-C, with their exit codes", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      for (const [end, code] of [
        ["SIGTERM", 143],
        ["SIGINT", 130],
        ["C-c", 130]
      ] as const) {
        const pane = yield* makePane(the, { columns: 60, rows: 12 })
        yield* pane.shows("Nothing is watched yet")
        assert.isTrue(pane.isFull())
        if (end === "C-c") pane.press(end)
        else process.kill(pane.pid(), end)
        yield* pane.ends(code)
        assert.isTrue(pane.isRestored())
        assert.deepStrictEqual(pane.lines().slice(0, 2), ["before", `code ${code}`])
      }
    })
  )

  it.live("top prints plain lines once into a pipe, and JSON for a program", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      const id = yield* watched(the)
      const plain = yield* the.run(["top"])
      assert.deepStrictEqual([plain.code, plain.errors], [0, ""])
      assert.deepStrictEqual(plain.lines, ["1 working", `▸ ${id}  sh -c :; until [ -e go …  working  ${the.project}`])
      const { ended, living } = JSON.parse((yield* the.run(["top", "--json"])).lines.join("\n"))
      assert.deepStrictEqual([ended, living[0].id, living[0].state], [0, id, "working"])
    })
  )
})
