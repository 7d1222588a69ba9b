/** The first line of souffleur's own export. A conversation cannot know its nonce (spec: behaviour#export). */
const header = /^\ufeff?<!-- souffleur-export v1 nonce=([0-9a-f]{32}) -->$/
/** A first line that was meant to be such a header, or is a part of one. */
const remains = /<!--.*souffleur|souffleur-export|nonce=/i

/**
 * `Foreign`: another program made it. `Damaged`: souffleur's header is there but not whole, so a marker cannot be told
 * from a quoted one.
 */
export type ExportHeader =
  | { readonly _tag: "Own"; readonly nonce: string }
  | { readonly _tag: "Foreign" }
  | { readonly _tag: "Damaged" }

/** souffleur's header is shorter than this many bytes. */
export const headerBytes = 256

/** Reads the header from the start of a file: its first {@link headerBytes}, or the whole file when it is shorter. */
export const readHeader = (start: string): ExportHeader => {
  const [line = ""] = start.split("\n", 1)
  const nonce = header.exec(line)?.[1]
  if (nonce !== undefined) return { _tag: "Own", nonce }
  return remains.test(line) ? { _tag: "Damaged" } : { _tag: "Foreign" }
}

/** Writes the line that ends the header of an export. */
export const conversationLine = (nonce: string) => `<!-- souffleur-conversation nonce=${nonce} -->`
/** Writes the line that marks a compaction in an export. */
export const compactMarkerLine = (nonce: string) => `<!-- compact_boundary nonce=${nonce} -->`
