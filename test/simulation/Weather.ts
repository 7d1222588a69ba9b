import type { SimulatedComms } from "./SimulatedComms.ts"
import type { LaunchRoom } from "./LaunchRoom.ts"
import type { Seed } from "./Seed.ts"
import type { SimMachine } from "./SimMachine.ts"
import { minute } from "./Timeline.ts"
import { trustBy } from "./Sentences.ts"
import type { World } from "./SimulatedWorld.ts"

/** A machine with comms and launches, on which something may go wrong by itself. */
type Sky = SimMachine & { readonly comms: SimulatedComms; readonly room: LaunchRoom }

interface Climate {
  /** The troubles by name; now and then none of them comes. */
  readonly troubles: Readonly<Record<string, () => void>>
  /** Ends the troubles that are not every world's. */
  readonly clear: () => void
  /** Draws the milliseconds of a trouble. */
  readonly lasts: () => number
  /** The longest pause between two, in ms. */
  readonly pause: number
}

/** The troubles of any host, its comms and its launches. */
export const ofHost = (world: Sky, seed: Seed): Climate["troubles"] => ({
  "comms locked": () => void (world.comms.trouble = "locked"),
  "comms missing": () => void (world.comms.trouble = "missing"),
  "comms lies": () => void (world.comms.lies = true),
  "slow launch": () => void (world.room.pace = () => seed.between(1000, 30_000)),
  "lost launch": () => void (world.room.pace = () => (seed.chance(0.5) ? "lost" : 300)),
  sleep: () => world.timeline.sleep(seed.between(minute, 8 * 60 * minute)),
  "clock set": () => world.timeline.sleep(seed.between(-60 * minute, 60 * minute)),
  starved: () => world.timeline.starve(seed.between(1000, 8 * minute)),
  "power cut": () => {
    if (seed.chance(0.5)) world.powerCut()
  }
})

/** Brings one trouble after the other, until the world is calm. */
export const storm = (world: Sky, seed: Seed, climate: Climate): void => {
  const { comms, faults, room, timeline } = world
  const names = ["none", ...Object.keys(climate.troubles)]
  const clear = () => {
    comms.trouble = undefined
    comms.lies = false
    faults.lasting = undefined
    room.pace = () => seed.between(50, 1500)
    climate.clear()
  }
  const later = () => timeline.after(seed.between(0, climate.pause), next)
  const next = (): void => {
    if (world.calm) return clear()
    const [trouble, lasts] = [seed.pick(names), climate.lasts()]
    if (trouble !== "none") faults.lasting = trouble
    world.tell(`the world: ${trouble} (${Math.round(lasts / 1000)} s)`)
    climate.troubles[trouble]?.()
    timeline.after(lasts, () => {
      clear()
      later()
    })
  }
  clear()
  later()
}

/** Brings the troubles of the world of a watch. */
export const weather = (world: World, seed: Seed): void =>
  storm(world, seed, {
    troubles: {
      ...ofHost(world, seed),
      "comms replaced": () => world.comms.replace(),
      "export fails": () => void (world.exportFails = true),
      "program away": () => void (world.room.away = true),
      config: () => {
        world.ceiling = seed.chance(0.5) ? "bypassPermissions" : "acceptEdits"
        if (world.ledger.watch.revision > 0 && seed.chance(0.3))
          trustBy(world, seed.chance(0.5) ? "bypassPermissions" : "acceptEdits")
      }
    },
    clear: () => {
      world.exportFails = false
      world.room.away = false
    },
    lasts: () => Math.min(seed.between(1000, (seed.chance(0.2) ? 90 : 6) * minute), 30 * minute),
    pause: 5 * minute
  })
