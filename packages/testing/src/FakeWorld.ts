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

/** The whole world of souffleur in memory: a fake for each port, with shared processes and acts. */
export class FakeWorld {
  /** The acts in order, such as `SIGTERM 4711`, `export s1`, `launch 5000`. */
  readonly did: Array<string> = []
  readonly processes = new FakeProcesses(this.did)
  readonly agent = new FakeAgent(this.processes)
  readonly hooks = new FakeHooks()
  readonly launcher = new FakeLauncher(this.processes, this.agent)
  readonly comms = new FakeComms()
  readonly claims = new FakeClaims(this.processes)

  /** All ports except the log and the settings. An export is written to the file system that it is given. */
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
