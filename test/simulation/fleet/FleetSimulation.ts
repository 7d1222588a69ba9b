import { dispatch, EventLog, type FleetWord, type FleetWordIntent } from "@souffleur/domain"
import type { DueWord, FleetEvent, WordAnswer } from "@souffleur/fleet"
import { Cause, Clock, Effect, Exit } from "effect"
import { Seed } from "../Seed.ts"
import { goBy } from "../Sentences.ts"
import { SimMachine } from "../SimMachine.ts"
import type { World } from "../SimulatedWorld.ts"
import { simulate } from "../Simulation.ts"
import { minute } from "../Timeline.ts"
import { SimHub } from "./SimHub.ts"
import { SimShipper } from "./SimShipper.ts"
import { fittingWord, wireTo } from "./SimWire.ts"

/** The verdict over a fleet. */
export interface SimulatedFleet {
  readonly violations: ReadonlyArray<string>
  readonly events: number
  readonly restarts: number
  /** Words that the hosts took. */
  readonly taken: ReadonlyArray<FleetWord>
  /** True if its hub says anything. */
  readonly lies: boolean
  /** Words that the hosts refused. */
  readonly refused: number
}

/** A word that a host took: in which tick, and at which time. */
interface TakenWord {
  readonly tick: number
  readonly now: number
  readonly word: FleetWordIntent
}

/** Milliseconds between two moments at which the shipper's machine takes over the time of its host. */
const tick = 250

/** Returns a reader of the log of a world as its rows. It writes each row once. */
const rowsOf = ({ id, ledger }: World): (() => ReadonlyArray<FleetEvent>) => {
  const rows: Array<FleetEvent> = []
  return () => {
    for (const event of ledger.events.slice(rows.length)) {
      const place = rows.length + 1
      rows.push([place, id, place, event._tag, 1, event.at, JSON.stringify(event)])
    }
    return rows
  }
}

/** Settles the newest launch of a watch that has ended, or is stopped, as `takeFleetWord` does. */
const settle = ({ ledger, room }: World): void => {
  const launch = ledger.events.findLast((event) => event._tag === "LaunchPrepared")
  const over = ledger.watch.phase === "Exited" || ledger.watch.recovery?.purpose === "stop"
  if (over && launch !== undefined) room.close(launch.launchId)
}

/** Says a word of the fleet to the log of a world, at a time. */
const sayTo = (world: World, { now, word }: Omit<TakenWord, "tick">) => {
  const { finished, released, stopped } = world
  // A world takes an end without a speaker for a violation.
  world.released ||= word.word === "release"
  world.stopped ||= word.word === "stop"
  world.finished ||= word.word === "done"
  return dispatch(world.id, { _tag: "TakeFleetWord", ...word, now, by: { _tag: "Operator" } }).pipe(
    Effect.tapError(() => Effect.sync(() => Object.assign(world, { finished, released, stopped }))),
    Effect.tap(() => Effect.sync(() => settle(world))),
    Effect.provideService(EventLog, world.ledger.log)
  )
}

/** Does something in a world each 250 ms, with the number of the tick. A person there ends a hold once it is calm. */
const ticking = (world: World, act: (tick: number) => void): void => {
  const go = (count: number): void => {
    act(count)
    if (world.calm && world.ledger.watch.held !== undefined && count % 40 === 0) goBy(world)
    world.timeline.after(tick, () => go(count + 1))
  }
  go(0)
}

/** The time in which a shipper brings what is missing, once nothing goes wrong any more. A restored hub puts it off. */
const catchesUp = 15 * minute

/**
 * Simulates hosts with one hub behind a wire that loses, delays and doubles, and judges it. Each host is a world of the
 * simulation of watches. People say words at the hub. The same world without a hub has the same log, to the byte. There
 * a local person says the words that the host took. The logs are the same where the hub lies, also in words. A hub that keeps its
 * promises has each log whole and once. Shippers are killed meanwhile, and the hub goes back to a backup.
 */
