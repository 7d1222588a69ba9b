import { Effect, Layer } from "effect"
import { type Alarm, HubAlarms } from "../HubAlarms.ts"
import { HubProjection } from "../HubProjection.ts"
import { throughOutages } from "../HubTrouble.ts"
import { layerInOneHub, type LayerOfPart } from "./HubCluster.ts"

/** The pause between two looks. */
const look = "5 seconds"

/**
 * Tells alarms as they begin, in one hub at a time. It waits until all events are folded. A hub without them would end
 * alarms whose jobs it does not know yet. `tell` tells some alarms together, and returns `false` where no channel took
 * them. They are told again then.
 */
export const layerSentinel = (tell: (alarms: ReadonlyArray<Alarm>) => Effect.Effect<boolean>): LayerOfPart<HubAlarms> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { pass } = yield* HubProjection
      const { take, told } = yield* HubAlarms
      const telling = throughOutages({
        fails: "the hub cannot tell alarms, and tries again",
        works: "the hub tells alarms again"
      })
      return layerInOneHub(
        "sentinel",
        Effect.suspend(() => {
          let folded = false
          const looked = Effect.gen(function* () {
            if (!folded) yield* Effect.repeat(pass, { until: (count) => count === 0 })
            folded = true
            const alarms = yield* take
            // The part may move to another hub at any time, which would tell them once more.
            if (alarms.length > 0)
              yield* Effect.uninterruptible(Effect.tap(tell(alarms), (took) => (took ? told(alarms) : Effect.void)))
          })
          return telling(looked).pipe(Effect.andThen(Effect.sleep(look)), Effect.forever)
        })
      )
    })
  )

/**
 * Notes that this hub listens to its hosts, as long as its scope lives. Each hub that may tell alarms does so: the
 * sentinel may just have come to another one. Hosts may speak to no hub without alarms.
 */
export const layerListening: Layer.Layer<never, never, HubAlarms> = Layer.effectDiscard(
  HubAlarms.use(({ listen }) =>
    Effect.ignore(listen).pipe(Effect.andThen(Effect.sleep(look)), Effect.forever, Effect.forkScoped)
  )
)
