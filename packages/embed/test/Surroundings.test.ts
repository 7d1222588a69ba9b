import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Schedule } from "effect"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { Souffleur } from "../src/index.ts"

const installed = spawnSync("tmux", ["-V"]).status === 0

/** A command that says in its folder where it runs. */
const job = `#!/bin/sh
printf '%s|%s\\n' "$$" "$(dirname "$0")" >> ran
exec sleep 300
`

/** A tmux server of its own with a home, a folder of programs and a souffleur in it. */
const surroundings = Effect.fnUntraced(function* (root: string, name: string) {
  const fs = yield* FileSystem.FileSystem
  const home = `${root}/${name}`
  const [project, programs] = [`${home}/opera`, `${home}/bin`]
  yield* fs.makeDirectory(project, { recursive: true })
  yield* fs.makeDirectory(programs, { recursive: true })
  yield* fs.writeFileString(`${programs}/job`, job, { mode: 0o755 })
  const path = `${programs}:/usr/bin:/bin`
  const tmux = (...args: ReadonlyArray<string>) =>
    spawnSync("tmux", ["-S", `${home}/tmux`, ...args], { encoding: "utf8", env: { PATH: path, LC_ALL: "C.UTF-8" } })
  yield* Effect.acquireRelease(
    Effect.sync(() => void tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "sleep", "300")),
    () => Effect.sync(() => void tmux("kill-server"))
  )
  const pane = tmux("display-message", "-p", "#{pane_id} #{pid}").stdout.trim().split(" ")
  const environment = {
    HOME: home,
    PATH: path,
    XDG_RUNTIME_DIR: home,
    TMUX: `${home}/tmux,${pane[1]},0`,
    TMUX_PANE: pane[0]!
  }
  const ran = fs.readFileString(`${project}/ran`).pipe(
    Effect.map((text) =>
      text
        .trim()
        .split("\n")
        .map((line) => line.split("|"))
    ),
    Effect.orElseSucceed((): Array<Array<string>> => [])
  )
  const souffleur = Souffleur.layerNode({
    stateDir: `${home}/state`,
    environment,
    settings: {
      watcherInitialWait: 0,
      watcherInterval: "50 millis",
      stopGrace: { milliseconds: 50 },
      launchSpacing: 0,
      restartPause: 0
    }
  })
  return { server: Number(pane[1]), programs, project, ran, souffleur }
})

describe("settings#launcher", () => {
  it.live.skipIf(!installed)(
    "two souffleurs of one process open each command in their own tmux server, by their own PATH, also after a death",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-around-" }))
        const both = [yield* surroundings(root, "a"), yield* surroundings(root, "b")]
        const above = (pid: number): ReadonlyArray<number> => {
          const parent = Number(/^PPid:\t(\d+)$/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])
          return parent > 0 ? [parent, ...above(parent)] : []
        }
        const night = Effect.fnUntraced(function* (one: (typeof both)[number]) {
          const { run, state } = yield* Souffleur
          const watch = yield* run({ project: one.project, command: ["job"], terminal: true })
          const times = (count: number) =>
            Effect.repeat(one.ran, { until: (all) => all.length >= count, schedule: Schedule.spaced("20 millis") })
          const [[first = ""] = []] = yield* times(1)
          yield* Effect.repeat(state(watch.id), {
            until: ({ phase }) => phase === "Watching",
            schedule: Schedule.spaced("20 millis")
          })
          assert.include(above(Number(first)), one.server)
          process.kill(Number(first), "SIGKILL")
          const all = yield* times(2)
          assert.include(above(Number(all[1]?.[0])), one.server)
          assert.deepStrictEqual(
            all.map(([, programs]) => programs),
            [one.programs, one.programs]
          )
        })
        yield* Effect.all(
          both.map((one) => night(one).pipe(Effect.scoped, Effect.provide(one.souffleur))),
          { concurrency: 2 }
        )
      }).pipe(Effect.scoped, Effect.provide(HostServices.layer)),
    { timeout: 60_000 }
  )
})