export const simulateFleet = (number: number): SimulatedFleet => {
  const seed = new Seed(number)
  const lies = seed.chance(0.4)
  const hub = new SimHub()
  const violations: Array<string> = []
  const hosts = seed.between(1, 3)
  const taken: Array<FleetWord> = []
  let [events, refused, restarts] = [0, 0, 0]
  for (let host = 0; host < hosts; host++) {
    const number = seed.between(1, 1_000_000)
    const own = seed.fork()
    const log = `00000000-0000-4000-8000-00000000000${host}`
    // It has a time, a queue and a seed of its own. So nothing of it is in the way of souffleur.
    const machine = new SimMachine(own.number, true)
    machine.silent = true
    const had: Array<TakenWord> = []
    let rows: () => ReadonlyArray<FleetEvent> = () => []
    let shipper: SimShipper | undefined
    let told: World | undefined
    let [now, said] = [0, 0]
    /** Decides on a word as `souffleur fleet take` does, by the log of the world. */
    const take = (due: DueWord): Effect.Effect<WordAnswer> =>
      Effect.gen(function* () {
        if (due.watch !== told!.id) return { reason: "there is no such watch", note: null }
        const { id, person, seen, until, word } = due
        const one = {
          tick: now,
          now: yield* Clock.currentTimeMillis,
          word: { id, person, seen, until, word, ceilings: false }
        }
        return yield* sayTo(told!, { ...one, word: { ceilings: false, ...due } }).pipe(
          Effect.tap(() => Effect.sync(() => (had.push(one), taken.push(word)))),
          Effect.as({ reason: null, note: null }),
          Effect.catch(({ message }) => Effect.succeed({ reason: message, note: null }))
        )
      }).pipe(Effect.tap(({ reason }) => Effect.sync(() => void (refused += reason === null ? 0 : 1))))
    const begin = (): void => {
      restarts++
      shipper = new SimShipper(machine, {
        log,
        rows,
        hub: wireTo(
          { hub, seed: own, lies, liedTo: () => ({ ...told!.ledger.watch, id: told!.id }) },
          () => machine.calm
        ),
        tell: () => undefined,
        take,
        ended: (exit) => {
          // Only its own words end it. A hub that keeps its promises has none of them.
          const said = Exit.isFailure(exit) && !Cause.hasDies(exit.cause)
          if (!said || !lies) violations.push(`host ${host}: its shipper ended: ${String(exit)}`)
          machine.timeline.after(minute, begin)
        }
      })
    }
    const beside = (world: World): void => {
      told = world
      rows = rowsOf(world)
      begin()
      let restored = hub.backup()
      ticking(world, (count) => {
        now = count
        machine.timeline.offset = world.timeline.offset
        machine.run(world.timeline.monotonic)
        if (own.chance(0.002)) shipper?.kill()
        if (own.chance(0.002)) restored()
        if (own.chance(0.002)) restored = hub.backup()
        const { watch } = world.ledger
        if (watch.phase === "Watching" && !world.calm && own.chance(0.005))
          hub.say(log, {
            id: `2b1f3c9a-4e52-4a3f-9a76-${String(++said).padStart(12, "0")}`,
            watch: world.id,
            word: fittingWord(own, watch),
            seen: watch.revision,
            person: "anna",
            until: machine.timeline.wall + own.between(0, 2 * minute)
          })
        if (shipper?.state === "abandoned") begin()
      })
    }
    /** A person of the host says the words that it took, at the same time. */
    const locally = (world: World): void =>
      ticking(world, (count) => {
        for (const one of had) if (one.tick === count) Effect.runSync(Effect.exit(sayTo(world, one)))
      })
    const options = { story: false, thorough: true }
    const together = simulate(number, { ...options, beside })
    const alone = simulate(number, { ...options, beside: locally })
    const found = rows()
    events += found.length
    violations.push(...together.violations.map((one) => `host ${host}: ${one}`))
    const differs = alone.events.findIndex((event, n) => JSON.stringify(event) !== found[n]?.[6])
    if (differs !== -1 || alone.events.length !== found.length)
      violations.push(`host ${host}: its log is another one with a hub, from event ${differs + 1} on`)
    machine.calm = true
    machine.run(machine.timeline.monotonic + catchesUp)
    if (!lies && JSON.stringify(hub.copyOf(log)) !== JSON.stringify(found))
      violations.push(`host ${host}: the hub has ${hub.copyOf(log).length} of ${found.length} events`)
  }
  return { violations, events, lies, refused, restarts, taken }
}
