import { Comms, EventLog, Hashing, Settings, type Target } from "@souffleur/domain"
import { Beats, Cursor, Offspring } from "@souffleur/eventlog"
import { RunLog } from "@souffleur/plan"
import { loadSettings, TrustedFiles } from "@souffleur/process"
import { Effect, Layer, Path, PlatformError } from "effect"
import { ChildProcessSpawner } from "effect/process"
import { TestClock } from "effect/testing"
import { FakeAgent } from "./FakeAgent.ts"
import { FakeClaims } from "./FakeClaims.ts"
import { FakeComms } from "./FakeComms.ts"
import { FakeConductor } from "./FakeConductor.ts"
import { FakeFiles } from "./FakeFiles.ts"
import { FakeGit } from "./plan/FakeGit.ts"
import { FakeHooks } from "./FakeHooks.ts"
import { fakeKind } from "./FakeKind.ts"
import { type FakeLaunch, FakeLauncher } from "./FakeLauncher.ts"
import { FakeMusicians } from "./plan/FakeMusicians.ts"
import { FakeProcesses } from "./FakeProcesses.ts"
import { begun } from "./FakeTime.ts"

/** Provides the default settings of a project without a config file, with changes. */
export const layerSettings = (change: Partial<Settings["Service"]> = {}) =>
  Layer.effect(
    Settings,
    Effect.map(
      loadSettings({ agent: fakeKind, projectDir: "/p", environment: { HOME: "/home" }, flags: {} }),
      (all) => ({
        ...all,
        ...change
      })
    )
  ).pipe(Layer.provide([TrustedFiles.layerNone, Path.layer]), Layer.orDie)

/** A digest of 64 hex digits that waits for no thread: a test would move time on meanwhile. */
const layerHashing = Layer.succeed(Hashing, (bytes) =>
  Effect.sync(() =>
    [1, 2, 3, 4, 5, 6, 7, 8]
      .map(
        (seed) => bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), Math.imul(seed, 0x811c9dc5)) >>> 0
      )
      .map((hash) => hash.toString(16).padStart(8, "0"))
      .join("")
  )
)

/** Has no program of another: each is missing. */
const layerNoPrograms = Layer.succeed(
  ChildProcessSpawner.ChildProcessSpawner,
  ChildProcessSpawner.make(() =>
    Effect.fail(PlatformError.systemError({ _tag: "NotFound", module: "ChildProcess", method: "spawn" }))
  )
)

/** The differences of a fake world from a plain one. */
export interface FakeWorldOptions {
  /** The first process of the Conductor. Absent: there is none until souffleur launches it. */
  readonly conductor?: Target
  /** True if there is a comms database; without it a watch is solo. */
  readonly comms?: boolean
  /** When the world begins, in epoch ms. Defaults to {@link begun}, noon of 5 January 2026. */
  readonly begins?: number
  /** The settings that are not the default. */
  readonly settings?: Partial<Settings["Service"]>
}

/**
 * The whole world of souffleur in memory: a fake for each port, with shared processes, acts and files, under the time
 * of `TestClock`.
 *
 * @example
 * ```ts
 * import { command, own, Roles, supervise } from "@souffleur/supervisor"
 * import { FakeWorld, identityOf, untilEvent } from "@souffleur/testing"
 * import { Effect, Layer } from "effect"
 *
 * const world = new FakeWorld({ conductor: { pid: 4711, sessionId: "s1" } })
 *
 * // Run it with `it.effect` of `@effect/vitest`, which brings the `TestClock`.
 * const theSuccessorGoesOn = Effect.gen(function* () {
 *   const named = { pid: 4711, process: identityOf(4711), sessionId: "s1" }
 *   yield* command("night", { _tag: "Open", project: "/p", comms: null, observe: false, ...named })
 *   const { fence, ref } = yield* own("night")
 *   yield* Effect.forkScoped(supervise(ref, fence))
 *   yield* untilEvent("night", "WatchSettled")
 *
 *   yield* world.conductor.dies
 *   const { generation } = yield* untilEvent("night", "ConductorRelaunched")
 *   return { generation, exports: world.exports, launches: world.launches.length }
 * }).pipe(Effect.provide(Roles.layer.pipe(Layer.provideMerge(world.layer))), Effect.scoped)
 * ```
 */
export class FakeWorld {
  /** The acts in order, such as `SIGTERM 4711`, `export s1`, `launch 5000`. */
  readonly did: Array<string> = []
  readonly files = new FakeFiles()
  readonly processes = new FakeProcesses(this.did)
  readonly agent = new FakeAgent(this.processes)
  readonly hooks = new FakeHooks()
  /** The repository of a plan's project. */
  readonly git = new FakeGit()
  /** The agents of a plan, apart from the Conductor. */
  readonly musicians = new FakeMusicians(this.git, this.files)
  readonly launcher = new FakeLauncher(this.processes, this.agent, this.musicians)
  readonly comms = new FakeComms()
  readonly claims = new FakeClaims(this.processes)
  readonly conductor = new FakeConductor(this)

  readonly #options: FakeWorldOptions
  constructor(options: FakeWorldOptions = {}) {
    this.#options = options
    if (options.conductor !== undefined) this.conductor.begin(options.conductor)
  }

  /** The launches that became a process, in order. */
  get launches(): ReadonlyArray<FakeLaunch> {
    return this.launcher.launches
  }
  /** Each signal that was sent, such as `SIGTERM 4711`. */
  get signals(): ReadonlyArray<string> {
    return this.processes.signals
  }
  /** The sessions that were exported, in order. */
  get exports(): ReadonlyArray<string> {
    return this.did.flatMap((what) => (what.startsWith("export ") ? [what.slice("export ".length)] : []))
  }

  /** All ports but the log, its cursor, the settings and the files. An export goes to the file system that is given. */
  readonly layerPorts = Layer.mergeAll(
    this.processes.layer,
    this.agent.layer,
    this.hooks.layer,
    this.launcher.layer,
    this.comms.layer,
    this.claims.layer,
    this.git.layer,
    layerHashing,
    Beats.layerMemory,
    Offspring.layerMemory
  )
  /**
   * The whole world, with logs, settings and files of its own. It sets the clock to the world's beginning, and can run
   * no program of others.
   */
  readonly layer = Layer.suspend(() =>
    Layer.mergeAll(
      this.layerPorts,
      EventLog.layerMemory,
      Cursor.layerMemory,
      RunLog.layerMemory,
      layerNoPrograms,
      layerSettings(this.#options.settings),
      this.#options.comms === true ? this.comms.layer : Comms.layerSolo,
      Layer.effectDiscard(TestClock.setTime(this.#options.begins ?? begun))
    ).pipe(Layer.provideMerge(this.files.layer))
  )
}
