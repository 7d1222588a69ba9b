import type { Watch, WatchEvent } from "@souffleur/domain"
import { Effect, Metric } from "effect"

const incremental = true

/** Watches that this process looks after now. */
export const liveWatches = Metric.gauge("souffleur_live_watches", {
  description: "Watches that this process looks after"
})

/** Deaths of Conductors. `cause` is `pid`, `heartbeat`, `hang` or `untaken`. A planned hand-off is no death. */
export const deaths = Metric.counter("souffleur_deaths", { description: "Deaths of Conductors", incremental })

/**
 * Results of recoveries. `outcome` is `relaunched` or `escalated`, with the name of the `provider`, or `failed`,
 * `exhausted` or `withheld`, with the provider `none`. After an escalation the recovery continues with the next
 * provider.
 */
export const recoveries = Metric.counter("souffleur_recoveries", { description: "Results of recoveries", incremental })

/** Conductors that souffleur has launched. `conductor` is `first` or `successor`. */
export const launches = Metric.counter("souffleur_launches", { description: "Launched Conductors", incremental })

const one = (counter: typeof deaths, attributes: Readonly<Record<string, string>>) =>
  Metric.update(Metric.withAttributes(counter, attributes), 1)

const ended = (outcome: string, provider = "none") => one(recoveries, { outcome, provider })

/** Counts one event of an owned watch. `before` is the state that the event follows. */
export const count = (event: WatchEvent, before: Watch): Effect.Effect<void> => {
  switch (event._tag) {
    case "ConductorDied":
      return one(deaths, { cause: event.reason })
    case "ConductorConfirmed":
      // A Conductor that ran already was launched by others.
      return before.firstLaunch === undefined ? Effect.void : one(launches, { conductor: "first" })
    case "ConductorRelaunched":
      return Effect.andThen(one(launches, { conductor: "successor" }), ended("relaunched", event.provider))
    case "RecoveryEscalated":
      return ended("escalated", event.from)
    case "RecoveryFailedClosed":
      return ended("failed")
    case "RetriesExhausted":
      return ended("exhausted")
    case "RecoveryWithheld":
      return ended("withheld")
    default:
      return Effect.void
  }
}

/** Counts a watch as live until the scope closes. */
export const live = Effect.acquireRelease(Metric.modify(liveWatches, 1), () => Metric.modify(liveWatches, -1))
