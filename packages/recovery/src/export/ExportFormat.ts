/** The frame of an export of our own; what a conversation says cannot know its nonce (spec: behaviour#export). */
const header = /^\ufeff?<!-- souffleur-export v1 nonce=([0-9a-f]{32}) -->$/
/** A first line that was meant to be such a header, or is what is left of one. */
const remains = /<!--.*souffleur|souffleur-export|nonce=/i

/**
 * `Foreign`: made by something else. `Damaged`: the header is ours and not whole, so that no marker can be told from a
 * quoted one.
 */
export type ExportHeader =
  | { readonly _tag: "Own"; readonly nonce: string }
  | { readonly _tag: "Foreign" }
  | { readonly _tag: "Damaged" }

/** Our header is shorter than this many bytes. */
export const headerBytes = 256

/** Judges by how a file begins: its first {@link headerBytes}, or all that there are. */
export const readHeader = (start: string): ExportHeader => {
  const [line = ""] = start.split("\n", 1)
  const nonce = header.exec(line)?.[1]
  if (nonce !== undefined) return { _tag: "Own", nonce }
  return remains.test(line) ? { _tag: "Damaged" } : { _tag: "Foreign" }
}

export const conversationLine = (nonce: string) => `<!-- souffleur-conversation nonce=${nonce} -->`
export const compactMarkerLine = (nonce: string) => `<!-- compact_boundary nonce=${nonce} -->`
