import type { EventCodec, Fold, Tagged } from "@souffleur/eventlog"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { createHash } from "node:crypto"

/** Events that are drawn from the schema, the same each time. */
const drawn = { seed: 20_260_301, count: 400 }

interface Corpus<E extends Tagged> {
  readonly codec: EventCodec<E>
  readonly schema: Schema.Schema<E>
  readonly examples: ReadonlyArray<E>
}

/** Reads an event as a log gives it. */
const stored = <E extends Tagged>(codec: EventCodec<E>, event: E): E =>
  Result.getOrThrow(codec.decode("stream", 1, codec.encode(event)))

/** Returns one of each event, and many that are drawn. */
export const corpusOf = <E extends Tagged>({ codec, examples, schema }: Corpus<E>) =>
  Effect.map(Arbitrary.sampleEffect(Arbitrary.schema(schema), drawn), (more) => ({
    examples: examples.map((event) => stored(codec, event)),
    drawn: more.map((event) => stored(codec, event))
  }))

/**
 * Digests everything that a snapshot depends on. It takes the schema of the state, its beginning, and what the fold
 * makes of each event in many states. It also takes the end and the words of each state, and the fields of a brief.
 */
export const fingerprintOf = Effect.fnUntraced(function* <S extends { readonly revision: number }, E extends Tagged>(
  { brief, evolve, initial, isEnded, keysOf, schema }: Fold<S, E>,
  corpus: Corpus<E>
) {
  const { drawn, examples } = yield* corpusOf(corpus)
  const hash = createHash("sha256")
  const take = (state: S): S => {
    hash.update(JSON.stringify([state, isEnded(state), keysOf(state)]))
    return state
  }
  hash.update(JSON.stringify([Schema.toJsonSchemaDocument(schema), brief]))
  take(initial)
  for (const order of [examples, examples.toReversed()]) {
    const last = order.reduce((state, event) => {
      for (const other of examples) take(evolve(state, other))
      return evolve(state, event)
    }, initial)
    for (const event of drawn) take(evolve(last, event))
  }
  drawn.reduce((state, event) => take(evolve(state, event)), initial)
  return hash.digest("hex").slice(0, 16)
})
