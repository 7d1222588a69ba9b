import { brokenOff, heardAt, momentNow, Settings, silentAfter } from "@souffleur/domain"
import { Beats } from "@souffleur/eventlog"
import { command } from "@souffleur/supervisor"
import { Effect, Option } from "effect"
import { WatchDefect } from "./WatchDefect.ts"

/** Looks within the time after which a guardian would end the whole process. The last two are left to it. */
const looks = 12

/** Returns once no role of a watch has beaten for nearly as long as its guardian would wait. */
const silent = Effect.fnUntraced(function* (id: string) {
  const beats = yield* Beats
  const longest = silentAfter(yield* Settings)
  const every = longest / looks
  let last = yield* momentNow
  let since = last.wall
  for (;;) {
    yield* Effect.sleep(every)
    const now = yield* momentNow
    // On a full disk nothing beats, and after a sleep of the machine nothing has had a chance to.
    if ((yield* beats.full) || brokenOff(last, now, every)) since = now.wall
    last = now
    const heard = Option.match(yield* beats.last(id), {
      onNone: () => 0,
      onSome: ({ at }) => heardAt(at, now.wall, longest)
    })
    if (now.wall - Math.max(heard, since) > longest - 2 * every) return
  }
})

/**
 * Returns once a watch has fallen silent, and is to be begun anew in this process. The log counts it as a restoration.
 * Fails with `WatchDefect` where it has happened too often: the watch is left alone, and the others go on.
 */
export const fallenSilent = Effect.fn("fallenSilent")(function* (id: string, fence: number) {
  yield* silent(id)
  const { restored } = yield* command(id, { _tag: "Restore", reason: "silent", over: fence })
  if (restored === undefined)
    return yield* new WatchDefect({
      watch: id,
      message: `watch ${id} has fallen silent too often and is set apart: its agent works on, and the watch can be resumed`
    })
  yield* Effect.logWarning(`watch ${id} has fallen silent: it is begun anew`)
})
