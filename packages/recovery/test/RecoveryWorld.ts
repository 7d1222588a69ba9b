import type { SessionSigns, Settings } from "@souffleur/domain"
import { type FakeProcess, FakeWorld, layerSettings } from "@souffleur/testing"
import { Layer } from "effect"

/** A session whose last answer used so many tokens of a window of 200,000. */
export const signsOf = (tokens: number): SessionSigns => ({
  writtenAt: 0,
  turn: { _tag: "Finished", at: 0 },
  context: { tokens, window: 200_000, model: "m", at: 0 }
})

/** A world with these processes and sound sessions, in which the newest message of comms is 9. */
export const worldOf = (...processes: ReadonlyArray<FakeProcess>): FakeWorld => {
  const world = new FakeWorld()
  world.processes.run(...processes)
  world.comms.lastMessageId = 9
  world.agent.signs = () => signsOf(1000)
  return world
}

/** All ports but the log; files are real, in a folder of the test's own. */
export const worldLayer = (world: FakeWorld, stateDir: string, change: Partial<Settings["Service"]> = {}) =>
  Layer.merge(world.layerPorts, layerSettings({ stateDir, ...change }))
