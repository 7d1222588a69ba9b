import { EventLog, evolve, load, plain, type Watch } from "@souffleur/domain"
import { Effect, FileSystem, Option, Ref, Stdio, Stream } from "effect"

/** How often an output is looked at. */
const every = "200 millis"
/** Bytes of what was said before, that are shown. */
const before = 16_384n
/** Bytes that are read at once. */
const chunk = 65_536

const sizeOf = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(path))
  return Option.match(info, { onNone: () => 0n, onSome: ({ size }) => BigInt(size) })
})

/** The text of an agent: a terminal obeys nothing of it but its lines and its tabs. */
const asText = (decoder: TextDecoder) => (bytes: Uint8Array) =>
  decoder.decode(bytes, { stream: true }).replaceAll(/[^\n\t]+/gu, (words) => plain(words))

/**
 * What a file holds from `from` on, to standard output; succeeds with where it ended. A pipe or a file gets it byte for
 * byte.
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
 * The output of each headless generation of a watch, as it comes, until the watch ends: a little of what was said
 * before, then all of it; on a terminal what it would obey is shown. `heading` is told at the beginning of each.
 */
export const follow = Effect.fn("Following.follow")(function* (
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
    // Asked before it is read: what was said last is in the file when the watch has ended.
    const watch = yield* Ref.get(now)
    if (launchId !== undefined) at = yield* copy(outputOf(launchId), at, shown)
    if (watch.launchId !== undefined && watch.launchId !== launchId) {
      const size = launchId === undefined ? yield* sizeOf(outputOf(watch.launchId)) : 0n
      launchId = watch.launchId
      shown = asText(new TextDecoder())
      at = size > before ? size - before : 0n
      yield* heading(watch)
      at = yield* copy(outputOf(launchId), at, shown)
    }
    if (watch.phase === "Exited") return
    yield* Effect.sleep(every)
  }
}, Effect.scoped)
