import { type FleetWord, freshUuid } from "@souffleur/domain"
import {
  FleetDesk,
  type FleetView,
  type HubAway,
  lateMillis,
  silenceOf,
  silentMillis,
  type WordStanding
} from "@souffleur/fleet"
import { Duration, Effect, Schedule } from "effect"
import { BadUsage } from "../Failure.ts"

type Host = FleetView["hosts"][number]

/** A watch of a host of a fleet, at the revision that a word is for. */
interface Addressee {
  readonly host: Host
  readonly watch: string
  readonly seen: number
  /** The state of the watch as the hub has it. */
  readonly standing: string
}

/**
 * Finds the watch that `HOST/WATCH` names in a view. `revision` is what the speaker saw, in place of the newest of
 * the hub. Fails with `BadUsage` where the view has no such watch.
 */
export const addresseeOf = (
  { hosts, jobs }: FleetView,
  name: string,
  revision: number | undefined
): Effect.Effect<Addressee, BadUsage> => {
  const slash = name.indexOf("/")
  const watch = name.slice(slash + 1)
  // A host that has renamed its log is there twice. It speaks under its newest name.
  const [host] = hosts
    .filter((one) => slash > 0 && one.name === name.slice(0, slash) && !one.forked && !one.revoked)
    .toSorted((a, b) => a.lastSeenAgo - b.lastSeenAgo)
  const job = jobs.find((one) => one.kind === "watch" && one.id === watch && one.log === host?.log)
  if (host === undefined || job === undefined)
    return Effect.fail(
      new BadUsage({
        message: `the fleet has no watch ${JSON.stringify(name.slice(0, 200))}: write HOST/WATCH, as "souffleur status --fleet" lists them`
      })
    )
  return Effect.succeed({ host, watch, seen: revision ?? job.revision, standing: job.standing })
}

/** Says that a host can take a word only later; `undefined`: it can now, or takes none at all. */
export const silenceWarning = ({ takesWords, ...host }: Host): string | undefined =>
  takesWords && host.lastSeenAgo > silentMillis
    ? `warning: ${host.name} is ${silenceOf(host)}, and can take the word once it is back`
    : undefined

const isAway = (error: { readonly _tag: string }): error is HubAway => error._tag === "HubAway"
const again = Schedule.spaced("1 second")

/**
 * Says a word, and follows it until its host has answered, or some time after its end. A hub without an answer is asked
 * again, by the same word. Returns `undefined` where it never answers. `now`: epoch ms by the clock of the hub.
 */
export const sayWord = Effect.fn("sayWord")(function* (
  { host, seen, watch }: Addressee,
  word: FleetWord,
  { now, within }: { readonly now: number; readonly within: Duration.Duration }
) {
  const desk = yield* FleetDesk
  const id = yield* freshUuid
  const said = { log: host.log, watch, word, seen, until: now + Duration.toMillis(within) }
  const reached = <A, E extends { readonly _tag: string }, R>(call: Effect.Effect<A, E, R>) =>
    Effect.retry(call, { while: isAway, schedule: again })
  const isOver = ({ left, outcome }: WordStanding) => outcome !== "waiting" || left < -lateMillis
  return yield* reached(desk.say(id, said)).pipe(
    Effect.andThen(Effect.repeat(reached(desk.word(id)), { until: isOver, schedule: again })),
    Effect.timeoutOrElse({
      duration: Duration.sum(within, Duration.millis(2 * lateMillis)),
      orElse: () => Effect.succeed(undefined)
    }),
    Effect.map((standing) => ({ id, standing }))
  )
})
