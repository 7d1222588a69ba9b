import { parseTime, type WatchEvent } from "@souffleur/domain"
import { Duration, Option } from "effect"
import type { FaultTable } from "./Faults.ts"
import { releaseBy } from "./Sentences.ts"
import { FaultInjector } from "./FaultInjector.ts"
import { compactionOf, lifeOf } from "./Lives.ts"
import { hostileAgent } from "./HostileAgent.ts"
import { liar } from "./Liar.ts"
import { operators } from "./Operators.ts"
import { endlessOutage } from "./Outage.ts"
import { Rivals } from "./Rivals.ts"
import { converged, sightings, unwell } from "./SimulationVerdict.ts"
import type { Life } from "./Life.ts"
import { weather } from "./Weather.ts"
import { tokensOfTurn } from "./LimitJudge.ts"
import { World } from "./SimulatedWorld.ts"
import { minute } from "./Timeline.ts"

export interface Simulated {
  readonly seed: number
  readonly violations: ReadonlyArray<string>
  readonly story: ReadonlyArray<string>
  readonly generations: number
  readonly souffleurs: number
  /** The number of recovery cycles that ended, and of those in which something went wrong besides. */
  readonly cycles: number
  readonly faulted: number
  readonly table: FaultTable
  readonly end: string
  /** The log of the watch. */
  readonly events: ReadonlyArray<WatchEvent>
}

export interface SimulateOptions {
  readonly story?: boolean
  /** True if the world is looked at to the last moment in any case. */
  readonly thorough?: boolean
  /** Begins what goes on beside the world, in its time. */
  readonly beside?: (world: World) => void
}

const comms = Array.from({ length: 14 }, () => "comms" as const)
const without = ["solo", "solo", "run", "run", "command", "command"] as const
const runSession = "33333333-0000-4000-8000-000000000000"

/**
 * A quarter of the ms of a subagent that writes nothing, and after which its agent works on. It outlasts most storms,
 * whose strikes begin each silence anew.
 */
const silentSubagent = 25 * minute + 3

/** The share of worlds with an endless outage: half a day is long. */
const endless = 0.005

/** The most characters of an export, where exports are trimmed. */
const maxExportLength = 1000

const hang = 25 * minute
/** The time of two compactions, and of the rest of a recovery. */
const providersTime = (2 * 5 + 2) * minute
/**
 * The time for which a Conductor may be dead in a world that is healthy again. First souffleur is started again, and
 * the 240 s begin again. Then come a poll and the providers' limits.
 */
export const backWithin = (3 + 4 + 1) * minute + providersTime

/**
 * Simulates one world, fixed by its seed. Everything goes wrong for a while, then nothing more. At every act it looks
 * for violations, which must never be. The story costs more than the rest: it is told on request, and is the same each
 * time.
 */
