import { Effect, FileSystem, type PlatformError, Runtime, Schema } from "effect"
import { countCharacters } from "./Characters.ts"
import { type CompactMarkers, foreignMarkers, ownMarkers, reachCharacters } from "./CompactMarkers.ts"
import { headerBytes, readHeader } from "./ExportFormat.ts"

/**
 * The tokens of an export, estimated on the careful side (spec: behaviour#estimate). The names are a contract:
 * `souffleur estimate --json` prints them.
 */
export const Estimate = Schema.Struct({
  /**
   * A third of the characters after the latest compact marker, rounded down; of the whole file when no marker counts.
   */
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

/** There is no estimate: the file cannot be read, is not a regular file, or changed meanwhile. The caller escalates. */
export class EstimateFailed extends Schema.TaggedError<EstimateFailed>()("EstimateFailed", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

const charactersPerToken = 3

const unreadable = ({ reason }: PlatformError.PlatformError, path: string) =>
  new EstimateFailed({
    message: `the export ${path} cannot be read: ${reason._tag === "NotFound" ? "it is not there" : reason._tag}`
  })

/** To V8 the text of a larger block is a large object. Garbage of those took a hundred megabytes for a gigabyte. */
const usualBlockBytes = 1 << 16

/**
 * Finds where the next window begins: at a line, or inside a line that is longer than a block. It never splits a
 * character or follows a slash.
 */
const cutOf = (window: string): number => {
  const last = window.length - reachCharacters
  const line = window.lastIndexOf("\n", last) + 1
  if (line > 1) return line
  return /[/\ud800-\udbff]/.test(window[last - 1]!) ? last - 1 : last
}

/**
 * Estimates in one pass of `blockBytes` at a time (at least 1 KB). It needs memory for a few blocks, whatever the size
 * of the file. Every decision reads at most {@link reachCharacters} characters ahead, so the block size changes
 * nothing. Fails with `EstimateFailed`.
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
export const estimate: (
  path: string,
  blockBytes?: number
) => Effect.Effect<Estimate, EstimateFailed, FileSystem.FileSystem> = Effect.fn("Estimate.estimate")(
  function* (path: string, blockBytes = usualBlockBytes) {
    const fs = yield* FileSystem.FileSystem
    // A pipe would block its opener.
    if ((yield* fs.stat(path)).type !== "File")
      return yield* new EstimateFailed({ message: "the export is not a regular file" })
    const file = yield* fs.open(path)
    const before = yield* file.stat

    // A short file needs only a short block.
    const block = new Uint8Array(Math.min(blockBytes, Math.max(1024, Number(before.size))))
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
    // The start of a file is the start of a line.
    let window = "\n"
    let markers: CompactMarkers | undefined
    let damaged = false
    let size = 0
    let characters = 0
    let charactersBeforeScope = 0
    for (let more = true; more;) {
      const read = yield* file.read(block)
      size += read
      more = read > 0
      window += decoder.decode(block.subarray(0, read), { stream: more })
      if (more && window.length <= 2 * reachCharacters) continue
      if (markers === undefined) {
        const header = readHeader(window.slice(1, 1 + headerBytes))
        damaged = header._tag === "Damaged"
        markers = header._tag === "Own" ? ownMarkers(header.nonce) : foreignMarkers()
      }
      const cut = more ? cutOf(window) : window.length
      const scopeStart = markers.look(window, cut)
      if (scopeStart >= 0) charactersBeforeScope = characters + countCharacters(window.slice(1, scopeStart))
      characters += countCharacters(window.slice(1, cut))
      window = window.slice(cut - 1)
    }

    const after = yield* file.stat
    if (BigInt(size) !== after.size || before.size !== after.size) {
      return yield* new EstimateFailed({ message: "the export changed while it was read" })
    }
    const count = markers?.count() ?? 0
    const doubt = damaged ? "the header of the export is damaged: the whole file is counted" : markers?.doubt()
    const scoped = doubt === undefined ? characters - charactersBeforeScope : characters
    return {
      estimated_tokens: Math.floor(scoped / charactersPerToken),
      estimated_tokens_full: Math.floor(characters / charactersPerToken),
      start_mode:
        doubt === undefined && charactersBeforeScope > 0 ? ("last_compact_marker" as const) : ("full_file" as const),
      marker_found: count > 0,
      marker_count: count,
      warnings: doubt === undefined ? [] : [doubt]
    }
  },
  Effect.scoped,
  (estimated, path) => Effect.catchTag(estimated, "PlatformError", (error) => unreadable(error, path))
)
