/** Fetches as the platform does. An answer with more bytes than that fails while it is read. */
export const boundedFetch =
  (maxBytes: number): typeof globalThis.fetch =>
  async (...request) => {
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