export const simulate = (number: number, options: SimulateOptions = {}): Simulated => {
  const world = new World(number, number % 3 !== 0)
  world.silent = options.story === false
  const { faults, seed, timeline } = world
  const temper = seed.chance(0.85) ? "hot" : "mild"
  const lives = seed.fork()
  world.lives = (generation) => {
    const life = lifeOf(lives, temper, generation)
    const { moves: _, ...moved } = life
    // Most fates are rarer than a rest at the prompt, and a subagent is seldom silent. It takes nothing from the seed.
    const begins: Partial<Life> =
      number % 5 === 0 ? { fate: "rests" } : number % 5 === 2 ? { fate: "delegates", lasts: silentSubagent } : {}
    // A successor may be in print mode, where one that rests does not end.
    const settled = {
      ...moved,
      ...(generation === 1 ? begins : {}),
      ...(generation === 2 && number % 10 === 1 ? { fate: "rests" as const, ends: undefined } : {})
    }
    if (world.serviceOut)
      return {
        ...settled,
        fate: "outage",
        at: 3000,
        lasts: 1,
        onTerm: 0,
        beatsAs: undefined,
        answersAfter: Infinity,
        worksEvery: undefined
      }
    return world.calm || world.solo !== undefined
      ? { ...settled, ...(world.calm ? { fate: "lives", onTerm: 0, beatsAs: undefined, answersAfter: 0 } : {}) }
      : life
  }
  world.ceiling = seed.chance(0.2) ? "bypassPermissions" : "acceptEdits"
  world.hooked = seed.chance(0.5)
  // It takes nothing from the seed.
  if (number % 4 === 0) world.room.window = () => (timeline.monotonic % 2 === 0 ? "gone" : "hangs")
  // One world of four is looked at to the last moment. There each state that a role has seen is compared.
  const compared = seed.chance(0.25) || options.thorough === true
  world.sighted = compared
  const from = seed.between(8 * 60, 9 * 60)
  world.settings = {
    ...(seed.chance(0.3) ? { forceCompactThresholdTokens: 10 } : {}),
    ...(seed.chance(0.2) ? { trimChars: maxExportLength } : {}),
    recovery: seed.pick([null, "resume", "export"]),
    ...(seed.chance(0.05) ? { maxTime: Duration.minutes(seed.between(5, 60)) } : {}),
    ...(seed.chance(0.05) ? { maxTokens: seed.between(20_000, 100_000) } : {}),
    ...(seed.chance(0.1) ? { quietHours: { from, to: from + seed.between(1, 20) } } : {})
  }
  if (world.settings.trimChars !== undefined)
    world.transcript = `${"an older word of it\n".repeat(maxExportLength / 10)}${world.transcript}`
  const kind = seed.pick([...comms, ...without])
  // It takes nothing from the seed.
  if ((kind === "solo" || kind === "run") && number % 3 === 1) {
    world.check = { noes: number % 8, asked: 0 }
    world.settings = { ...world.settings, until: ["check"] }
  }
  // It takes nothing from the seed.
  if (number % 8 === 3)
    world.limits = {
      time: number % 16 === 3 ? (1 + (number % 45)) * minute : null,
      tokens: number % 16 === 3 ? null : (2 + (number % 45)) * tokensOfTurn,
      dollars: null,
      then: number % 5 === 0 ? "withhold" : "stop"
    }
  if (kind !== "command" && seed.chance(0.15)) world.mostTurns = seed.between(2, 60)
  world.solo = kind === "solo" ? "watched" : undefined
  // So is one in which silence may last.
  const thorough = compared || (kind !== "comms" && number % 5 === 2)
  if (kind === "run" || kind === "command")
    world.prepareRun(kind === "run" ? "agent" : "command", kind === "run" ? runSession : "")
  else world.startConductor()
  world.compactions = () => {
    if (world.calm) return { after: 3000, writes: true, ends: true }
    const compaction = compactionOf(seed, temper)
    if (!compaction.writes || !compaction.ends || compaction.late !== undefined || compaction.lies === true)
      faults.mishap()
    return compaction
  }
  weather(world, seed.fork())
  const keeper = new FaultInjector(world, seed.fork())
  keeper.keep()
  if (seed.chance(temper === "hot" ? 0.9 : 0.5)) operators(world, seed.fork(), temper)
  if (seed.chance(0.2)) liar(world, seed.fork())
  if (seed.chance(0.2)) hostileAgent(world, seed.fork())
  const rivals = kind === "comms" && seed.chance(0.15) ? new Rivals(world, seed.fork()) : undefined
  rivals?.begin()
  const storm = temper === "hot" ? 60 * minute : seed.between(30, 100) * minute
  if (seed.chance(0.15)) {
    timeline.after(seed.between(0, storm), () => {
      if (world.ledger.watch.revision > 0 && world.ledger.endedAt === undefined) releaseBy(world)
    })
  }
  const ended = () => world.ledger.endedAt !== undefined
  options.beside?.(world)
  world.run(storm, ended)
  world.calmDown()
  rivals?.end()
  keeper.wake()
  if (!ended() && seed.chance(endless)) endlessOutage(world, seed.fork())
  // A clock that was set back leaves a heartbeat of the future. It is neither dead nor fresh until its time has come.
  const ahead = Math.max(
    0,
    Option.getOrElse(parseTime(world.comms.conductor?.lastHeartbeat ?? null), () => 0) - timeline.wall
  )
  // An act that was begun before the end may not go on after it.
  const until =
    timeline.monotonic +
    (ended() ? 2 * minute : Math.min(ahead, 3 * 60 * minute) + backWithin + (world.solo === undefined ? 0 : hang))
  // A world that is healthy for this long stays so.
  let wellSince: number | undefined
  world.run(until, () => {
    if (thorough || ended()) return false
    if (unwell(world, keeper) !== undefined) wellSince = undefined
    else wellSince ??= timeline.monotonic
    return wellSince !== undefined && timeline.monotonic - wellSince > 5 * minute
  })
  // A Conductor that never took its hand-off has a longer time than a silent one (spec: behaviour#hand-off). Its
  // recovery may have just begun.
  if (world.ledger.watch.recovery?.trigger === "untaken")
    world.run(until + providersTime, () => ended() || unwell(world, keeper) === undefined)
  if (!ended()) {
    const wrong = unwell(world, keeper)
    if (wrong !== undefined && ahead < 3 * 60 * minute) world.violated(`long after, ${wrong}`)
  }
  converged(world)
  if (world.sighted) sightings(world)
  const { watch } = world.ledger
  return {
    seed: number,
    violations: world.violations,
    story: world.story,
    generations: world.conductors.length,
    souffleurs: keeper.all.length,
    cycles: faults.cycles,
    faulted: faults.faulted,
    table: faults.table,
    events: world.ledger.events,
    end: watch.end ?? (watch.standby === undefined ? "watching" : `standby: ${watch.standby.stage}`)
  }
}
