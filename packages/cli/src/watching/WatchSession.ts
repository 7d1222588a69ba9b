import { needOf } from "@souffleur/embed/internal"
import type { RunningWatch } from "@souffleur/embed"
import { isFinished, type Watch } from "@souffleur/domain"
import { Memory } from "@souffleur/node"
import { attendedHere } from "@souffleur/supervisor"
import { Console, Effect, Fiber, Option } from "effect"
import { feed } from "../service/Watchdog.ts"
import { Environment, Unread } from "../world/CommandEnvironment.ts"
import { makeWatchScreen, type Telling } from "./WatchScreen.ts"

/** Returns 0 for a completed or a released watch, 1 for others (spec: command-line#exit-codes). */
const codeOf = ({ end }: Watch) => (isFinished(end) || end === "released" ? 0 : 1)

/** The time that the end of a watch waits for a reader of its last lines. */
const readTimeout = "10 seconds"

/**
 * Waits for the last lines of a watch or a run that has ended. A pager may be left open, and take none. The end does
 * not wait for it. `log` is the command that prints them again.
 */
export const drainNarrator = Effect.fn("drainNarrator")(function* (log: string, narrator: Fiber.Fiber<void>) {
  if (Option.isSome(yield* Effect.timeoutOption(Fiber.await(narrator), readTimeout))) return
  yield* Console.error(`warning: the last lines could not be written, because nothing reads them: "${log}" has them`)
  yield* yield* Unread
})

/** Returns the guardian that is asked for. It brings this souffleur back by its own command. */
export const guardedBy = Effect.fnUntraced(function* (guardian: boolean) {
  const { cwd, self } = yield* Environment
  const line = (id: string) => [...self, "watch", "--resume", id, "--guardian", "--quiet", "--restored"] as const
  return guardian ? { guardian: { line, cwd } } : {}
})

/** Prints a watch to its end, in the foreground, for `watch` and `run`. Returns the exit code of that end. */
export const printWatch = Effect.fn("printWatch")(
  function* ({ before, ended, from, id, narrate }: RunningWatch, telling: Telling) {
    if (before.phase === "Exited") {
      yield* Console.error(`watch ${id} has ended: ${before.end}`)
      return codeOf(before)
    }
    if (from > 0 || telling.how !== "little")
      yield* Console.error(from === 0 ? `watch ${id}` : `watch ${id} goes on from revision ${from}`)
    const screen = yield* makeWatchScreen(id, before, telling)
    const { wake } = yield* Memory.makeRest
    const narrator = yield* Effect.forkScoped(narrate((...told) => Effect.andThen(wake, screen.tell(...told))))
    yield* Effect.forkScoped(screen.follow)
    yield* Effect.forkScoped(attendedHere("watchdog's feeder", feed(id)))
    const leaving = Console.error(
      `souffleur leaves, and what it watches runs on: "souffleur resume ${id}" goes on, "souffleur release ${id}" ends the watch`
    )
    const last = yield* Effect.onInterrupt(ended, () => Effect.andThen(screen.endLine, leaving))
    yield* drainNarrator(`souffleur log ${id}`, narrator)
    if (last.end === "retries exhausted" && last.lastExport !== null)
      yield* Console.error(`the last conversation is in ${last.lastExport}`)
    const need = needOf(id, last, true)
    if (need !== null && telling.how !== "json") yield* Console.error(`next: ${need.next}`)
    return codeOf(last)
  },
  (effect, { ports }) => Effect.provideContext(effect, ports)
)
