import { EventLog, evolve, load, plain, type Watch } from "@souffleur/domain"
import { Effect, FileSystem, Option, Ref, Stdio, Stream } from "effect"

/** The time between two looks at an output. */
const pollInterval = "200 millis"
/** Bytes of earlier output that are shown first. */
const tailBytes = 16_384n
/** Bytes of one read. */
const chunk = 65_536

const sizeOf = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(path))
  return Option.match(info, { onNone: () => 0n, onSome: ({ size }) => BigInt(size) })
})

/** Decodes an agent's output, and disarms it for a terminal. Line breaks and tabs stay. */
const asText = (decoder: TextDecoder) => (bytes: Uint8Array) =>
  decoder.decode(bytes, { stream: true }).replaceAll(/[^\n\t]+/gu, (words) => plain(words))

/**
 * Copies a file from `from` on to standard output, and returns the offset where it ended. A pipe or a file gets the
 * bytes unchanged.
 */
const copy = Effect.fnUntraced(function* (path: string, from: bigint, shown: (bytes: Uint8Array) => string) {
  const fs = yield* FileSystem.FileSystem
  const { stdout, stdoutIsTerminal } = yield* Stdio.Stdio
  const size = yield* sizeOf(path)
  if (size <= from) return from
  const bytes = fs.stream(path, { offset: from, bytesToRead: size - from, chunkSize: chunk })
  const out = stdout({ endOnDone: false })
  yield* (yield* stdoutIsTerminal) ? Stream.run(Stream.map(bytes, shown), out) : Stream.run(bytes, out)
  return size
})

/**
 * Prints the output of each headless generation of a watch until the watch ends. It begins with the end of the earlier
 * output. A terminal gets the text without control characters. `heading` runs at the beginning of each generation.
 */
export const follow = Effect.fn("follow")(function* (
  id: string,
  outputOf: (launchId: string) => string,
  heading: (watch: Watch) => Effect.Effect<void>
) {
  const log = yield* EventLog
  const first = yield* load(id)
  const now = yield* Ref.make(first)
  yield* log.changes(id, first.revision).pipe(
    Stream.runForEach(({ event }) => Ref.update(now, (watch) => evolve(watch, event))),
    Effect.forkScoped
  )
  let [launchId, at]: [string | undefined, bigint] = [undefined, 0n]
  let shown = asText(new TextDecoder())
  for (;;) {
    // The state is read before the output. So the last words are in the file when the watch has ended.
    const watch = yield* Ref.get(now)
    if (launchId !== undefined) at = yield* copy(outputOf(launchId), at, shown)
    if (watch.launchId !== undefined && watch.launchId !== launchId) {
      const size = launchId === undefined ? yield* sizeOf(outputOf(watch.launchId)) : 0n
      launchId = watch.launchId
      shown = asText(new TextDecoder())
      at = size > tailBytes ? size - tailBytes : 0n
      yield* heading(watch)
      at = yield* copy(outputOf(launchId), at, shown)
    }
    if (watch.phase === "Exited") return
    yield* Effect.sleep(pollInterval)
  }
}, Effect.scoped)
