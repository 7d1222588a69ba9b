import type { Seed } from "./Seed.ts"
import type { World } from "./World.ts"

const minute = 60_000

/** What goes wrong in the world by itself, one trouble after the other, until it is calm. */
export const weather = (world: World, seed: Seed): void => {
  const { board, room, timeline } = world
  const clear = () => {
    board.trouble = undefined
    board.lies = false
    world.exportFails = false
    world.faults.lasting = undefined
    room.pace = () => seed.between(50, 1500)
  }
  const next = (): void => {
    if (world.calm) return clear()
    const lasts = seed.between(1000, seed.chance(0.2) ? 90 * minute : 6 * minute)
    const trouble = seed.pick([
      "none",
      "locked",
      "missing",
      "replaced",
      "slow launch",
      "lost launch",
      "export fails",
      "sleep",
      "clock set",
      "starved",
      "lies",
      "config",
      "power cut"
    ] as const)
    if (trouble !== "none") world.faults.lasting = trouble
    world.tell(`the world: ${trouble} (${Math.round(lasts / 1000)} s)`)
    switch (trouble) {
      case "none":
        break
      case "locked":
      case "missing":
        board.trouble = trouble
        break
      case "replaced":
        board.replace()
        break
      case "lies":
        board.lies = true
        break
      case "config":
        world.setCeiling(seed.chance(0.5) ? "bypassPermissions" : "acceptEdits")
        break
      case "power cut":
        if (seed.chance(0.5)) world.powerCut()
        break
      case "slow launch":
        room.pace = () => seed.between(1000, 30_000)
        break
      case "lost launch":
        room.pace = () => (seed.chance(0.5) ? "lost" : 300)
        break
      case "export fails":
        world.exportFails = true
        break
      case "sleep":
        timeline.sleep(seed.between(minute, 8 * 60 * minute))
        break
      case "clock set":
        timeline.sleep(seed.between(-60 * minute, 60 * minute))
        break
      case "starved":
        timeline.starve(seed.between(1000, 8 * minute))
    }
    timeline.after(Math.min(lasts, 30 * minute), () => {
      clear()
      timeline.after(seed.between(0, 5 * minute), next)
    })
  }
  clear()
  timeline.after(seed.between(0, 5 * minute), next)
}
