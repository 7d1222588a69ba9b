import { Effect, FileSystem, type PlatformError, Schema } from "effect"
import { makeByteKernel } from "./ByteKernel.ts"
import { characterStart, countCharacters } from "./Characters.ts"
import { type CompactMarkers, foreignMarkers, ownMarkers, reach } from "./CompactMarkers.ts"
import { readHeader } from "./ExportFormat.ts"

/**
 * The tokens of an export, on the careful side (spec: behaviour#estimate). The names are a contract: `souffleur estimate --json` prints
 * them.
 */
export const Estimate = Schema.Struct({
  /** A third of the characters after the latest compact marker, rounded down; of the whole file where no marker counts. */
  estimated_tokens: Schema.Int,
  /** A third of all characters, rounded down. */
  estimated_tokens_full: Schema.Int,
  start_mode: Schema.Literals(["last_compact_marker", "full_file"]),
  marker_found: Schema.Boolean,
  marker_count: Schema.Int,
  /** Sentences for a person; nothing of the conversation. */
  warnings: Schema.Array(Schema.String)
})
export type Estimate = typeof Estimate.Type

/** An estimate and the threshold that it was held against then: the outcome of the gate's step (spec: behaviour#claude_export). */
export const Gate = Schema.Struct({
  ...Estimate.fields,
  threshold: Schema.Int,
  /** Context in use as the service last counted it, beside the estimate: by it the error of `characters / 3` is known. */
  measured_tokens: Schema.NullOr(Schema.Int)
})
export type Gate = typeof Gate.Type

/** There is no estimate: the file cannot be read, is no file, or changed meanwhile. The caller escalates. */
export class EstimateFailed extends Schema.TaggedError<EstimateFailed>()("EstimateFailed", { why: Schema.String }) {}

const charactersPerToken = 3

/** In memory: what stood before the window, the window, room for what the kernel writes. */
const windowStart = reach

const unreadable = (error: PlatformError.PlatformError) => new EstimateFailed({ why: `the export cannot be read: ${error.reason._tag}` })

/**
 * Estimates in one pass of `blockBytes` at a time (at least 1 KB), with memory for two of them at most whatever the file's size.
 * Every decision looks at most {@link reach} bytes away, so the block size changes nothing.
 *
 * @example
 * ```ts
 * import { estimate } from "@souffleur/recovery"
 * import { Effect } from "effect"
 *
 * const fits = estimate("/tmp/export.md").pipe(
 *   Effect.map(({ estimated_tokens }) => estimated_tokens <= 400_000),
 *   Effect.catchTag("EstimateFailed", () => Effect.succeed(false))
 * )
 * ```
 */
export const estimate: (path: string, blockBytes?: number) => Effect.Effect<Estimate, EstimateFailed, FileSystem.FileSystem> = Effect.fn(
  "Estimate.estimate"
)(
  function* (path: string, blockBytes = 1 << 20) {
    const fs = yield* FileSystem.FileSystem
    // A pipe would block its opener.
    if ((yield* fs.stat(path)).type !== "File") return yield* new EstimateFailed({ why: "the export is not a regular file" })
    const file = yield* fs.open(path)
    const before = yield* file.stat

    // Of a short file no more than it needs.
    const block = Math.min(blockBytes, Math.max(1024, Number(before.size)))
    const windowEnd = windowStart + 2 * reach + block
    const found = windowEnd + reach
    const kernel = makeByteKernel(found + block)
    const bytes = kernel.memory
    const words = new DataView(bytes.buffer)
    // A file begins where a line begins.
    bytes.fill(10, 0, windowStart)

    let markers: CompactMarkers | undefined
    let damaged = false
    let end = windowStart
    let size = 0
    let characters = 0
    let charactersBeforeScope = 0
    for (let more = true; more;) {
      const read = yield* file.read(bytes.subarray(end, windowEnd))
      size += read
      end += read
      more = read > 0
      if (more && end <= windowStart + reach) continue
      if (markers === undefined) {
        const header = readHeader(bytes.subarray(windowStart, Math.min(end, windowStart + reach)))
        damaged = header._tag === "Damaged"
        markers = header._tag === "Own" ? ownMarkers(bytes, header.nonce) : foreignMarkers(bytes, windowStart)
      }
      const cut = more ? characterStart(bytes, end - reach) : end
      if (!more) bytes.fill(0, end, Math.min(end + reach, found))

      let scopeStart = -1
      const pairs = kernel.candidates(markers.kind, windowStart, windowStart + Math.ceil((cut - windowStart) / 64) * 64, found)
      for (let pair = found; pair < found + pairs * 8; pair += 8) {
        const step = words.getInt32(pair, true)
        for (let bits = words.getInt32(pair + 4, true); bits !== 0; bits &= bits - 1) {
          const at = step + 31 - Math.clz32(bits & -bits)
          if (at < cut) scopeStart = Math.max(scopeStart, markers.visit(at))
        }
      }
      if (scopeStart >= 0) charactersBeforeScope = characters + countCharacters(kernel, windowStart, scopeStart)
      characters += countCharacters(kernel, windowStart, cut)
      markers.move(cut, windowStart)
      bytes.copyWithin(0, cut - windowStart, end)
      end -= cut - windowStart
    }

    const after = yield* file.stat
    if (BigInt(size) !== after.size || before.size !== after.size) {
      return yield* new EstimateFailed({ why: "the export changed while it was read" })
    }
    const count = markers?.count() ?? 0
    const doubt = damaged ? "the header of the export is damaged: the whole file is counted" : markers?.doubt()
    const scoped = doubt === undefined ? characters - charactersBeforeScope : characters
    return {
      estimated_tokens: Math.floor(scoped / charactersPerToken),
      estimated_tokens_full: Math.floor(characters / charactersPerToken),
      start_mode: doubt === undefined && charactersBeforeScope > 0 ? ("last_compact_marker" as const) : ("full_file" as const),
      marker_found: count > 0,
      marker_count: count,
      warnings: doubt === undefined ? [] : [doubt]
    }
  },
  Effect.scoped,
  Effect.catchTag("PlatformError", unreadable)
)
