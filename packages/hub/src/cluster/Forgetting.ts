import { Cron, DateTime, type Duration, Effect, Layer } from "effect"
import { HubRetention } from "../HubRetention.ts"
import { throughOutages } from "../HubTrouble.ts"
import { layerInOneHubAt, type LayerOfPart } from "./HubCluster.ts"

/** Each hour. */
const times = Cron.parseUnsafe("0 * * * *", DateTime.zoneMakeOffset(0))
/** The pause between two removals, in which hubs fold. */
const pause = "1 second"

/** Removes the events of jobs that ended longer ago than that, each hour, in one hub at a time. */
export const layerForgetting = (keep: Duration.Duration): LayerOfPart<HubRetention> =>
  Layer.unwrap(
    HubRetention.useSync(({ forget }) => {
      const forgetting = throughOutages({
        fails: "the hub cannot remove old events, and tries again",
        works: "the hub removes old events again"
      })
      return layerInOneHubAt(
        "retention",
        times,
        Effect.asVoid(
          Effect.repeat(
            Effect.tap(forgetting(forget(keep)), (jobs = 0) => (jobs > 0 ? Effect.sleep(pause) : Effect.void)),
            {
              until: (jobs = 0) => jobs === 0
            }
          )
        )
      )
    })
  )
