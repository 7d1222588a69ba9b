import { decodeEvent, encodeEvent, evolve, initial, parseTime, payloadHeader } from "@souffleur/domain"
import { Duration, Option, Result } from "effect"
import { asked, type Life } from "./Conductor.ts"
import type { When } from "./Gate.ts"
import { Incarnation, releaseBy } from "./Incarnation.ts"
import type { Seed } from "./Seed.ts"
import { operators } from "./Operators.ts"
import { weather } from "./Weather.ts"
import { World } from "./World.ts"

export interface SimulationOptions {
  /** How long things go wrong, in cycles of 20 minutes. */
  readonly cycles: number
}

export interface Simulated {
  readonly seed: number
  readonly violations: ReadonlyArray<string>
  readonly story: ReadonlyArray<string>
  readonly generations: number
  readonly souffleurs: number
  readonly end: string
}

const minute = 60_000
const cycle = 20 * minute
/** Until a dead or silent Conductor is back in a world that is healthy again: a souffleur starts, 240 s begin anew, the poll, the limits. */
const healing = 20 * minute

/** What Conductors say: as it should be, asking for more, older words, and nothing that can be read. */
const payloads = [
  undefined,
  `${payloadHeader}\npermission_mode: acceptEdits\nresume_prompt: ${asked}\nand more`,
  `${payloadHeader}\npermission_mode: bypassPermissions\nresume_prompt: ${asked}`,
  `${payloadHeader}\npermission_mode: everything\n${asked}`,
  `${payloadHeader} permission_mode`,
  `  ${payloadHeader}\nresume_prompt: ${asked}`
]

const lifeOf = (seed: Seed): Life => ({
  fate: seed.pick(["lives", "dies", "dies", "zombie", "hangs", "pauses", "handoff", "handoff", "turn ends", "completes"]),
  at: seed.chance(0.3) ? seed.between(0, 20_000) : seed.between(0, 15 * minute),
  lasts: seed.between(0, 8 * minute),
  payload: seed.pick(payloads),
  print: seed.chance(0.3),
  worksEvery: seed.chance(0.7) ? seed.between(20_000, 300_000) : undefined,
  tools: seed.chance(0.3) ? seed.between(1, 4) : 0,
  onTerm: seed.chance(0.05) ? "unkillable" : seed.chance(0.2) ? "never" : seed.between(0, 2000)
})

/** Effects that happen all the time; a souffleur that is to be abandoned in a recovery must survive most of them. */
const frequent = new Set(["processes.condition", "beats.beat", "comms.beat", "log.read", "beats.last", "comms.snapshot"])

/** Somebody who starts souffleur again whenever it is gone, and at times once too often. */
const keeper = (world: World, seed: Seed): Array<Incarnation> => {
  const { ledger, timeline } = world
  const all: Array<Incarnation> = []
  const start = (): Incarnation => {
    const mood = seed.fork()
    const [usual, rare] = [mood.chance(0.7) ? 0.02 : 0, mood.chance(0.5) ? 0.0005 : 0]
    const plan = (_: number, name: string): When | undefined =>
      !world.calm && mood.chance(frequent.has(name) ? rare : usual) ? mood.pick(["before", "inside", "after"] as const) : undefined
    const silent = (role: string) =>
      !world.calm && (role.startsWith("watcher/") || role.startsWith("monitor/")) && mood.chance(0.1)
        ? Duration.millis(mood.between(0, 10 * minute))
        : undefined
    const made = new Incarnation(world, { plan, silent, budget: mood.pick([5, 50, 2048]) })
    all.push(made)
    return made
  }
  const look = (): void => {
    const running = all.some(({ outcome }) => outcome === "running")
    if (ledger.endedAt === undefined && (!running || (!world.calm && seed.chance(0.02)))) start()
    timeline.after(seed.chance(0.3) ? seed.between(0, 3 * minute) : seed.between(0, 20_000), look)
  }
  timeline.after(1500, look)
  return all
}

