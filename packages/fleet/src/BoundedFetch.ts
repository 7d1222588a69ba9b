/** The most bytes of an answer. */
const maxBytes = 16_000_000

/** Fetches as the platform does. An answer fails while it is read, once it is longer than a hub's ever is. */
export const boundedFetch: typeof globalThis.fetch = async (...request) => {
  const answer = await globalThis.fetch(...request)
  if (answer.body === null) return answer
  let bytes = 0
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, body) => {
      bytes += chunk.length
      if (bytes > maxBytes) body.error(new Error(`the answer has more than ${maxBytes} bytes`))
      else body.enqueue(chunk)
    }
  })
  return new Response(answer.body.pipeThrough(bounded), answer)
}
