import type { ByteKernel } from "./ByteKernel.ts"

/** What must be there beside bytes that are counted: 3 readable bytes before them, 64 that may be written and restored after them. */
export const slack = 64

const pieceBytes = 65_536

/** Invalid bytes count as WHATWG and Python's `errors="replace"` agree: one U+FFFD for each maximal part of a sequence. */
const decoded = (bytes: Uint8Array): number => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let characters = 0
  const count = (text: string) => {
    characters += text.length
    // A pair of surrogates is one code point; a decoder never gives half of one.
    for (let index = 0; index < text.length; index++) if ((text.charCodeAt(index) & 0xfc00) === 0xd800) characters--
  }
  for (let from = 0; from < bytes.length; from += pieceBytes)
    count(decoder.decode(bytes.subarray(from, from + pieceBytes), { stream: true }))
  count(decoder.decode())
  return characters
}

/**
 * Unicode code points in the kernel's memory from `from` to `to`, both where a character begins (spec: behaviour#estimate), with
 * {@link slack} around them.
 */
export const countCharacters = (kernel: ByteKernel, from: number, to: number): number => {
  const bytes = kernel.memory
  const end = from + Math.ceil((to - from) / 64) * 64
  const after = bytes.slice(to, end)
  bytes.fill(0, to, end)
  const continuations = kernel.continuations(from, end)
  bytes.set(after, to)
  return continuations < 0 ? decoded(bytes.subarray(from, to)) : to - from - continuations
}

const isContinuation = (byte: number) => (byte & 0xc0) === 0x80

/** The last position up to `at` where a character begins, valid or not: a sequence is never longer than four bytes. */
export const characterStart = (bytes: Uint8Array, at: number): number => {
  for (let back = 0; back <= 3 && back <= at; back++) if (!isContinuation(bytes[at - back]!)) return at - back
  return at
}