/** What the roles saw at each revision is what the stored events fold to, up to there. */
const sightings = (world: World): void => {
  let watch = initial
  const folded = [
    JSON.stringify(watch),
    ...world.ledger.events.map((event, index) =>
      JSON.stringify((watch = evolve(watch, Result.getOrThrow(decodeEvent(world.id, index + 1, encodeEvent(event))))))
    )
  ]
  for (const seen of new Set(world.seen))
    if (JSON.stringify(seen) !== folded[seen.revision])
      world.violated(`a role saw another state at revision ${seen.revision} than the log has`)
}

/** What must be true when nothing has gone wrong for long. */
const verdict = (world: World, souffleurs: ReadonlyArray<Incarnation>): void => {
  const { conductors, ledger, living } = world
  const conductor = conductors.findLast(({ isAlive }) => isAlive)
  const { watch } = ledger
  if (watch.phase === "Exited" || watch.standby !== undefined) return
  if (watch.phase !== "Watching") return world.violated(`long after, the watch is ${watch.phase}`)
  if (watch.recovery !== undefined) return world.violated("long after, a recovery has not ended")
  if (living.length !== 1) return world.violated(`long after, ${living.length} Conductors live`)
  // One whose beats never came through is neither dead nor fresh.
  if (world.board.conductor === undefined) return
  if (conductor?.isHealthy !== true) return world.violated("long after, the Conductor is not healthy")
  if (!souffleurs.some(({ outcome }) => outcome === "running")) return world.violated("long after, no souffleur runs")
  if (world.board.souffleur?.state !== "confirmed") world.violated(`long after, the row says ${world.board.souffleur?.state}`)
}

/** One world, fixed by its seed: everything goes wrong for a while, then nothing more; at every act, what must never be is looked for. */
export const simulate = (number: number, options: SimulationOptions): Simulated => {
  const world = new World(number, number % 3 !== 0)
  const { seed } = world
  const lives = seed.fork()
  world.lives = () => (world.calm ? { ...lifeOf(lives), fate: "lives", onTerm: 0 } : lifeOf(lives))
  world.ceiling = seed.chance(0.2) ? "bypassPermissions" : "acceptEdits"
  if (seed.chance(0.3)) world.settings = { forceCompactThresholdTokens: 10 }
  world.startConductor()
  world.compactions = () =>
    world.calm
      ? { after: 3000, writes: true, ends: true }
      : {
          after: seed.between(500, 400_000),
          writes: seed.chance(0.7),
          ends: seed.chance(0.8),
          ...(seed.chance(0.2) ? { late: seed.between(0, 60_000) } : {}),
          onTerm: seed.chance(0.05) ? "unkillable" : seed.chance(0.2) ? "never" : seed.between(0, 2000)
        }
  weather(world, seed.fork())
  const souffleurs = keeper(world, seed.fork())
  if (seed.chance(0.5)) operators(world, seed.fork())
  const storm = options.cycles * cycle
  if (seed.chance(0.2)) {
    world.timeline.after(seed.between(0, storm), () => {
      if (world.ledger.watch.revision > 0 && world.ledger.endedAt === undefined) releaseBy(world)
    })
  }
  const ended = () => world.ledger.endedAt !== undefined
  world.run(storm, ended)
  world.calm = true
  world.room.pace = () => 300
  world.board.trouble = undefined
  world.exportFails = false
  // A heartbeat of the future, after a clock was set back, is neither dead nor fresh until its time has come.
  const ahead = Math.max(0, Option.getOrElse(parseTime(world.board.conductor?.lastHeartbeat ?? null), () => 0) - world.timeline.wall)
  // What was begun before the end may not go on after it.
  world.run(world.timeline.monotonic + (ended() ? 2 * minute : ahead + healing))
  verdict(world, souffleurs)
  sightings(world)
  return {
    seed: number,
    violations: world.violations,
    story: world.story,
    generations: world.conductors.length,
    souffleurs: souffleurs.length,
    end: world.ledger.watch.end ?? (world.ledger.watch.standby === undefined ? "watching" : `standby: ${world.ledger.watch.standby.stage}`)
  }
}
