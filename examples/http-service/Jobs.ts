import { claudeCode } from "@souffleur/claude"
import { Comms, EventLog, load, type Recorded, Settings, type Watch } from "@souffleur/domain"
import { Beats, Cursor, type LogError, Offspring } from "@souffleur/eventlog"
import { Claims, HookFiles, HostServices, Launcher, Processes } from "@souffleur/node"
import { loadSettings, prepareLaunch } from "@souffleur/process"
import { command, own, Roles, supervise } from "@souffleur/supervisor"
import { Context, Effect, Layer, Random, type Stream } from "effect"
import { fileURLToPath } from "node:url"

/** Everything that a watch needs on this host, with its state in a folder. */
const layerWorld = (folder: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const environment = { ...process.env, SOUFFLEUR_STATE_DIR: folder }
      const flags = { launcher: "headless", watcherInitialWait: "1 second", watcherInterval: "10 seconds" }
      const settings = yield* loadSettings({ agent: claudeCode, projectDir: folder, environment, flags })
      const { agentDir, stateDir } = settings
      const entry = [process.execPath, fileURLToPath(new URL("JobLaunch.ts", import.meta.url))] as const
      const ports = Layer.mergeAll(
        claudeCode.layer({ agentDir, agentCommand: { program: claudeCode.program, args: [] }, environment }),
        Claims.layer({ folder: `${folder}/claims` }),
        HookFiles.layer(stateDir),
        Launcher.layer({ stateDir, entry, terminal: "headless" }),
        Layer.succeed(Settings, settings),
        Layer.mergeAll(Comms.layerSolo, EventLog.layerMemory),
        Layer.mergeAll(Beats.layerMemory, Cursor.layerMemory, Offspring.layerMemory)
      )
      return Roles.layer.pipe(Layer.provideMerge(ports), Layer.provideMerge(Processes.layer))
    })
  ).pipe(Layer.provideMerge(HostServices.layer))

/** The jobs of this server: each is a command that is watched, and run again when it breaks down. */
export class Jobs extends Context.Service<
  Jobs,
  {
    /** Starts a command and watches it as long as the server runs. Returns the id of the job. */
    readonly run: (words: readonly [string, ...ReadonlyArray<string>]) => Effect.Effect<string, Error>
    readonly state: (id: string) => Effect.Effect<Watch, LogError>
    readonly events: (id: string) => Stream.Stream<Recorded, LogError>
  }
>()("example/Jobs") {
  static readonly layer = (folder: string) =>
    Layer.effect(
      Jobs,
      Effect.gen(function* () {
        const log = yield* EventLog
        const world = yield* Effect.context<Layer.Success<ReturnType<typeof layerWorld>>>()
        const server = yield* Effect.scope
        const run = Effect.fn("Jobs.run")(function* ([program, ...args]: readonly [string, ...ReadonlyArray<string>]) {
          const id = `job-${(yield* Random.nextIntBetween(0, 2 ** 32)).toString(16)}`
          const launchId = `${id}-g1-launch-1`
          const order = {
            id: launchId,
            command: { program, args, environment: {} },
            cwd: folder,
            title: id,
            keep: true
          }
          // The launch file is written first, so that any souffleur of this job can start it, and only once.
          yield* prepareLaunch(order, (digest) => {
            const launch = { launchId, digest, requested: "acceptEdits", effective: "acceptEdits" } as const
            const open = { project: folder, comms: null, pid: 0, sessionId: "", observe: false }
            return command(id, { _tag: "Open", ...open, run: { kind: "command", launch } })
          })
          const watching = Effect.gen(function* () {
            const { fence, ref } = yield* own(id)
            yield* supervise(ref, fence)
          }).pipe(Effect.scoped)
          yield* Effect.forkIn(watching, server)
          return id
        })
        return Jobs.of({
          run: (words) => Effect.provide(run(words), world),
          state: (id) => Effect.provide(load(id), world),
          events: (id) => log.changes(id, 0)
        })
      })
    ).pipe(Layer.provide(layerWorld(folder)))
}
