import { drainTimeout, guardianOfWatch, keepWatch, needOf } from "@souffleur/embed/internal"
import { initial, load, Settings, type Watch } from "@souffleur/domain"
import { Memory } from "@souffleur/node"
import { attendedHere } from "@souffleur/supervisor"
import { Console, Effect, Fiber, Option } from "effect"
import { feed } from "../service/Watchdog.ts"
import { Environment, Unread, WorksUnread } from "../world/CommandEnvironment.ts"
import { makeWatchScreen, type Telling } from "./WatchScreen.ts"

/** Returns 0 for a completed or a released watch, 1 for others (spec: command-line#exit-codes). */
export const codeOf = ({ end }: Watch) => (end === "completed" || end === "released" ? 0 : 1)

/**
 * Waits for the last lines of a watch that has ended. A pager may be left open, and take none. The end does not wait
 * for it.
 */
export const drainNarrator = Effect.fn("drainNarrator")(function* (id: string, narrator: Fiber.Fiber<void>) {
  if (Option.isSome(yield* Effect.timeoutOption(Fiber.await(narrator), drainTimeout))) return
  yield* Console.error(
    `warning: the last lines could not be written, because nothing reads them: "souffleur log ${id}" has them`
  )
  yield* yield* Unread
})

/** The watch that a command looks after in this process, and how it is shown. */
export interface WatchingOptions {
  readonly project: string
  /** `null`: solo. */
  readonly comms: string | null
  /** The revision to go on from; 0: a new watch. */
  readonly from: number
  readonly guardian: boolean
  readonly telling: Telling
}

/**
 * Owns a watch and prints it from a revision to its end, in the foreground, for `watch` and `run`. Returns the exit
 * code of the watch's end.
 */
export const watching = Effect.fn("watching")(function* (
  id: string,
  { comms, from, guardian, project, telling }: WatchingOptions
) {
  yield* yield* WorksUnread
  const settings = yield* Settings
  const { cwd, self } = yield* Environment
  const revival = [...self, "watch", "--resume", id, "--guardian", "--quiet", "--restored"] as const
  const before = from === 0 ? initial : yield* load(id)
  const watch = yield* keepWatch(id, {
    project,
    comms,
    from,
    ...(guardian ? { guardian: (yield* guardianOfWatch({ line: revival, cwd }))(id) } : {})
  })
  if (from > 0 || telling.how !== "little")
    yield* Console.error(from === 0 ? `watch ${id}` : `watch ${id} goes on from revision ${from}`)
  yield* Effect.forEach(settings.warnings, (warning) => Console.error(`warning: ${settings.source}: ${warning}`))
  const screen = yield* makeWatchScreen(id, before, telling)
  const narrator = yield* Effect.forkScoped(watch.narrate(screen.tell))
  yield* Effect.forkScoped(screen.follow)
  yield* Effect.forkScoped(attendedHere("watchdog's feeder", feed(id)))
  yield* Effect.forkScoped(Memory.givenBack)
  const leaving = Console.error(
    `souffleur leaves, and what it watches runs on: "souffleur resume ${id}" goes on, "souffleur release ${id}" ends the watch`
  )
  const last = yield* Effect.onInterrupt(watch.end, () => Effect.andThen(screen.endLine, leaving))
  yield* drainNarrator(id, narrator)
  if (last.end === "retries exhausted" && last.lastExport !== null)
    yield* Console.error(`the last conversation is in ${last.lastExport}`)
  const need = needOf(id, last, true)
  if (need !== null && telling.how !== "json") yield* Console.error(`next: ${need.next}`)
  return codeOf(last)
}, Effect.scoped)
