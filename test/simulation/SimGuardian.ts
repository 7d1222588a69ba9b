import { brokenOff, dueWithin, guard, guardFrom, silentAfter } from "@souffleur/domain"
import type { Restoration } from "@souffleur/supervisor"
import { Effect, Option } from "effect"
import { defaults, type Incarnation } from "./Incarnation.ts"
import type { Seed } from "./Seed.ts"
import type { World } from "./SimulatedWorld.ts"

/** Milliseconds between two looks. It looks less often than a real one, for the same rule. */
const every = 5000

/**
 * Runs the second process of souffleur: the real rule of a guardian over the simulated world. It has timers of its own,
 * until it dies or leaves.
 */
export const guardian = (
  world: World,
  seed: Seed,
  bring: (restoration: Restoration) => Incarnation,
  isNewest: () => boolean
): void => {
  const { beats, ledger, timeline } = world
  let state = guardFrom(0, timeline.wall)
  let last = { wall: timeline.wall, monotonic: timeline.monotonic }
  let started: Incarnation | undefined
  const dies = seed.chance(0.3) ? seed.between(0, 30 * 60_000) : Infinity
  const begun = timeline.monotonic
  const limit = silentAfter(defaults)
  const look = (): void => {
    if (!isNewest() || (!world.calm && timeline.monotonic - begun > dies)) return
    const now = { wall: timeline.wall, monotonic: timeline.monotonic }
    const late = brokenOff(last, now, dueWithin(every, limit))
    last = now
    timeline.after(every, () => owed && look())
    let owed = true
    const { watch } = ledger
    const { owner } = watch
    if (watch.phase === "New") return
    const [after, act] = guard(
      state,
      {
        now: now.wall,
        late,
        owner:
          ledger.endedAt !== undefined || owner === undefined || ledger.gaveUp
            ? "left"
            : { fence: watch.fence, condition: world.processes.condition(owner.process) },
        beatAt: Option.getOrUndefined(Effect.runSync(beats.last(world.id)))?.at ?? null,
        started: started?.outcome === "running" ? "running" : "ended"
      },
      limit
    )
    state = after
    if (act._tag === "Leave" || act._tag === "GiveUp") owed = false
    if (act._tag === "EndStarted") started?.kill()
    if (act._tag === "Restore") {
      world.tell(`the guardian brings souffleur back: ${act.reason}`)
      started = bring({ reason: act.reason, over: act.over })
    }
  }
  timeline.after(every, look)
}
