import { Agent, EventLog, evolve, Launcher, load, type Watch } from "@souffleur/domain"
import { launchedAgent } from "@souffleur/process"
import { Effect, FileSystem, Option, Ref, Semaphore, Stdio, Stream } from "effect"
import { Environment } from "../world/CommandEnvironment.ts"
import { byteString, makePipeOutput, makeTerminalOutput } from "./AgentOutput.ts"

const escape = "\u001B"

/** The time between two looks at an output. */
export const pollInterval = "200 millis"
/** Bytes of earlier output that are shown first. */
const tailBytes = 16_384n
/** Bytes of one read. */
const chunk = 65_536

const sizeOf = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(path))
  return Option.match(info, { onNone: () => 0n, onSome: ({ size }) => BigInt(size) })
})

/**
 * Makes a printer of the outputs of one watch's launches, one after the other, to standard output. A pipe or a file
 * gets the bytes unchanged. An agent's records that the user did not ask for become words. `earlier`: of the first
 * launch all is printed, or the end alone. `apart`: on a terminal the output of a command in a window is left out.
 */
export const makeOutputPrinter = Effect.fnUntraced(function* (earlier: "all" | "end", apart = false) {
  const fs = yield* FileSystem.FileSystem
  const { inWindow, outputPath } = yield* Launcher
  const agent = yield* Agent
  const { colour } = yield* Environment
  const { stdout, stdoutIsTerminal } = yield* Stdio.Stdio
  const terminal = yield* stdoutIsTerminal
  const one = yield* Semaphore.make(1)
  const onTerminal = () => {
    const decoder = new TextDecoder()
    const lines = makeTerminalOutput(agent.outputReader("terminal"), colour !== false)
    return { ...lines, text: (piece: Uint8Array) => decoder.decode(piece, { stream: true }) }
  }
  const fresh = Effect.fnUntraced(function* (watch: Watch) {
    if (terminal) return onTerminal()
    const { outputReader } = yield* launchedAgent(agent, watch)
    // A command may well print the records of an agent.
    const read = watch.kind === "agent" ? outputReader("pipe") : () => Option.none()
    return { ...makePipeOutput(read), text: byteString.of }
  })
  let shown: Effect.Success<ReturnType<typeof fresh>> | undefined
  let [launchId, at]: [string | undefined, bigint] = [undefined, 0n]
  /**
   * The output is in the middle of a line, on the screen; and within itself, where it was begun late. Its colour may
   * still hold.
   */
  let [inLine, torn, coloured] = [false, false, false]
  let hidden = false

  const write = (text: string) =>
    Stream.run(Stream.succeed(terminal ? text : byteString.bytes(text)), stdout({ endOnDone: false }))
  const print = Effect.fnUntraced(function* (text: string) {
    if (text === "") return
    inLine = !text.endsWith("\n")
    coloured ||= text.includes(escape)
    yield* write(text)
  })
  /** Ends a colour of the output, which would hold for a line of ours too. */
  const plainAgain = Effect.suspend(() => {
    if (!terminal || !coloured) return Effect.void
    coloured = false
    return write(`${escape}[0m`)
  })
  /** Leaves out the rest of a line that began before. */
  const whole = (text: string): string => {
    if (!torn) return text
    const end = text.indexOf("\n") + 1
    torn = end === 0
    return torn ? "" : text.slice(end)
  }
  const more = Effect.fnUntraced(function* (path: string) {
    const its = shown
    if (hidden || its === undefined) return
    const size = yield* sizeOf(path)
    if (size <= at) return
    const bytes = fs.stream(path, { offset: at, bytesToRead: size - at, chunkSize: chunk })
    yield* Stream.runForEach(bytes, (piece) => print(its.push(whole(its.text(piece)))))
    at = size
  })
  /** Ends the output of a launch. Its torn last line is shown as it is. */
  const close = Effect.suspend(() => print(shown?.end() ?? ""))
  return {
    /** Prints what the newest launch has printed since the last call. */
    print: Effect.fn("OutputPrinter.print")(function* (watch: Watch) {
      if (launchId !== undefined) yield* more(outputPath(launchId))
      // A first launch may end before its session begins, and its output says why.
      const failed = watch.generation === 0 && watch.failures.length > 0
      const newest = failed ? watch.firstLaunch?.launchId : watch.launchId
      if (newest === undefined || newest === launchId) return
      const first = launchId === undefined
      if (!first) yield* close
      launchId = newest
      shown = yield* fresh(watch)
      hidden = terminal && apart && (yield* inWindow(newest))
      const size = !hidden && first && earlier === "end" ? yield* sizeOf(outputPath(launchId)) : 0n
      at = size > tailBytes ? size - tailBytes : 0n
      torn = at > 0n && (terminal || watch.kind === "agent")
      yield* more(outputPath(launchId))
    }, one.withPermits(1)),
    /** Ends the last line of the output, so that a line of ours begins one. Only a terminal shows both. */
    endLine: one.withPermits(1)(
      Effect.andThen(
        plainAgain,
        Effect.suspend(() => (terminal && inLine ? print("\n") : Effect.void))
      )
    ),
    close: one.withPermits(1)(Effect.andThen(close, plainAgain)),
    /** Returns whether the newest launch has printed nothing. */
    silent: () => at === 0n
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
      yield* Effect.sleep(pollInterval)
    }
  })
  // A log that cannot be followed any more is told, and ends the output.
  return yield* Effect.raceFirst(printing, Effect.andThen(following, Effect.never))
}, Effect.scoped)
