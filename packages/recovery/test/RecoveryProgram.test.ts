import { assert, describe, it } from "@effect/vitest"
import { Agent } from "@souffleur/domain"
import { HostServices, Processes } from "@souffleur/node"
import { layerSettings } from "@souffleur/testing"
import { Duration, Effect, FileSystem, Layer, Option } from "effect"
import { spawn } from "node:child_process"
import { FailedClosed, layerRecoveryProgram, type Provider, recovery, recoveryCommand } from "../src/index.ts"
import { closedAt, relaunches } from "./Cycles.ts"
import { crashingLog, recovering } from "./CrashingLog.ts"
import { worldOf } from "./RecoveryWorld.ts"

/** Node, and a script that is one argument. It has its question as `asked`, and `say` answers. */
const script = (text: string) =>
  JSON.stringify([
    process.execPath,
    "-e",
    `const fs = require("node:fs"), { spawn } = require("node:child_process")
     const asked = JSON.parse(fs.readFileSync(0, "utf8"))
     const say = (answer) => fs.writeSync(1, JSON.stringify(answer))
     const done = { status: "success", relaunch_started: true }
     ${text}`
  ])
/** Starts a process that stands for an agent of that session, and keeps its pid in a file. */
const launching = (options: string, ...words: ReadonlyArray<string>) =>
  `const agent = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", "--", ${words.map((word) => JSON.stringify(word)).join(", ")}], ${options})
   fs.writeFileSync(asked.project + "/pid", String(agent.pid)); agent.unref();`

/** The provider behind the program. */
const next: Provider<never> = {
  name: "next",
  recover: () => Effect.fail(new FailedClosed({ stage: "next", message: "it was tried" }))
}

describe("behaviour#recovery_command", () => {
  it.layer(HostServices.layer, { excludeTestServices: true })((it) => {
    /** Runs one cycle of a watch without comms, whose Conductor is gone, with real processes. */
    const cycle = Effect.fnUntraced(function* (command: string, compactTimeout: Duration.Input = "90 seconds") {
      const fs = yield* FileSystem.FileSystem
      const project = yield* fs.makeTempDirectoryScoped()
      const world = worldOf()
      const log = yield* crashingLog(recovering({ project, comms: null }))
      const settings = { recoveryCommand: command, compactTimeout: Duration.fromInputUnsafe(compactTimeout) }
      const program = layerRecoveryProgram({
        command,
        environment: { PATH: "/usr/bin:/bin", MINE: "yes" },
        permissionOf: () => Option.none()
      })
      const isAgent = (words: ReadonlyArray<string>) => words.includes("--resume")
      yield* Effect.gen(function* () {
        const ref = yield* log.ref()
        yield* recovery(ref, yield* ref.state, [recoveryCommand, next])
      }).pipe(
        Effect.updateService(Agent, (agent) => ({ ...agent, isAgent })),
        Effect.provide(Layer.mergeAll(world.layerPorts, Processes.layer, program, layerSettings(settings))),
        Effect.provide(world.files.layer)
      )
      const events = yield* log.events
      const last = events.findLast(({ _tag }) => _tag !== "WatcherStarted")
      const pid = yield* Effect.option(fs.readFileString(`${project}/pid`))
      return { events, last, pid: Number(Option.getOrElse(pid, () => "0")), project }
    })
    const ending = (pid: number) =>
      Effect.addFinalizer(() => Effect.sync(() => (lives(pid) ? process.kill(pid, "SIGKILL") : false)))
    const lives = (pid: number) => {
      try {
        return pid > 0 && process.kill(pid, 0)
      } catch {
        return false
      }
    }

    it.effect("a program gets its question on standard input, and no variable but those that are meant for it", () =>
      Effect.gen(function* () {
        const keeps = 'fs.writeFileSync(asked.project + "/got", JSON.stringify([asked, process.env]))'
        const { last, project } = yield* cycle(script(`${keeps}; say({ applies: false })`))
        const [asked, environment] = JSON.parse(yield* (yield* FileSystem.FileSystem).readFileString(`${project}/got`))
        assert.deepStrictEqual(closedAt(last), ["next", "it was tried"])
        assert.deepInclude(asked, { session_id: "s1", project, launch_id: "w-g2-c1-program", attempt: 1 })
        assert.deepStrictEqual(environment, {
          PATH: "/usr/bin:/bin",
          MINE: "yes",
          SOUFFLEUR_LAUNCH_ID: "w-g2-c1-program"
        })
      })
    )

    for (const [how, options] of [
      ["apart from it", '{ detached: true, stdio: "ignore" }'],
      ["below it, and with its output", '{ stdio: "inherit" }']
    ] as const)
      it.effect(`an agent that a program launched ${how} outlives the program, and is the Conductor`, () =>
        Effect.gen(function* () {
          const { events, pid } = yield* cycle(
            script(`${launching(options, "--resume", "s1")} say({ ...done, new_conductor_pid: agent.pid })`)
          )
          yield* ending(pid)
          assert.strictEqual(relaunches(events)[0]?.conductor?.pid, pid)
          assert.isTrue(lives(pid))
        })
      )

    // Each of these waits for a successor that does not come.
    it.effect(
      "a program that lies, floods, hangs or dies closes the cycle, and harms no other process",
      () =>
        Effect.gen(function* () {
          const stranger = spawn("sleep", ["600"], { stdio: "ignore" })
          const other = process.getuid?.() === 0 ? spawn("sleep", ["600"], { stdio: "ignore", uid: 65_534 }) : stranger
          for (const one of [stranger, other]) yield* ending(one.pid!)
          const names = (pid: number) => script(`say({ ...done, new_conductor_pid: ${pid} })`)
          const unseen = "it says that it launched a successor, and no agent is found that holds s1"
          const hostile: ReadonlyArray<readonly [string, string, Duration.Input?]> = [
            [script('fs.writeSync(1, "relaunched, I think")'), "its answer does not have the form"],
            [
              script('const more = () => process.stdout.write("x".repeat(65536), more); more()'),
              "it printed more than 1048576 bytes"
            ],
            [
              script(`${launching('{ stdio: "ignore" }')} setInterval(() => {}, 1000)`),
              "it did not end within 1s",
              "1 second"
            ],
            [script('process.kill(process.pid, "SIGKILL")'), "it was ended by a signal"],
            [script(`${launching('{ stdio: "ignore" }')} process.exit(1)`), "it ended with exit code 1"],
            [script(launching('{ detached: true, stdio: "ignore" }')), "its answer does not have the form"],
            [names(1), unseen],
            [names(stranger.pid!), unseen],
            [names(other.pid!), unseen]
          ]
          const came = yield* Effect.forEach(hostile, ([command, , within]) => cycle(command, within), {
            concurrency: hostile.length
          })
          for (const [index, { last, pid }] of came.entries()) {
            const [stage, message] = closedAt(last) ?? []
            assert.strictEqual(stage, "recovery_command", hostile[index]![1])
            assert.include(message, hostile[index]![1])
            // What left the group of its program is nobody's to end.
            if (index === 5) yield* ending(pid)
            assert.strictEqual(lives(pid), index === 5, hostile[index]![1])
          }
          assert.deepStrictEqual(
            [stranger, other].map(({ pid }) => lives(pid!)),
            [true, true]
          )
        }),
      { tags: ["cases"] }
    )
  })
})
