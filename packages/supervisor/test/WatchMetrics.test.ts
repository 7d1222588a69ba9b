import { assert, describe, it } from "@effect/vitest"
import { Event, makeWatchRef, type WatchEvent } from "@souffleur/domain"
import { begun, settle } from "@souffleur/testing"
import { Effect, Fiber, Metric } from "effect"
import { Roles, supervise, WatchMetrics } from "../src/index.ts"
import { confirmed, died, living, opened, owned, recovering, relaunched, watching } from "./SupervisorWorld.ts"

const at = begun
const roles = Roles.of({ run: () => Effect.never })

/** Supervises a watch while it appends events to a history, and leaves. Returns the live watches and all series. */
const measured = (history: ReadonlyArray<WatchEvent>, ...events: ReadonlyArray<WatchEvent>) =>
  Effect.gen(function* () {
    const { context, log } = yield* living(history)
    const ref = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Owner", fence: 1 }), context)
    const souffleur = yield* supervise(ref, 1).pipe(
      Effect.provideService(Roles, roles),
      Effect.provideContext(context),
      Effect.forkChild
    )
    yield* settle
    const { value: live } = yield* Metric.value(WatchMetrics.liveWatches)
    yield* log.append("w", (yield* ref.state).revision, events)
    yield* settle
    yield* Fiber.interrupt(souffleur)
    const series = (yield* Metric.snapshot).map(({ attributes = {}, id, state }) => {
      const number = "count" in state ? state.count : "value" in state ? state.value : undefined
      return [id.replace("souffleur_", ""), ...Object.values(attributes), number].join(" ")
    })
    return { live, series: series.toSorted() }
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))

describe("command-line#metrics", () => {
  it.effect("an owned watch is live until its souffleur leaves", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* measured(watching), { live: 1, series: ["live_watches 0"] })
    })
  )

  it.effect("a death and its recovery are counted by cause, provider and outcome", () =>
    Effect.gen(function* () {
      const { series } = yield* measured(
        watching,
        died(),
        recovering(),
        Event.RecoveryEscalated.make({
          at,
          cycle: 1,
          from: "agent_continue",
          to: "claude_export",
          stage: "s",
          message: "m",
          alreadyKilled: true
        }),
        relaunched,
        Event.ConductorDied.make({ ...died(2), reason: "hang" }),
        recovering(2),
        Event.RecoveryFailedClosed.make({ at, cycle: 2, stage: "s", message: "m" })
      )
      assert.deepStrictEqual(series, [
        "deaths hang 1",
        "deaths pid 1",
        "launches successor 1",
        "live_watches 0",
        "recoveries escalated agent_continue 1",
        "recoveries failed none 1",
        "recoveries relaunched claude_export 1"
      ])
    })
  )

  it.effect("a souffleur that goes on with a watch does not count what was before", () =>
    Effect.gen(function* () {
      const { series } = yield* measured([...watching, died(), recovering()], relaunched)
      assert.deepStrictEqual(series, [
        "launches successor 1",
        "live_watches 0",
        "recoveries relaunched claude_export 1"
      ])
    })
  )

  it.effect("a recovery that is withheld, and the last death, are results too", () =>
    Effect.gen(function* () {
      const { series } = yield* measured(
        watching,
        Event.RecoveryWithheld.make({ at, cycle: 1, trigger: "pid", stage: "observe", message: "m" }),
        Event.RetriesExhausted.make({ at, cycle: 2, trigger: "pid", exportPath: null })
      )
      assert.deepStrictEqual(series, ["live_watches 0", "recoveries exhausted none 1", "recoveries withheld none 1"])
    })
  )

  it.effect("a first launch is souffleur's, and a Conductor that ran already is not", () =>
    Effect.gen(function* () {
      const launch = Event.LaunchPrepared.make({
        at,
        cycle: 0,
        launchId: "l",
        digest: "d",
        sessionId: "s1",
        requested: "",
        effective: "acceptEdits"
      })
      const launched = yield* measured([opened(), launch, owned], confirmed)
      assert.deepStrictEqual(launched.series, ["launches first 1", "live_watches 0"])
      assert.deepStrictEqual((yield* measured([opened(), owned], confirmed)).series, ["live_watches 0"])
    })
  )
})
