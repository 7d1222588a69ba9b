import { Arbitrary, Effect, Schema } from "effect"

/** Words of others, in which everything is that souffleur's own sentences have too. */
export const quoted =
  "quoted: The Conductor (S2) in /srv/the Conductor (S2)/claude is dead: a Conductor, until 2026-03-01T03:00:00.000Z."

/** Holds if a sentence has the words of others unchanged, or none of them. */
export const keepsQuoted = (sentence: string): boolean => !/quoted/iu.test(sentence) || sentence.includes(quoted)

/** Returns a value with words of others in the place of each of its texts, one text at a time. */
const withEach = (value: unknown): ReadonlyArray<unknown> => {
  if (typeof value === "string") return [quoted]
  if (Array.isArray(value)) return value.flatMap((one, n) => withEach(one).map((other) => value.with(n, other)))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => withEach(one).map((other) => ({ ...value, [key]: other })))
}

/** Draws events of a schema, the same each time, and quotes others in each text that the schema leaves free. */
export const quotingEvents = <E>(schema: Schema.Schema<E>) =>
  Effect.map(Arbitrary.sampleEffect(Arbitrary.schema(schema), { seed: 20_260_301, count: 300 }), (drawn) =>
    drawn.flatMap(withEach).filter(Schema.is(schema))
  )
