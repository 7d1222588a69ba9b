import { type Event, type Settings, type WatchEvent } from "@souffleur/domain"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type Provider, recovery } from "../src/index.ts"
import { crashingLog, recovering } from "./CrashingLog.ts"
import { type FakeWorld } from "@souffleur/testing"
import { worldLayer, worldOf } from "./RecoveryWorld.ts"

export type Change = Parameters<typeof recovering>[0] & { readonly settings?: Partial<Settings["Service"]> }

/** Moves the time second by second while an effect runs, so that every fiber can act. */
export const inTime = <A, E, R>(run: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    run,
    Effect.forever(Effect.andThen(TestClock.adjust("1 second"), Effect.repeat(Effect.yieldNow, { times: 200 })))
  )

/** Makes a recovery that can run as often as souffleur starts, with one world and one log. Its files are in memory. */
export const cycleOf = Effect.fnUntraced(function* <R>(
  providers: ReadonlyArray<Provider<R>>,
  change: Change = {},
  world = worldOf({ pid: 4711, parent: 1 })
) {
  const ceiling = change.ceiling ?? change.settings?.maxExternalPermission ?? "acceptEdits"
  const log = yield* crashingLog(recovering({ ...change, ceiling }))
  /** Starts souffleur under other settings. */
  const startUnder = (settings: Change["settings"]) =>
    Effect.gen(function* () {
      const ref = yield* log.ref()
      const watch = yield* ref.state
      if (watch.recovery !== undefined) yield* recovery(ref, watch, providers)
    }).pipe(Effect.provide(worldLayer(world, "/state", settings)), Effect.provide(world.files.layer))
  const start = startUnder(change.settings)
  /** Runs until souffleur vanishes, right after a launch. */
  const vanish = Effect.gen(function* () {
    world.launcher.vanishes = 1
    yield* Effect.forkDetach(start)
    while (world.launcher.vanishes > 0) yield* TestClock.adjust("1 second")
  })
  return {
    world,
    log,
    start,
    startUnder,
    run: inTime(start),
    vanish,
    /** The result of the cycle. */
    last: Effect.map(log.events, (all) => all.findLast(({ _tag }) => _tag !== "WatcherStarted"))
  }
})

export const closedAt = (event: WatchEvent | undefined) =>
  event?._tag === "RecoveryFailedClosed" ? [event.stage, event.message] : event?._tag
export const relaunches = (events: ReadonlyArray<WatchEvent>) =>
  events.filter((event): event is typeof Event.ConductorRelaunched.Type => event._tag === "ConductorRelaunched")
export const launches = (world: FakeWorld): ReadonlyArray<string> =>
  world.did.filter((what) => what.startsWith("launch"))
