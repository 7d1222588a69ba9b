import { Comms, EventLog, Processes, Settings } from "@souffleur/domain"
import { Beats, Cursor, Offspring } from "@souffleur/eventlog"
import { Claims, HookFiles, HostServices, Launcher, Processes as HostProcesses } from "@souffleur/node"
import { freshSessionId, loadSettings } from "@souffleur/process"
import { command, own, Roles, supervise } from "@souffleur/supervisor"
import { Console, Effect, FileSystem, Layer, Option, Schedule, Stream } from "effect"
import { strictEqual } from "node:assert"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Scribe from "./Scribe.ts"
import { scribe } from "./ScribeKind.ts"

/** Everything that a watch of the scribe needs on this host, with its state in a folder. */
const layerWorld = (folder: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const environment = { ...process.env, SOUFFLEUR_STATE_DIR: `${folder}/state`, SCRIBE_DIR: `${folder}/agent` }
      const flags = { launcher: "headless", watcherInitialWait: "1 second", watcherInterval: "1 second" }
      const settings = yield* loadSettings({ agent: scribe, projectDir: folder, environment, flags })
      const { agentDir, stateDir } = settings
      const entry = [process.execPath, fileURLToPath(new URL("ScribeLaunch.ts", import.meta.url))] as const
      const ports = Layer.mergeAll(
        scribe.layer({ agentDir, agentCommand: { program: "scribe", args: [] }, environment }),
        Claims.layer({ folder: `${folder}/claims` }),
        HookFiles.layer(stateDir),
        Launcher.layer({ stateDir, entry, terminal: "headless" }),
        Layer.succeed(Settings, settings),
        Layer.mergeAll(Comms.layerSolo, EventLog.layerMemory),
        Layer.mergeAll(Beats.layerMemory, Cursor.layerMemory, Offspring.layerMemory)
      )
      return Roles.layer.pipe(Layer.provideMerge(ports), Layer.provideMerge(HostProcesses.layer))
    })
  )

/** A night in which the first scribe is killed after two of five parts. */
const night = Effect.fn("night")(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const log = yield* EventLog
  const processes = yield* Processes
  const sessionId = yield* freshSessionId
  const parts = (session: string) =>
    Effect.map(
      Effect.orElseSucceed(fs.readFileString(`${folder}/agent/sessions/${session}.jsonl`), () => ""),
      (text) => text.split("\n").filter((line) => line.includes('"part"')).length
    )

  const words = [Scribe.program, `${folder}/agent`, sessionId, "Write a story."]
  const first = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, words, { stdio: "ignore" })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  yield* Effect.repeat(parts(sessionId), { until: (count) => count === 2, schedule: Schedule.spaced("50 millis") })
  const pid = first.pid ?? 0
  const found = Option.getOrThrow(yield* processes.find(pid))
  const open = { project: folder, comms: null, observe: false, pid, sessionId, process: found.identity }
  yield* command("story", { _tag: "Open", ...open })
  const { fence, ref } = yield* own("story")
  yield* log.changes("story", 0).pipe(
    Stream.filter(({ event }) => event._tag.startsWith("Conductor")),
    Stream.tap(({ event }) => Console.log(event._tag)),
    Stream.runForEach(({ event }) => Effect.sync(() => event._tag === "ConductorConfirmed" && first.kill("SIGKILL"))),
    Effect.forkScoped
  )
  const { end, generation, sessions } = yield* supervise(ref, fence)
  const counts = yield* Effect.forEach(sessions, parts)
  return `${end} in generation ${generation}, with ${counts.join(" and ")} parts`
}, Effect.scoped)

const program = Effect.gen(function* () {
  const folder = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped({ prefix: "scribe-" })
  const ended = yield* Effect.provide(night(folder), layerWorld(folder))
  yield* Console.log(ended)
  strictEqual(ended, "completed in generation 2, with 2 and 3 parts")
})
await Effect.runPromise(program.pipe(Effect.provide(HostServices.layer), Effect.scoped))
