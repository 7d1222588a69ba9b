import { maxPressUnits, serverUrl } from "@souffleur/domain"
import { Deferred, Duration, Effect, Option, Ref, Schema, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"

/** A topic of ntfy to listen to for a while, as the process that listens reads it. */
export const Listening = Schema.Struct({
  /** The address of the topic. */
  topic: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String),
  /** The id of the last message that was heard. `null`: every message that the server kept. */
  since: Schema.NullOr(Schema.String)
})
export type Listening = typeof Listening.Type

/** What was heard. `problem` has no word of the server and no address. `null`: the server answered. */
export const HeardPresses = Schema.Struct({
  messages: Schema.Array(Schema.Struct({ id: Schema.String, text: Schema.NullOr(Schema.String) })),
  problem: Schema.NullOr(Schema.String)
})
export type HeardPresses = typeof HeardPresses.Type
type Message = HeardPresses["messages"][number]

/** How long one process listens, and how much longer once it heard a message. */
export const listenFor = Duration.seconds(50)
const lingering = Duration.millis(500)
/** Bounds of what is read: UTF-16 units of a line, bytes in all, and messages. */
const [maxLine, maxBytes, maxMessages] = [4096, 262_144, 10] as const

const Id = Schema.String.check(Schema.isPattern(/^[\w-]{1,64}$/u))
const Line = Schema.fromJsonString(
  Schema.Struct({ id: Id, event: Schema.Literal("message"), message: Schema.optionalKey(Schema.String) })
)
const readLine = Schema.decodeUnknownOption(Line)

/** Reads a line of the stream. A line that is too long names its message at its beginning. */
const messageOf = (line: string): Message | undefined => {
  if (line.length >= maxLine) {
    const [, id] = /^\{"id":"([\w-]{1,64})"/u.exec(line) ?? []
    return id === undefined ? undefined : { id, text: null }
  }
  return Option.match(readLine(line), {
    onNone: () => undefined,
    // No press has another character, and the answer of this process is bounded.
    onSome: ({ id, message = "" }) => ({
      id,
      text: message.length > maxPressUnits ? null : /^[ -~]*$/u.test(message) ? message : ""
    })
  })
}

/** Splits a text at its line ends. Of a line no more is kept than shows that it is too long. */
const linesOf = (kept: string, text: string): readonly [rest: string, lines: ReadonlyArray<string>] => {
  const lines = text.split("\n").map((part, n) => (n === 0 ? kept + part : part).slice(0, maxLine))
  return [lines.at(-1) ?? "", lines.slice(0, -1)]
}

const failed = (problem: string): HeardPresses => ({ messages: [], problem })

/**
 * Listens to a topic until a message has come, or for a while. It reads lines as they come, and only so much of them.
 * It never fails.
 */
export const listen = Effect.fn("listen")(function* ({ headers, since, topic }: Listening) {
  if (serverUrl(topic) === undefined) return failed("its address is no https URL")
  const client = yield* HttpClient.HttpClient
  const heard = yield* Ref.make<ReadonlyArray<Message>>([])
  const first = yield* Deferred.make<void>()
  const request = HttpClientRequest.get(`${topic}/json?since=${since ?? "all"}`).pipe(
    HttpClientRequest.setHeaders(headers)
  )
  const reading = Effect.gen(function* () {
    const response = yield* client.execute(request)
    if (response.status !== 200) return `the server answered ${response.status}`
    let bytes = 0
    yield* response.stream.pipe(
      Stream.takeWhile((chunk) => (bytes += chunk.byteLength) <= maxBytes),
      Stream.decodeText,
      Stream.mapAccum(() => "", linesOf),
      Stream.flatMap((line) => Stream.fromIterable([messageOf(line)].filter((one) => one !== undefined))),
      Stream.take(maxMessages),
      Stream.runForEach((message) =>
        Effect.andThen(
          Ref.update(heard, (all) => [...all, message]),
          Deferred.succeed(first, undefined)
        )
      )
    )
    return null
  }).pipe(Effect.orElseSucceed(() => "the server could not be reached, or broke off"))
  const enough = Effect.andThen(Deferred.await(first), Effect.sleep(lingering))
  const problem = yield* Effect.raceFirst(reading, Effect.as(Effect.raceFirst(enough, Effect.sleep(listenFor)), null))
  const messages = yield* Ref.get(heard)
  return { messages, problem: messages.length === 0 ? problem : null } satisfies HeardPresses
})
