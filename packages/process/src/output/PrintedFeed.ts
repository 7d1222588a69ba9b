import { Agent, Launcher, type PrintedOn, type Watch } from "@souffleur/domain"
import { Effect, FileSystem, Option, Semaphore, Stream } from "effect"
import { launchedAgent } from "../agent/JoinedAgents.ts"
import { byteString, makePipeOutput } from "./OutputLines.ts"

/** The time between two looks at an output. */
export const outputInterval = "200 millis"
/** Bytes of earlier output that are shown first, where only its end is. */
const tailBytes = 16_384n
/** Bytes at the end of an output that a cut leaves, and beyond which nothing is kept (`boundOutputs`). */
const [leftBytes, keptBytes] = [16_777_216n, 67_108_864n]
/** Bytes of one read. */
const chunk = 65_536

const lineFeed = 10
/** What a read finds in a hole. */
const hole = new Uint8Array(chunk)

/** Makes what is shown of an output, piece by piece. */
export interface ShownOutput {
  readonly push: (piece: Uint8Array) => string
  /** Ends the output. Its torn last line is shown as it is. */
  readonly end: () => string
}

/**
 * Makes what a pipe or a file gets of an output of a watch's newest launch, as a byte string. Only an agent's records
 * that the user did not ask for become words.
 */
export const shownInPipe = Effect.fnUntraced(function* (watch: Watch, on: PrintedOn) {
  const { outputReader } = yield* launchedAgent(yield* Agent, watch)
  // A command may well print the records of an agent.
  const lines = makePipeOutput(watch.kind === "agent" && on === "stdout" ? outputReader("pipe") : () => Option.none())
  return { push: (piece: Uint8Array) => lines.push(byteString.of(piece)), end: lines.end } satisfies ShownOutput
})

/** What becomes of the outputs of a watch's launches. */
export interface FeedOptions<E, R> {
  /** Of the first launch all is printed, or the end alone. */
  readonly earlier: "all" | "end"
  readonly shown: (watch: Watch, on: PrintedOn) => Effect.Effect<ShownOutput, never, R>
  /** True if an output that is begun late begins with a whole line. */
  readonly wholeLines: (watch: Watch, on: PrintedOn) => boolean
  /** True if the output of this launch is left out. Absent: none is. */
  readonly hidden?: (launchId: string) => Effect.Effect<boolean>
  /** True if an agent's output that broke off ends its line before that of the next launch. */
  readonly endsLines: boolean
  readonly print: (text: string, on: PrintedOn, launchId: string) => Effect.Effect<void, E>
}

/** One output of a launch, as far as it was read. */
interface Reading {
  readonly on: PrintedOn
  readonly path: string
  readonly shown: ShownOutput
  readonly wholeLines: boolean
  at: bigint
  /** Its beginning may be a hole, which a cut has left. */
  holed: boolean
  /** The rest of a line that began before is left out. */
  torn: boolean
}

/** Reads the outputs of one watch's launches, one launch after the other. */
export const makePrintedFeed = Effect.fnUntraced(function* <E, R>({
  earlier,
  endsLines,
  hidden = () => Effect.succeed(false),
  print,
  shown,
  wholeLines
}: FeedOptions<E, R>) {
  const fs = yield* FileSystem.FileSystem
  const { outputPath } = yield* Launcher
  const one = yield* Semaphore.make(1)
  let [launchId, kind]: [string | undefined, Watch["kind"]] = [undefined, "command"]
  let readings: ReadonlyArray<Reading> = []
  let [inLine, silent] = [false, true]

  const look = (path: string) =>
    Effect.map(
      Effect.option(fs.stat(path)),
      Option.match({
        onNone: () => ({ size: 0n, cut: false }),
        onSome: ({ blocks, size }) => ({
          size: BigInt(size),
          cut: BigInt(size) > leftBytes && Option.exists(blocks, (used) => BigInt(used) * 512n < BigInt(size))
        })
      })
    )
  const put = Effect.fnUntraced(function* (text: string, on: PrintedOn) {
    if (text === "") return
    if (on === "stdout") inLine = !text.endsWith("\n")
    yield* print(text, on, launchId ?? "")
  })
  /** Leaves out what is not kept any more, and the rest of a line that began before. */
  const wanted = (its: Reading, piece: Uint8Array): Uint8Array => {
    let from = 0
    if (its.holed) {
      its.holed = Buffer.compare(piece, hole.subarray(0, piece.length)) === 0
      from = its.holed ? piece.length : piece.findIndex((byte) => byte !== 0)
      if (from > 0) its.torn = its.wholeLines
    }
    if (its.torn && from < piece.length) {
      const end = piece.indexOf(lineFeed, from) + 1
      its.torn = end === 0
      from = end === 0 ? piece.length : end
    }
    return from === 0 ? piece : piece.subarray(from)
  }
  const more = Effect.fnUntraced(function* (its: Reading) {
    const { size } = yield* look(its.path)
    if (size <= its.at) return
    silent = false
    const bytes = fs.stream(its.path, { offset: its.at, bytesToRead: size - its.at, chunkSize: chunk })
    yield* Stream.runForEach(bytes, (piece) => put(its.shown.push(wanted(its, piece)), its.on))
    its.at = size
  })
  const all = Effect.suspend(() => Effect.forEach(readings, more, { discard: true }))
  const close = Effect.suspend(() => Effect.forEach(readings, (its) => put(its.shown.end(), its.on), { discard: true }))
  const begin = Effect.fnUntraced(function* (watch: Watch, id: string, first: boolean) {
    const isHidden = yield* hidden(id)
    const reading = Effect.fnUntraced(function* (on: PrintedOn) {
      const path = outputPath(id, on)
      const { cut, size } = yield* look(path)
      const isTail = first && earlier === "end"
      const wished = isTail ? tailBytes : cut ? keptBytes : size
      const at = size > wished ? size - wished : 0n
      const whole = wholeLines(watch, on)
      return {
        on,
        path,
        shown: yield* shown(watch, on),
        wholeLines: whole,
        at,
        holed: cut && !isTail,
        torn: whole && at > 0n
      } satisfies Reading
    })
    return isHidden ? [] : yield* Effect.forEach(["stdout", "stderr"] as const, reading)
  })
  return {
    /** Prints what the newest launch of a watch has printed since the last call. */
    print: Effect.fn("PrintedFeed.print")(function* (watch: Watch) {
      yield* all
      // A first launch may end before its session begins, and its output says why.
      const failed = watch.generation === 0 && watch.failures.length > 0
      const newest = failed ? watch.firstLaunch?.launchId : watch.launchId
      if (newest === undefined || newest === launchId) return
      const first = launchId === undefined
      yield* close
      if (endsLines && inLine && kind === "agent") yield* put("\n", "stdout")
      launchId = newest
      kind = watch.kind
      silent = true
      readings = yield* begin(watch, newest, first)
      yield* all
    }, one.withPermits(1)),
    close: one.withPermits(1)(close),
    /** Returns whether the newest launch has printed nothing. */
    silent: () => silent
  }
})
