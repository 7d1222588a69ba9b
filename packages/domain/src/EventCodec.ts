// Decoding is most of a rebuild: compiled decoders halve it, and must be enabled before the first one is made.
import "effect/schema/SchemaJITCompiler/enable"
import { Result, Schema, SchemaIssue } from "effect"
import { UnreadableEvent } from "./EventLog.ts"
import { versionOf, WatchEvent } from "./WatchEvent.ts"

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

type Tag = WatchEvent["_tag"]
interface Codec {
  readonly version: number
  readonly encode: (event: WatchEvent) => { readonly _tag: string; readonly at: number }
  readonly decode: (input: unknown) => Result.Result<WatchEvent, Schema.SchemaError>
}

/** One codec a tag: looked up, where decoding the union would try. */
const codecs: ReadonlyMap<string, Codec> = new Map(
  WatchEvent.members.map((member): readonly [Tag, Codec] => {
    const schema: Schema.Codec<WatchEvent, { readonly _tag: string; readonly at: number }> = member
    const tag = member.fields._tag.schema.literal
    return [tag, { version: versionOf(tag), encode: Schema.encodeSync(schema), decode: Schema.decodeUnknownResult(schema) }]
  })
)

/** Every tag that this souffleur knows. */
export const eventTags: ReadonlyArray<Tag> = [...codecs.keys()] as ReadonlyArray<Tag>

/** Throws a `SchemaError` for a value that its own schema rejects: a defect of whoever made it, never stored. */
export const encodeEvent = (event: WatchEvent): StoredEvent => {
  const codec = codecs.get(event._tag)!
  const { _tag: tag, at, ...data } = codec.encode(event)
  return { tag, version: codec.version, at, data: JSON.stringify(data) }
}

const issues = SchemaIssue.makeFormatterStandardSchemaV1()
/** Where it is wrong and never what stood there. */
const places = (error: Schema.SchemaError) =>
  issues(error.issue)
    .issues.map(({ path }) => (path ?? []).map((key) => String(typeof key === "object" ? key.key : key)).join(".") || "the whole")
    .join(", ")

const unreadable = (stream: string, revision: number, { tag, version }: StoredEvent, why: string) =>
  Result.fail(new UnreadableEvent({ stream, revision, tag, version, why }))

/** Never skips and never guesses: what cannot be read names itself. An older version is read through its decoding defaults. */
export const decodeEvent = (stream: string, revision: number, stored: StoredEvent): Result.Result<WatchEvent, UnreadableEvent> => {
  const codec = codecs.get(stored.tag)
  if (codec === undefined) return unreadable(stream, revision, stored, "this souffleur does not know such an event: a newer one wrote it")
  if (stored.version > codec.version) {
    return unreadable(stream, revision, stored, `this souffleur reads versions up to ${codec.version}: a newer one wrote it`)
  }
  let fields: { _tag?: string; at?: number }
  try {
    fields = JSON.parse(stored.data) as typeof fields
  } catch {
    return unreadable(stream, revision, stored, "its data is no JSON")
  }
  if (typeof fields !== "object" || fields === null) return unreadable(stream, revision, stored, "its data is no JSON object")
  fields._tag = stored.tag
  fields.at = stored.at
  const decoded = codec.decode(fields)
  if (Result.isFailure(decoded)) return unreadable(stream, revision, stored, `its data does not fit at: ${places(decoded.failure)}`)
  // The same value, without the error that it does not have: a million of them are not made anew.
  return decoded as Result.Success<WatchEvent, never>
}
