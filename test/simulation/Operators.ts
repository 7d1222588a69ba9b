import { adoptBy, retryBy } from "./Incarnation.ts"
import type { Seed } from "./Seed.ts"
import type { World } from "./World.ts"

const minute = 60_000

/** People who meddle: they resume a session by hand, adopt what they see, and try a recovery again. */
export const operators = (world: World, seed: Seed): void => {
  const { conductors, ledger, timeline } = world
  const meddle = (): void => {
    if (world.calm) return
    const { watch } = ledger
    if (watch.phase === "Watching") {
      const adoptable = conductors.filter(({ condition, isAlive }) => isAlive && condition === "working")
      if (watch.standby !== undefined && seed.chance(0.5)) retryBy(world)
      else if (world.living.length === 0 && seed.chance(0.3)) {
        const conductor = world.resumeByHand(watch.sessionId)
        if (seed.chance(0.6)) timeline.after(seed.between(2000, minute), () => void (conductor.isAlive && adoptBy(world, conductor)))
      } else if (adoptable.length === 1 && world.living.length === 1 && seed.chance(0.2)) adoptBy(world, adoptable[0]!)
    }
    timeline.after(seed.between(1000, 10 * minute), meddle)
  }
  timeline.after(seed.between(minute, 20 * minute), meddle)
}
