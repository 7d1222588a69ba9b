import type { Settings } from "@souffleur/domain"
import { type FakeProcess, FakeWorld, layerSettings } from "@souffleur/testing"
import { Layer } from "effect"

/** A world with these processes, in which the newest message of comms is 9. */
export const worldOf = (...processes: ReadonlyArray<FakeProcess>): FakeWorld => {
  const world = new FakeWorld()
  world.processes.run(...processes)
  world.comms.lastMessageId = 9
  return world
}

/** All ports but the log; files are real, in a folder of the test's own. */
export const worldLayer = (world: FakeWorld, stateDir: string, change: Partial<Settings["Service"]> = {}) =>
  Layer.merge(world.layerPorts, layerSettings({ stateDir, ...change }))
