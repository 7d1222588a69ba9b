import { adoptBy, finishBy, goBy, handOverBy, holdBy, releaseBy, requestBy, retryBy, stopBy } from "./Sentences.ts"
import type { Temper } from "./Lives.ts"
import type { Seed } from "./Seed.ts"
import type { World } from "./SimulatedWorld.ts"
import { minute } from "./Timeline.ts"

/**
 * Plays people and agents who meddle. They resume a session by hand, adopt what they see, and try a recovery again.
 * They hold the watch, end a hold or a wait, ask for a hand-off, and say that all is done. They hand a conversation over
 * to another agent.
 */
export const operators = (world: World, seed: Seed, temper: Temper): void => {
  const { conductors, faults, ledger, timeline } = world
  const often = temper === "hot" ? 1 : 10
  let requests = 0
  const meddle = (): void => {
    const { watch } = ledger
    // A held watch would wait for ever.
    if (world.calm && watch.held === undefined) return
    if (watch.held !== undefined && (world.calm || seed.chance(0.4))) goBy(world)
    else if (watch.wait !== undefined && seed.chance(0.05)) goBy(world)
    else if (watch.phase === "Watching" && watch.held === undefined && seed.chance(0.03)) holdBy(world)
    if (watch.phase === "Watching") {
      const adoptable = conductors.filter(({ condition, isAlive }) => isAlive && condition === "working")
      if (watch.standby !== undefined && seed.chance(0.7)) {
        retryBy(world)
        // A person who says something twice, or gives up, says it to the same log.
        if (seed.chance(0.1)) timeline.after(seed.between(0, 3000), () => retryBy(world))
        // A command that is no agent has no session to resume.
      } else if (
        world.living.length === 0 &&
        (typeof world.solo !== "object" || world.solo.kind !== "command") &&
        seed.chance(temper === "hot" ? 0.04 : 0.3)
      ) {
        const conductor = world.resumeByHand(watch.sessionId)
        faults.mishap()
        if (seed.chance(0.8))
          timeline.after(seed.between(2000, minute), () => void (conductor.isAlive && adoptBy(world, conductor)))
      } else if (adoptable.length === 1 && world.living.length === 1 && seed.chance(0.05)) {
        // Souffleur knows an adopted Conductor by the session that it says to hold. A person's word is taken for it
        // (docs/reliability.md, not promised).
        if (adoptable[0]!.process.session === adoptable[0]!.sessionId) adoptBy(world, adoptable[0]!)
      } else if (adoptable.length === 1 && seed.chance(0.03)) requestBy(world, adoptable[0]!, `request-${++requests}`)
      else if (adoptable.length === 1 && seed.chance(0.02)) handOverBy(world)
      else if (adoptable.length === 1 && seed.chance(0.002)) (seed.chance(0.5) ? stopBy : finishBy)(world)
      else if (watch.recovery !== undefined && seed.chance(0.002)) (seed.chance(0.5) ? stopBy : releaseBy)(world)
      // It is the last word of a Conductor that is dead by now, or of one of its agents.
      else if (watch.recovery !== undefined && world.solo === undefined && seed.chance(0.003))
        world.comms.write({ state: "complete" })
    }
    timeline.after(seed.between(500, often * minute), meddle)
  }
  timeline.after(seed.between(0, 2 * often * minute), meddle)
}
