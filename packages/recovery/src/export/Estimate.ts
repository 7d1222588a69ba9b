import { readTroubleOf } from "@souffleur/process"
import { Effect, FileSystem, type PlatformError, Runtime, Schema } from "effect"
import { countCharacters } from "./Characters.ts"
import { behindCharacters, type CompactMarkers, foreignMarkers, ownMarkers, reachCharacters } from "./CompactMarkers.ts"
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
  /** Characters of the scope. */
  chars_scoped: Schema.Int,
  /** Characters of the whole file. A line ending is one of them. */
  chars_full: Schema.Int,
  start_mode: Schema.Literals(["last_compact_marker", "full_file"]),
  /** Characters before the scope. */
  start_offset: Schema.Int,
  marker_found: Schema.Boolean,
  marker_count: Schema.Int,
  /** Sentences for a person; nothing of the conversation. */
  warnings: Schema.Array(Schema.String)
})
export type Estimate = typeof Estimate.Type

/** There is no estimate: the file cannot be read, is not a regular file, or changed meanwhile. The caller escalates. */
export class EstimateFailed extends Schema.TaggedError<EstimateFailed>()("EstimateFailed", {
  message: Schema.String,
  /** True if there is no regular file of that name. */
  missing: Schema.Boolean
}) {
  override readonly [Runtime.errorExitCode] = this.missing ? 2 : 3
}

const charactersPerToken = 3

const unreadable = (error: PlatformError.PlatformError, path: string) => {
  const missing = error.reason._tag === "NotFound"
  const trouble = missing ? "it is not there" : readTroubleOf(error)
  return new EstimateFailed({ message: `the export ${path} cannot be read: ${trouble}`, missing })
}

/** To V8 the text of a larger block is a large object. Garbage of those took a hundred megabytes for a gigabyte. */
const usualBlockBytes = 1 << 16

/**
 * Finds where the next window begins: at a line, or inside a line that is longer than a block. It never splits a
 * character.
 */
const cutOf = (window: string): number => {
  const last = window.length - reachCharacters
  const line = window.lastIndexOf("\n", last) + 1
  if (line > behindCharacters) return line
  return /[\ud800-\udbff]/.test(window[last - 1]!) ? last - 1 : last
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
      return yield* new EstimateFailed({ message: `the export ${path} is not a regular file`, missing: true })
    const file = yield* fs.open(path)
    const { size: expected } = yield* file.stat

    // A short file needs only a short block.
    const block = new Uint8Array(Math.min(blockBytes, Math.max(1024, Number(expected))))
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
    // The start of a file is the start of a line.
    let window = "\n".repeat(behindCharacters)
    /** A carriage return at the end of a block. It may be the first half of a line ending. */
    let held = ""
    let markers: CompactMarkers | undefined
    let damaged = false
    let characters = 0
    let charactersBeforeScope = 0
    for (let more = true; more;) {
      const read = yield* file.read(block)
      more = read > 0
      const text = held + decoder.decode(block.subarray(0, read), { stream: more })
      held = more && text.endsWith("\r") ? "\r" : ""
      window += text.slice(0, text.length - held.length).replaceAll(/\r\n?/gu, "\n")
      if (more && window.length <= 2 * reachCharacters) continue
      if (markers === undefined) {
        const header = readHeader(window.slice(behindCharacters, behindCharacters + headerBytes))
        damaged = header._tag === "Damaged"
        markers = header._tag === "Own" ? ownMarkers(header.nonce) : foreignMarkers()
      }
      const cut = more ? cutOf(window) : window.length
      const scopeStart = markers.look(window, cut)
      if (scopeStart >= 0)
        charactersBeforeScope = characters + countCharacters(window.slice(behindCharacters, scopeStart))
      characters += countCharacters(window.slice(behindCharacters, cut))
      window = window.slice(cut - behindCharacters)
    }

    const { size: found } = yield* file.stat
    if (found !== expected)
      return yield* new EstimateFailed({ message: `the export ${path} changed while it was read`, missing: false })
    const count = markers?.count() ?? 0
    const doubt = damaged ? "the header of the export is damaged: the whole file is counted" : markers?.doubt()
    const before = doubt === undefined ? charactersBeforeScope : 0
    return {
      estimated_tokens: Math.floor((characters - before) / charactersPerToken),
      estimated_tokens_full: Math.floor(characters / charactersPerToken),
      chars_scoped: characters - before,
      chars_full: characters,
      start_mode: before > 0 ? ("last_compact_marker" as const) : ("full_file" as const),
      start_offset: before,
      marker_found: count > 0,
      marker_count: count,
      warnings: doubt === undefined ? [] : [doubt]
    }
  },
  Effect.scoped,
  (estimated, path) => Effect.catchTag(estimated, "PlatformError", (error) => unreadable(error, path))
)
