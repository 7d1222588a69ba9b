import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Array, Clock, Effect, FileSystem, Schedule, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { fileURLToPath } from "node:url"
import { terminalSvg, type TimedLine } from "./TerminalSvg.ts"

/**
 * `pnpm screen`: kills an agent in a real `souffleur run`, and draws its screen as `session.svg`. It puts what `status`
 * and `why` printed into the README's first two blocks of text. The agent is the stand-in, and hangs in its second task
 * until it is killed.
 */
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const souffleur = file("../../packages/cli/src/main.ts")
const readme = file("../../README.md")
const drawing = file("session.svg")

const Statuses = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({ generation: Schema.Int, conductor: Schema.Struct({ pid: Schema.Int, alive: Schema.Boolean }) })
  )
)

/** The death in the lines of `log --json`. */
const Death = Schema.fromJsonString(Schema.Struct({ _tag: Schema.Literal("ConductorDied"), revision: Schema.Int }))
const decodeDeath = Schema.decodeUnknownOption(Death)

const task = (number: number) => ({
  id: `task-0${number}`,
  file: `part-${number}.txt`,
  text: `part ${number}\n`,
  millis: 300
})

const main = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-screen-" }))
  const project = `${home}/app`
  yield* fs.makeDirectory(project)
  yield* fs.makeDirectory(`${home}/bin`)
  yield* fs.writeFileString(`${project}/plan.json`, JSON.stringify({ tasks: [task(1), task(2), task(3)] }))
  // The first life hangs. The stand-in knows no `--settings`.
  const script = `#!/bin/sh
[ -e '${home}/lived' ] || { touch '${home}/lived'; export SOUFFLEUR_STANDIN_HANG_AT=2; }
export SOUFFLEUR_CLAUDE_DIR='${home}/.claude'
[ "\${1#--settings=}" = "$1" ] || shift
exec '${process.execPath}' '${souffleur}' __stand-in "$@"
`
  yield* fs.writeFileString(`${home}/bin/claude`, script, { mode: 0o755 })
  const options = {
    cwd: project,
    env: {
      HOME: home,
      SOUFFLEUR_CLAUDE_DIR: `${home}/.claude`,
      PATH: `${home}/bin:/usr/local/bin:/usr/bin:/bin`,
      SOUFFLEUR_STATE_DIR: `${home}/state`,
      SOUFFLEUR_LAUNCHER: "headless",
      SOUFFLEUR_WATCHER_INITIAL_WAIT: "1 second",
      SOUFFLEUR_WATCHER_INTERVAL: "1 second"
    }
  }
  const run = (...args: ReadonlyArray<string>) =>
    spawner.string(ChildProcess.make(process.execPath, [souffleur, ...args], options), { includeStderr: true })
  /** The lines of a run, each with the time at which it came. */
  const timed = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const handle = yield* spawner.spawn(ChildProcess.make(process.execPath, [souffleur, ...args], options))
    const began = yield* Clock.currentTimeMillis
    const lines = (stream: typeof handle.all, tone: TimedLine["tone"]) =>
      stream.pipe(
        Stream.decodeText(),
        Stream.splitLines,
        Stream.mapEffect((text) => Effect.map(Clock.currentTimeMillis, (now) => ({ at: now - began, text, tone })))
      )
    return yield* Stream.runCollect(Stream.merge(lines(handle.stdout, "agent"), lines(handle.stderr, "souffleur")))
  })
  const kill = Effect.gen(function* () {
    const look = spawner.string(ChildProcess.make(process.execPath, [souffleur, "status", "--json"], options)).pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Statuses)),
      Effect.orElseSucceed(() => [])
    )
    const [found] = yield* Effect.repeat(look, {
      until: ([one]) => one?.conductor.alive === true && one.generation === 1,
      schedule: Schedule.spaced("200 millis")
    })
    yield* Effect.repeat(fs.exists(`${project}/part-1.txt`), {
      until: (done) => done,
      schedule: Schedule.spaced("200 millis")
    })
    // What it has done is on the screen by then.
    yield* Effect.sleep("3 seconds")
    const pid = found?.conductor.pid ?? 0
    if (pid > 0) process.kill(pid, "SIGKILL")
    return pid
  })
  const words = ["-p", "Work through PLAN.md until all of it is done."] as const
  const [said, pid] = yield* Effect.all([timed("run", "--", "claude", ...words), kill], { concurrency: 2 })
  // The start of a program from its source is no part of the story.
  const late = said[0]!.at - 1200
  const story = said.map((line) => ({ ...line, at: line.at - late }))
  const killed = story.findIndex(({ text }) => text.includes(" died: "))
  yield* fs.writeFileString(
    drawing,
    terminalSvg("The agent of a souffleur run is killed, and comes back with its conversation.", [
      { at: 0, text: `$ souffleur run -- claude -p "${words[1]}"`, tone: "typed" },
      ...story.slice(0, killed),
      // The kill is seen within a moment.
      { at: story[killed]!.at - 700, text: `  (another terminal) $ kill -9 ${pid}`, tone: "typed" },
      ...story.slice(killed)
    ])
  )
  const screen = ["-qec", `stty cols 80; exec '${process.execPath}' '${souffleur}' status`, "/dev/null"]
  const terminal = { ...options, env: { ...options.env, NO_COLOR: "1", TERM: "xterm" } }
  const status = (yield* spawner.string(ChildProcess.make("script", screen, terminal))).replaceAll("\r", "")
  const lines = (yield* run("log", "--json")).split("\n")
  const death = yield* Effect.fromOption(Array.head(Array.getSomes(lines.map((line) => decodeDeath(line)))))
  const [why = ""] = (yield* run("why", String(death.revision))).split("\n\nAction")
  const shown = [status, why].map((text) => text.replaceAll(home, "~").trimEnd())
  const page = yield* fs.readFileString(readme)
  yield* fs.writeFileString(
    readme,
    page.replaceAll(/(?<=```text\n)[^]*?(?=\n```)/gu, (block) => shown.shift() ?? block)
  )
}).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
NodeRuntime.runMain(main)
