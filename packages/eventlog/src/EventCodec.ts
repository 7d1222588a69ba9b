// Decoding takes most of the time of a rebuild. Compiled decoders halve it, and must be enabled before the first
// decoder is made.
import "effect/schema/SchemaJITCompiler/enable"
import { Result, Schema, SchemaIssue } from "effect"
import { UnreadableEvent } from "./Log.ts"

/** An event as a store keeps it: the fields that a log is searched by, and the rest as JSON. */
export interface StoredEvent {
  readonly tag: string
  /** The version of the tag's fields, as written. */
  readonly version: number
  /** Epoch milliseconds. */
  readonly at: number
  /** The JSON object of every other field. */
  readonly data: string
}

/** The fields that every event has. */
export interface Tagged {
  readonly _tag: string
  readonly at: number
}

/** How the events of one kind of aggregate are stored. */
export interface EventCodec<E extends Tagged> {
  /** The beginning of the names of its streams. `null`: a watch, whose id has no slash. */
  readonly prefix: string | null
  /** Every tag that this souffleur knows. */
  readonly tags: ReadonlyArray<E["_tag"]>
  /**
   * Encodes an event. Throws a `SchemaError` for a value that its own schema rejects. That is a defect of the caller,
   * and the value is never stored.
   */
  readonly encode: (event: E) => StoredEvent
  /**
   * Decodes an event, and never skips or guesses. Fails with `UnreadableEvent`, which names the event. An older version
   * is read through its decoding defaults.
   */
  readonly decode: (stream: string, revision: number, stored: StoredEvent) => Result.Result<E, UnreadableEvent>
}

const issues = SchemaIssue.makeFormatterStandardSchemaV1()
/** Names the places of the errors, never the values there. */
const places = (error: Schema.SchemaError) =>
  issues(error.issue)
    .issues.map(
      ({ path }) => (path ?? []).map((key) => String(typeof key === "object" ? key.key : key)).join(".") || "the whole"
    )
    .join(", ")

const unreadable = (stream: string, revision: number, { tag, version }: StoredEvent, problem: string) =>
  Result.fail(new UnreadableEvent({ stream, revision, tag, version, problem }))

/** Makes the codec of a union of events, each with the version that this souffleur writes. */
export const eventCodec = <E extends Tagged>(
  prefix: string | null,
  members: ReadonlyArray<
    Schema.Codec<E, Tagged> & {
      readonly fields: { readonly _tag: { readonly schema: { readonly literal: E["_tag"] } } }
    }
  >,
  versionOf: (tag: E["_tag"]) => number
): EventCodec<E> => {
  // One codec for each tag: a lookup is faster than the union, which would try its members.
  const codecs = new Map(
    members.map((member) => {
      const tag = member.fields._tag.schema.literal
      const schema: Schema.Codec<E, Tagged> = member
      return [
        tag as string,
        { version: versionOf(tag), encode: Schema.encodeSync(schema), decode: Schema.decodeUnknownResult(schema) }
      ]
    })
  )
  return {
    prefix,
    tags: members.map(({ fields }) => fields._tag.schema.literal),
    encode: (event) => {
      const codec = codecs.get(event._tag)!
      const { _tag: tag, at, ...data } = codec.encode(event)
      return { tag, version: codec.version, at, data: JSON.stringify(data) }
    },
    decode: (stream, revision, stored) => {
      const codec = codecs.get(stored.tag)
      if (codec === undefined)
        return unreadable(
          stream,
          revision,
          stored,
          "this souffleur does not know this event: a newer souffleur wrote it"
        )
      if (stored.version > codec.version) {
        return unreadable(
          stream,
          revision,
          stored,
          `this souffleur reads versions up to ${codec.version}: a newer souffleur wrote it`
        )
      }
      let fields: { _tag?: string; at?: number }
      try {
        fields = JSON.parse(stored.data) as typeof fields
      } catch {
        return unreadable(stream, revision, stored, "its data is no JSON")
      }
      if (typeof fields !== "object" || fields === null)
        return unreadable(stream, revision, stored, "its data is no JSON object")
      fields._tag = stored.tag
      fields.at = stored.at
      const decoded = codec.decode(fields)
      if (Result.isFailure(decoded))
        return unreadable(stream, revision, stored, `its data does not fit at: ${places(decoded.failure)}`)
      // The cast keeps the same value. A copy for each of a million events would cost time.
      return decoded as Result.Success<E, never>
    }
  }
}
