import { Agent, EventLog, evolve, Launcher, load, type PrintedOn, type Watch } from "@souffleur/domain"
import { byteString, makePrintedFeed, outputInterval, shownInPipe, type ShownOutput } from "@souffleur/process"
import { Effect, Option, Ref, Stdio, Stream } from "effect"
import { Environment } from "../world/CommandEnvironment.ts"
import { makeTerminalOutput } from "./AgentOutput.ts"

const escape = "\u001B"

/** Understands no record: each line is text. */
const asText = () => Option.none()

/**
 * Makes the writer of the words of others to standard output and standard error. A terminal gets text, a pipe or a file
 * byte strings.
 */
export const makeOutputWriter = Effect.gen(function* () {
  const agent = yield* Agent
  const { colour } = yield* Environment
  const { stderr, stderrIsTerminal, stdout, stdoutIsTerminal } = yield* Stdio.Stdio
  const terminal = { stdout: yield* stdoutIsTerminal, stderr: yield* stderrIsTerminal }
  const sinks = { stdout, stderr }
  const onScreen = terminal.stdout && terminal.stderr
  /** Where the last word was in the middle of a line; and the terminals on which a colour of it may still hold. */
  const [inLine, coloured] = [new Set<PrintedOn>(), new Set<PrintedOn>()]

  const put = (text: string, on: PrintedOn) =>
    Stream.run(Stream.succeed(terminal[on] ? text : byteString.bytes(text)), sinks[on]({ endOnDone: false }))
  const write = Effect.fnUntraced(function* (text: string, on: PrintedOn) {
    if (text === "") return
    // One screen shows both, and has one cursor.
    if (onScreen) inLine.clear()
    if (text.endsWith("\n")) inLine.delete(on)
    else inLine.add(on)
    if (terminal[on] && text.includes(escape)) coloured.add(on)
    yield* put(text, on)
  })
  /** Ends the colours of the output, which would hold for a line of ours too. */
  const plainAgain = Effect.suspend(() => {
    const all = [...coloured]
    coloured.clear()
    return Effect.forEach(all, (on) => put(`${escape}[0m`, on), { discard: true })
  })
  return {
    terminal,
    write,
    plainAgain,
    /** Ends the last line of the output, so that a line of ours begins one. */
    endLine: Effect.andThen(
      plainAgain,
      // A pipe or a file of standard output has no line of ours.
      Effect.suspend(() =>
        Effect.forEach(
          [...inLine].filter((on) => on === "stderr" || terminal.stdout),
          (on) => write("\n", on),
          { discard: true }
        )
      )
    ),
    /** Makes what a terminal shows of an output. */
    onTerminal: (on: PrintedOn): ShownOutput => {
      const decoder = new TextDecoder()
      const lines = makeTerminalOutput(on === "stdout" ? agent.outputReader("terminal") : asText, colour !== false)
      return { push: (piece) => lines.push(decoder.decode(piece, { stream: true })), end: lines.end }
    }
  }
})

/**
 * Makes a printer of the outputs of one watch's launches, one after the other, each to its own standard stream. A pipe
 * or a file gets the bytes unchanged. An agent's records that the user did not ask for become words. `earlier`: of the
 * first launch all is printed, or the end alone. `apart`: on a terminal the output of a command in a window is left out.
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
