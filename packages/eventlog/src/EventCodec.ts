// Decoding is most of a rebuild: compiled decoders halve it, and must be enabled before the first one is made.
import "effect/schema/SchemaJITCompiler/enable"
import { Result, Schema, SchemaIssue } from "effect"
import { UnreadableEvent } from "./Log.ts"

/** An event as a store keeps it: what a log is searched by, and the rest as JSON. */
export interface StoredEvent {
  readonly tag: string
  /** Of the tag's fields, as written. */
  readonly version: number
  /** Epoch milliseconds. */
  readonly at: number
  /** The JSON object of every other field. */
  readonly data: string
}

/** What every event has. */
export interface Tagged {
  readonly _tag: string
  readonly at: number
}

/** How the events of one kind of aggregate are stored. */
export interface EventCodec<E extends Tagged> {
  /** The beginning of its streams' names; `null` is a watch, whose id has no slash. */
  readonly prefix: string | null
  /** Every tag that this souffleur knows. */
  readonly tags: ReadonlyArray<E["_tag"]>
  /** Throws a `SchemaError` for a value that its own schema rejects: a defect of whoever made it, never stored. */
  readonly encode: (event: E) => StoredEvent
  /**
   * Never skips and never guesses: what cannot be read names itself. An older version is read through its decoding
   * defaults.
   */
  readonly decode: (stream: string, revision: number, stored: StoredEvent) => Result.Result<E, UnreadableEvent>
}

const issues = SchemaIssue.makeFormatterStandardSchemaV1()
/** Where it is wrong and never what stood there. */
const places = (error: Schema.SchemaError) =>
  issues(error.issue)
    .issues.map(
      ({ path }) => (path ?? []).map((key) => String(typeof key === "object" ? key.key : key)).join(".") || "the whole"
    )
    .join(", ")

const unreadable = (stream: string, revision: number, { tag, version }: StoredEvent, problem: string) =>
  Result.fail(new UnreadableEvent({ stream, revision, tag, version, problem }))

/** The codec of a union of events, each with the version that this souffleur writes. */
export const eventCodec = <E extends Tagged>(
  prefix: string | null,
  members: ReadonlyArray<
    Schema.Codec<E, Tagged> & {
      readonly fields: { readonly _tag: { readonly schema: { readonly literal: E["_tag"] } } }
    }
  >,
  versionOf: (tag: E["_tag"]) => number
): EventCodec<E> => {
  // One codec a tag: looked up, where decoding the union would try.
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
        return unreadable(stream, revision, stored, "this souffleur does not know such an event: a newer one wrote it")
      if (stored.version > codec.version) {
        return unreadable(
          stream,
          revision,
          stored,
          `this souffleur reads versions up to ${codec.version}: a newer one wrote it`
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
      // The same value, without the error that it does not have: a million of them are not made anew.
      return decoded as Result.Success<E, never>
    }
  }
}
