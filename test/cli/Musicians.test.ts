import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { alive, bundle, prints, type Running, stage, task, until } from "./CliStage.ts"
import { live, liveCase } from "./Live.ts"

const isThere = (program: string) => spawnSync("which", [program]).status === 0
const withX = isThere("xterm") && isThere("Xvfb")

/** Agents that a Conductor's tools start, each with a name under which it writes its pid. */
const musicians: Readonly<Record<string, string>> = {
  background: "./claude background > background.log",
  "no hangup": "nohup ./claude 'no hangup' > nohup.log 2>&1",
  "a pipe": "./claude 'a pipe' | tee pipe.log > /dev/null",
  "a script": `script -qc "./claude 'a script'" /dev/null > script.log`,
  "another machine": "./ssh stage ./claude 'another machine'",
  "a container": `./docker exec box sh -c "exec ./claude 'a container'"`,
  ...(withX ? { "a window": "xterm -e ./claude 'a window'" } : {}),
  // This one has a pid file.
  "a known session": `sh -c 'echo $$ > "a known session"; exec "$@"' sh "$node" "$bundle" __stand-in --session-id "$second" -- hi | tee known.log`
}
/** What its tools leave behind beside them. */
const leftovers: Readonly<Record<string, string>> = {
  server: "echo $$ > server; exec sleep 1001",
  daemon: "(setsid sh -c 'echo $$ > daemon; exec sleep 1002' &)",
  "a pipe of tools": "sh -c 'echo $$ > \"a pipe of tools\"; exec sleep 1003' | tee tools.log",
  ...(withX ? { "a window of tools": "xterm -e sh -c 'echo $$ > \"a window of tools\"; exec sleep 1004'" } : {})
}

/** An agent without a pid file, which ends where nothing reads what it says. */
const agent = `#!/bin/sh
echo $$ > "$1.new" && mv "$1.new" "$1"
while echo at work; do sleep 0.1; done`
/** A client of an agent that is no child of it, and ends with it. */
const clientOf = (own: number) => `#!/bin/sh
shift ${own}
mkfifo line.$$
(setsid env -i PATH="$PATH" "$@" > line.$$ &)
cat line.$$ > /dev/null`

/** A Conductor whose tools have started all of them. */
const conducting = Effect.gen(function* () {
  const the = yield* stage([task(1)])
  const there = join(the.home, "there")
  fs.mkdirSync(there)
  const write = (name: string, text: string) => fs.writeFileSync(join(there, name), text, { mode: 0o755 })
  write("claude", agent)
  write("ssh", clientOf(1))
  write("docker", clientOf(2))
  const tools = Object.values({ ...musicians, ...leftovers }).map((line, at) => {
    write(`tool-${at}`, line)
    return `setsid sh ./tool-${at} < /dev/null > /dev/null 2>&1 &`
  })
  const script = `
    export CLAUDE_PID=$$ CLAUDE_CODE_SESSION_ID="$1" node="$2" bundle="$3" second="$4"
    cd '${there}'
    ${tools.join("\n")}
    cd "$5"
    shift 5
    exec "$node" "$bundle" __stand-in "$@"`
  const words = [the.session, process.execPath, bundle, crypto.randomUUID(), the.project, ...the.order]
  const display = withX ? { DISPLAY: yield* screen(the.spawned) } : {}
  const conductor = yield* the.acting(
    the.spawned("/bin/bash", ["-c", script, "bash", ...words], { SOUFFLEUR_STANDIN_HANG_AT: "1", ...display })
  )
  const pidOf = (name: string) => Number(fs.readFileSync(join(there, name), "utf8"))
  const names = Object.keys({ ...musicians, ...leftovers })
  yield* until(
    Effect.sync(() => names.every((name) => fs.existsSync(join(there, name)) && pidOf(name) > 0)),
    (all) => all
  )
  const pids = new Map(names.map((name) => [name, pidOf(name)]))
  const second = join(the.home, "claude", "sessions", `${pids.get("a known session")}.json`)
  yield* until(
    Effect.sync(() => fs.existsSync(second)),
    (all) => all
  )
  return { ...the, conductor, living: () => names.filter((name) => alive(pids.get(name)!)) }
})

/** A display of the test's own, with a number that X chooses. */
const screen = Effect.fnUntraced(function* (spawned: (program: string, args: ReadonlyArray<string>) => Running) {
  const server = spawned("Xvfb", ["-displayfd", "1", "-screen", "0", "640x480x8", "-nolisten", "tcp"])
  const [number] = yield* until(
    Effect.sync(() => server.lines),
    (lines) => lines.length > 0
  )
  return `:${number}`
})

describe("behaviour#stop", () => {
  const stays = (how: string, end: (the: Effect.Success<typeof conducting>) => void) =>
    Effect.gen(function* () {
      const the = yield* conducting
      assert.sameMembers(the.living(), Object.keys({ ...musicians, ...leftovers }))
      const watch = the.watch(the.conductor)
      yield* prints(watch, "WatchSettled")
      end(the)
      assert.deepStrictEqual(yield* watch.ended, { code: 0, signal: null })
      assert.isFalse(alive(the.conductor.pid))
      assert.lengthOf(the.launched(), 1, how)
      assert.sameMembers(the.living(), Object.keys(musicians))
    })

  live("the agents that a dead Conductor started live on in their windows, pipes and clients; its tools end", () =>
    stays("died", ({ conductor }) => conductor.kill("SIGKILL"))
  )
  liveCase("so they do where a living Conductor asks for a fresh context", () =>
    stays("asked", ({ commsDb }) =>
      commsDb((db) => db.exec("UPDATE orchestration_tasks SET state = 'context_recovery' WHERE task_id = 'task-00'"))
    )
  )
})
