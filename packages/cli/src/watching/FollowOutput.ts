import { EventLog, evolve, Launcher, load, type Watch } from "@souffleur/domain"
import { makePrintedFeed, outputInterval, shownInPipe } from "@souffleur/process"
import { Effect, Ref, Stream } from "effect"
import { makeOutputWriter } from "./OutputWriter.ts"

/**
 * Makes a printer of the outputs of one watch's launches, one after the other, each to its own standard stream. A pipe
 * or a file gets the bytes unchanged. An agent's records that the user did not ask for become words. `earlier`: of the
 * first launch all is printed, or the end alone. `apart`: on a terminal the output of a command in a window is left
 * out.
 */
export const makeOutputPrinter = Effect.fnUntraced(function* (earlier: "all" | "end", apart = false) {
  const { inWindow } = yield* Launcher
  const { endLine, onTerminal, plainAgain, terminal, write } = yield* makeOutputWriter
  const feed = yield* makePrintedFeed({
    earlier,
    shown: (watch, on) => (terminal[on] ? Effect.succeed(onTerminal(on)) : shownInPipe(watch, on)),
    wholeLines: (watch, on) => terminal[on] || watch.kind === "agent",
    hidden: (launchId) => (terminal.stdout && apart ? inWindow(launchId) : Effect.succeed(false)),
    endsLines: !terminal.stdout,
    print: write
  })
  return {
    print: feed.print,
    endLine,
    close: Effect.andThen(feed.close, plainAgain),
    /** Returns whether the newest launch has left its words to its window, or has printed none on a terminal. */
    silent: Effect.fnUntraced(function* ({ launchId }: Watch) {
      if (!feed.silent()) return false
      return terminal.stdout || launchId === undefined || (yield* inWindow(launchId))
    })
  }
})

/**
 * Prints the output of each headless generation of a watch until the watch ends. It begins with the end of the earlier
 * output. `heading` runs at the beginning of each generation.
 */
export const follow = Effect.fn("follow")(function* (id: string, heading: (watch: Watch) => Effect.Effect<void>) {
  const log = yield* EventLog
  const first = yield* load(id)
  const now = yield* Ref.make(first)
  const printer = yield* makeOutputPrinter("end")
  const following = log
    .changes(id, first.revision)
    .pipe(Stream.runForEach(({ event }) => Ref.update(now, (watch) => evolve(watch, event))))
  const printing = Effect.gen(function* () {
    let launchId: string | undefined
    for (;;) {
      // The state is read before the output. So the last words are in the file when the watch has ended.
      const watch = yield* Ref.get(now)
      if (watch.launchId !== undefined && watch.launchId !== launchId) {
        launchId = watch.launchId
        yield* printer.endLine
        yield* heading(watch)
      }
      yield* printer.print(watch)
      if (watch.phase === "Exited") return yield* printer.close
      yield* Effect.sleep(outputInterval)
    }
  })
  // A log that cannot be followed any more is told, and ends the output.
  return yield* Effect.raceFirst(printing, Effect.andThen(following, Effect.never))
}, Effect.scoped)
