import { ceilingNow, EventLog, evolve, initial, load, Settings, type Watch } from "@souffleur/domain"
import { boundOutputs } from "@souffleur/node"
import {
  allPublished,
  attended,
  attendedHere,
  forget,
  commsPublisher,
  notifier,
  own,
  supervise
} from "@souffleur/supervisor"
import { Console, Effect, Fiber, Path, Ref, Stream } from "effect"
import { Environment } from "../world/CommandEnvironment.ts"
import { deliverUndelivered, drainTimeout, guarded, jsonLine, startGuardian, sweep } from "@souffleur/embed"
import { line } from "../explain/WatchLine.ts"
import { feed } from "../service/Watchdog.ts"
import { paint } from "../Printing.ts"

/** Returns 0 for a completed or a released watch, 1 for others (spec: command-line#exit-codes). */
export const codeOf = ({ end }: Watch) => (end === "completed" || end === "released" ? 0 : 1)

/** Prints every event, from the last printed one on. */
const narrate = Effect.fn("Watch.narrate")(function* (id: string, told: Ref.Ref<Watch>, asJson: boolean) {
  const log = yield* EventLog
  const { colour } = yield* Environment
  const brush = paint(colour)
  const before = yield* Ref.get(told)
  yield* log.changes(id, before.revision).pipe(
    Stream.mapAccum(
      () => before,
      (watch, recorded) => {
        const after = evolve(watch, recorded.event)
        return [after, [{ recorded, after }]] as const
      }
    ),
    Stream.tap(({ after, recorded }) =>
      Console.log(asJson ? jsonLine(recorded) : line(recorded, after.generation, brush))
    ),
    Stream.tap(({ after }) => Ref.set(told, after)),
    Stream.takeUntil(({ after }) => after.phase === "Exited"),
    Stream.runDrain
  )
})

export interface WatchingOptions {
  readonly project: string
  /** `null`: solo. */
  readonly comms: string | null
  /** The revision to go on from; 0: a new watch. */
  readonly from: number
  readonly guardian: boolean
  readonly asJson: boolean
}

/**
 * Owns a watch and follows it from a revision to its end, in the foreground, for `watch` and `run`. Returns the exit
 * code of the watch's end.
 */
export const watching = Effect.fn("watching")(function* (
  id: string,
  { asJson, comms, from, guardian, project }: WatchingOptions
) {
  const settings = yield* Settings
  const { cwd, self } = yield* Environment
  const resumeLine = [...self, "watch", "--resume", id, "--guardian", "--restored"] as const
  yield* sweep()
  // The state is read before the watch is owned, so that the event of that is printed too.
  const told = yield* Ref.make(from === 0 ? initial : yield* load(id))
  const { fence, ref } = yield* own(id)
  if (guardian) yield* Effect.forkScoped(guarded(ref, startGuardian(id, { line: resumeLine, cwd })))
  yield* Console.error(from === 0 ? `watch ${id}` : `watch ${id} goes on from revision ${from}`)
  yield* Effect.forEach(settings.warnings, (warning) => Console.error(`warning: ${settings.source}: ${warning}`))

  const narrator = yield* Effect.forkScoped(attended(ref, "narrator", narrate(id, told, asJson)))
  const telling = yield* Effect.forkScoped(attended(ref, "publisher", commsPublisher(id)))
  const notices = settings.notifyCommand === null ? Effect.void : notifier(id, project, settings.notifyCommand)
  const noticing = yield* Effect.forkScoped(attended(ref, "notifier", notices))
  if (comms !== null) yield* deliverUndelivered(comms)
  yield* Effect.forkScoped(attendedHere("watchdog's feeder", feed(id)))
  const path = yield* Path.Path
  for (const folder of ["launches", "guardians"])
    yield* Effect.forkScoped(attendedHere(`bound of ${folder}`, boundOutputs(path.join(settings.stateDir, folder), id)))
  yield* ceilingNow(ref.dispatch)
  const last = yield* supervise(ref, fence)
  yield* forget(last)
  yield* Effect.ignore(Fiber.join(narrator))
  yield* Effect.timeoutOption(Fiber.awaitAll([telling, noticing]), drainTimeout)
  if (comms !== null && !(yield* allPublished(id, last.revision))) {
    yield* Console.error(`${comms} could not be told that the watch has ended; the next souffleur on it will`)
  }
  if (last.end === "retries exhausted" && last.lastExport !== null)
    yield* Console.error(`the last conversation is in ${last.lastExport}`)
  return codeOf(last)
}, Effect.scoped)
