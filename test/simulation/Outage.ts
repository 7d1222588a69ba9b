import type { Seed } from "./Seed.ts"
import type { World } from "./SimulatedWorld.ts"

const hour = 3_600_000
const hours = 12
/** The hours within which a wait for the service grows to half an hour. */
const settled = 2

/** The most events, and launches, of an hour in which nothing can get better. A cycle is about twenty events. */
const [maxEvents, maxLaunches] = [100, 4]

/**
 * Takes comms, or the service of the agents, out for half a day; nothing else goes wrong. The growth of the log in an
 * hour has a bound.
 */
export const endlessOutage = (world: World, seed: Seed): void => {
  const { comms, ledger, timeline } = world
  const what = seed.pick(["comms", "service"] as const)
  world.tell(`the world: ${what} is out for ${hours} hours`)
  if (what === "comms") comms.trouble = "missing"
  else world.serviceOut = true
  for (let nth = 1; nth <= hours && ledger.endedAt === undefined; nth++) {
    const [events, launches] = [ledger.events.length, ledger.count("LaunchPrepared")]
    world.run(timeline.monotonic + hour, () => ledger.endedAt !== undefined)
    const [grown, launched] = [ledger.events.length - events, ledger.count("LaunchPrepared") - launches]
    if (nth > settled && grown > maxEvents) world.violated(`${grown} events in an hour in which ${what} was out`)
    if (nth > settled && launched > maxLaunches)
      world.violated(`${launched} launches in an hour in which ${what} was out`)
  }
  comms.trouble = undefined
  world.serviceOut = false
}
