import { Settings } from "@souffleur/domain"
import { Beats, Offspring } from "@souffleur/eventlog"
import { loadSettings, TrustedFiles } from "@souffleur/process"
import { Effect, Layer, Path } from "effect"
import { FakeAgent } from "./FakeAgent.ts"
import { FakeClaims } from "./FakeClaims.ts"
import { FakeComms } from "./FakeComms.ts"
import { FakeHooks } from "./FakeHooks.ts"
import { fakeKind } from "./FakeKind.ts"
import { FakeLauncher } from "./FakeLauncher.ts"
import { FakeProcesses } from "./FakeProcesses.ts"

/** Every default of the settings, as a project without a config file has them, with changes. */
export const settingsLayer = (change: Partial<Settings["Service"]> = {}) =>
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

/** Everything that souffleur meets, in memory: a fake for each port, whose processes and acts are shared. */
export class FakeWorld {
  /** What was done, in its order, such as `SIGTERM 4711`, `export s1`, `launch 5000`. */
  readonly did: Array<string> = []
  readonly processes = new FakeProcesses(this.did)
  readonly agent = new FakeAgent(this.processes)
  readonly hooks = new FakeHooks()
  readonly launcher = new FakeLauncher(this.processes, this.agent)
  readonly comms = new FakeComms()
  readonly claims = new FakeClaims(this.processes)

  /** All ports but the log and the settings. An export is written to the file system that it is given. */
  readonly layer = Layer.mergeAll(
    this.processes.layer,
    this.agent.layer,
    this.hooks.layer,
    this.launcher.layer,
    this.comms.layer,
    this.claims.layer,
    Beats.layerMemory,
    Offspring.layerMemory
  )
}
