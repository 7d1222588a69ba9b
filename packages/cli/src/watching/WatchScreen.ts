import { type Agent, Launcher, type Recorded, type Watch, Words, type Zone } from "@souffleur/domain"
import { jsonLine } from "@souffleur/embed/internal"
import { lastWords, outputInterval, type TrustedFiles } from "@souffleur/process"
import { Clock, Console, Effect, type FileSystem, Ref } from "effect"
import { screenLine } from "../explain/ScreenLine.ts"
import { colours, watchLines } from "../explain/WatchLine.ts"
import { paint } from "../Printing.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { wrapped } from "../Wrapped.ts"
import { ourMark } from "./AgentOutput.ts"
import { makeOutputPrinter } from "./FollowOutput.ts"

/** How `run` and `watch` tell what happens. */
export interface Telling {
  /** `json`: each event, for a program. `all`: each event. `little`: the lines that a person needs. */
  readonly how: "json" | "all" | "little"
  /** True if what the agent prints is shown. */
  readonly words: boolean
  readonly zone: Zone
}

/** The columns before the text of a line: the mark, and the time of day. */
const indent = `${ourMark} 00:00:00 `.length

/**
 * Makes the screen of a watch. The words of the agent are on its own streams, the lines of souffleur on standard error.
 * With `json` the events alone are on standard output. `first` is the watch before its first event here.
 */
export const makeWatchScreen = Effect.fn("makeWatchScreen")(function* (
  id: string,
  first: Watch,
  { how, words, zone }: Telling
) {
  const { colour, columns } = yield* Environment
  const brush = paint(colour)
  const context = yield* Effect.context<Agent | FileSystem.FileSystem | Launcher | TrustedFiles>()
  const printer = yield* makeOutputPrinter(first.revision === 0 ? "all" : "end", true)
  const launcher = yield* Launcher
  const now = yield* Ref.make(first)
  const dates = Words.makeDates(yield* Clock.currentTimeMillis, zone)
  const shows = words && how !== "json"
  const output = Effect.suspend(() =>
    shows ? Effect.flatMap(Ref.get(now), (watch) => Effect.ignore(printer.print(watch))) : Effect.void
  )
  /** Ends the output. Where nothing of it was printed, the agent's last words are. */
  const ending = Effect.fnUntraced(function* (watch: Watch) {
    yield* Effect.ignore(printer.close)
    if (yield* printer.silent(watch)) yield* Effect.forEach(yield* lastWords(watch), (one) => Console.log(one))
  })
  const say = Effect.fnUntraced(function* (at: number, lines: ReadonlyArray<string>) {
    yield* Effect.ignore(printer.endLine)
    const date = dates(at)
    yield* Effect.forEach(date === undefined ? lines : [date, ...lines], (one) => Console.error(one))
  })
  /** Says where a Conductor is that this souffleur has just launched; empty where it has no window. */
  const placeOf = Effect.fnUntraced(function* (event: Recorded["event"], { launchId }: Watch) {
    const began = event._tag === "ConductorConfirmed" || event._tag === "ConductorRelaunched"
    return began && launchId !== undefined && (yield* launcher.inWindow(launchId)) ? ", in a window of its own" : ""
  })
  const linesOf = Effect.fnUntraced(function* ({ event }: Recorded, after: Watch) {
    const line = screenLine(event, after, id, zone)
    if (line === undefined) return []
    const tone = colours[line.severity]
    const text = `${ourMark} ${Words.time(event.at, zone)} ${line.text}${yield* placeOf(event, after)}`
    const [first = "", ...more] = wrapped(text, columns, indent)
    return [tone === undefined ? first : brush(tone, first), ...more]
  })
  return {
    tell: Effect.fnUntraced(function* (recorded: Recorded, after: Watch) {
      if (how === "json") return yield* Console.log(jsonLine(recorded))
      // The output before an event is shown before it.
      yield* output
      yield* Ref.set(now, after)
      if (shows && after.phase === "Exited") yield* ending(after)
      const lines =
        how === "all" ? watchLines(recorded, { watch: after, brush, columns, zone }) : yield* linesOf(recorded, after)
      if (lines.length > 0) yield* say(recorded.event.at, lines)
    }, Effect.provideContext(context)),
    /** Ends the line and the colour of the agent's words, so that a line of ours begins one. */
    endLine: Effect.provideContext(Effect.ignore(printer.endLine), context),
    /** Prints the words of the agent as they come, until the scope closes. */
    follow: shows ? Effect.forever(Effect.andThen(output, Effect.sleep(outputInterval))) : Effect.void
  }
})
