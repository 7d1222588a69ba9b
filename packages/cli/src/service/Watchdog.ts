import { brokenOff, dueWithin, momentNow, Settings, silentAfter } from "@souffleur/domain"
import { runProgram } from "@souffleur/process"
import { Beats } from "@souffleur/eventlog"
import { Duration, Effect, Option, Schedule } from "effect"
import { Environment } from "../world/CommandEnvironment.ts"

/** Calls the program of sd_notify(3), because Node has no datagram sockets of a file. */
const notify = (word: string) =>
  runProgram({ command: "systemd-notify", args: [word], stdin: "", within: "10 seconds", atMost: 4096 }).pipe(
    Effect.catchTag("ProgramFailed", ({ message }) => Effect.logWarning(`systemd-notify ${word}: ${message}`))
  )

const underSystemd = Effect.map(Environment, ({ variables }) => (variables["NOTIFY_SOCKET"] ?? "") !== "")

/** Tells systemd that this souffleur has begun. Does nothing elsewhere. */
export const ready = Effect.flatMap(underSystemd, (under) => (under ? notify("READY=1") : Effect.void))

/**
 * Feeds the watchdog of systemd three times within its limit, while a watcher or a recovery beats for the watch. A beat
 * older than the self-monitor allows does not count. systemd then ends this process and starts another (spec:
 * behaviour#service).
 */
export const feed = Effect.fn("Watchdog.feed")(function* (id: string) {
  const beats = yield* Beats
  const settings = yield* Settings
  const { variables } = yield* Environment
  const micros = Number(variables["WATCHDOG_USEC"] ?? "")
  if (!(yield* underSystemd) || !(micros > 0)) return
  const [oldest, everyMillis] = [silentAfter(settings), micros / 3000]
  let last = yield* momentNow
  let begun = last.wall
  const once = Effect.gen(function* () {
    const moment = yield* momentNow
    const now = moment.wall
    // While the machine slept, nothing could beat.
    if (brokenOff(last, moment, dueWithin(everyMillis, oldest))) begun = now
    last = moment
    const beat = yield* beats.last(id)
    // Beats of an earlier souffleur say nothing about this one.
    const heard = Option.match(beat, {
      onNone: () => begun,
      onSome: ({ at }) => (at > now + oldest ? begun : Math.max(at, begun))
    })
    if (now - heard <= oldest) return yield* notify("WATCHDOG=1")
    yield* Effect.logWarning(
      `the watch has had no beat for ${Duration.format(Duration.millis(now - heard))}: systemd is not told to wait`
    )
  })
  yield* Effect.repeat(once, Schedule.spaced(Duration.millis(everyMillis)))
})
