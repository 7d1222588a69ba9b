import type { Seed } from "../Seed.ts"
import type { RunWorld } from "./RunWorld.ts"

const minute = 60_000

/** A file of somebody else's. */
const foreign = '{"mine": true}'

/** What goes wrong in the world of a run by itself, one trouble after the other, until it is calm. */
export const runWeather = (world: RunWorld, seed: Seed): void => {
  const { board, disk, repository, room, timeline } = world
  const clear = () => {
    board.trouble = undefined
    board.lies = false
    disk.full = false
    world.gitFails = () => false
    world.faults.lasting = undefined
    room.pace = () => seed.between(50, 1500)
  }
  const next = (): void => {
    if (world.calm) return
    const lasts = seed.between(1000, seed.chance(0.2) ? 20 * minute : 3 * minute)
    const trouble = seed.pick([
      "none",
      "comms locked",
      "comms gone",
      "comms lies",
      "slow launch",
      "lost launch",
      "sleep",
      "clock set",
      "starved",
      "config",
      "power cut",
      "disk full",
      "git fails",
      "changes",
      "conflict",
      "commit",
      "reset",
      "plan edited",
      "state file spoiled"
    ] as const)
    if (trouble !== "none") world.faults.lasting = trouble
    world.tell(`the world: ${trouble} (${Math.round(lasts / 1000)} s)`)
    switch (trouble) {
      case "none":
        break
      case "comms locked":
        board.trouble = "locked"
        break
      case "comms gone":
        board.trouble = "missing"
        break
      case "comms lies":
        board.lies = true
        break
      case "slow launch":
        room.pace = () => seed.between(1000, 30_000)
        break
      case "lost launch":
        room.pace = () => (seed.chance(0.5) ? "lost" : 300)
        break
      case "sleep":
        timeline.sleep(seed.between(minute, 8 * 60 * minute))
        break
      case "clock set":
        timeline.sleep(seed.between(-60 * minute, 60 * minute))
        break
      case "starved":
        timeline.starve(seed.between(1000, 8 * minute))
        break
      case "config":
        world.ceiling = seed.chance(0.5) ? "bypassPermissions" : "acceptEdits"
        break
      case "power cut":
        if (seed.chance(0.5)) world.powerCut()
        break
      case "disk full":
        disk.full = true
        break
      case "git fails":
        world.gitFails = () => seed.chance(0.2)
        break
      case "changes":
        repository.changed.add("README")
        break
      case "conflict":
        repository.conflicts.add("README")
        break
      case "commit":
        repository.moved++
        repository.commit(["person.ts"])
        break
      case "reset":
        repository.moved++
        repository.back()
        break
      case "plan edited":
        seed.pick(world.plans).edit(seed)
        break
      case "state file spoiled":
        seed.pick(world.plans).witness.spoil(seed.pick(["", '{"workflow_id": "pl', foreign, undefined]))
    }
    timeline.after(lasts, () => {
      if (world.calm) return
      clear()
      timeline.after(seed.between(0, 4 * minute), next)
    })
  }
  clear()
  timeline.after(seed.between(0, 4 * minute), next)
}
