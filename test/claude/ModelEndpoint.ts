import * as http from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer, Option, Ref, Schema, Stream } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"

const Block = Schema.Struct({
  type: Schema.String,
  text: Schema.optionalKey(Schema.String),
  /** Of a tool result: text, or blocks of it. */
  content: Schema.optionalKey(Schema.Unknown)
})
const Body = Schema.Struct({
  model: Schema.String,
  stream: Schema.optionalKey(Schema.Boolean),
  output_config: Schema.optionalKey(Schema.Struct({ effort: Schema.optionalKey(Schema.String) })),
  tools: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  metadata: Schema.optionalKey(Schema.Struct({ user_id: Schema.String })),
  messages: Schema.Array(
    Schema.Struct({ role: Schema.String, content: Schema.Union([Schema.String, Schema.Array(Block)]) })
  )
})
const decodeBody = Schema.decodeUnknownOption(Schema.fromJsonString(Body))
const decodeUser = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ session_id: Schema.String })))

/** One request of the real agent, as the model sees it. */
export interface Asked {
  readonly sessionId: string
  readonly model: string
  /** `undefined`: it asks for none. */
  readonly effort: string | undefined
  /** Offers tools: a turn of the agent, not an errand such as a title. */
  readonly turn: boolean
  /** Asks for the summary of a compaction. */
  readonly compaction: boolean
  /** Texts of the last message of the user: reminders of the agent's own, then what the user said. */
  readonly said: ReadonlyArray<string>
  /** Of all messages, in one: what the model knows. */
  readonly known: string
  /** Of the last message; `undefined` when it is no answer to a tool call. */
  readonly toolResult: string | undefined
}

export interface Answer {
  readonly thinking?: string
  readonly text?: string
  readonly tool?: { readonly name: string; readonly input: Readonly<Record<string, unknown>> }
  /** The reason of its end, as a gateway may say it; `null`: it says none. */
  readonly stopReason?: string | null
  readonly refused?: Refusal
  /** It begins to answer, and then is silent for ever. */
  readonly stalls?: boolean
  /** The connection is cut in the middle of the answer. */
  readonly torn?: boolean
}

/** The service refuses the request. */
export interface Refusal {
  readonly status: number
  readonly type: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

export const tooLong: Answer = {
  refused: { status: 400, type: "invalid_request_error", message: "prompt is too long: 215000 tokens > 200000 maximum" }
}

/** A usage limit that ends at `resetsAt`, seconds since the epoch. */
export const limited = (resetsAt: number): Answer => ({
  refused: {
    status: 429,
    type: "rate_limit_error",
    message: "This request would exceed your account's rate limit.",
    headers: {
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-reset": String(resetsAt),
      "anthropic-ratelimit-unified-representative-claim": "five_hour"
    }
  }
})

type Message = (typeof Body.Type)["messages"][number]
const blocksOf = (message: Message | undefined) =>
  typeof message?.content === "string" ? [{ type: "text", text: message.content }] : (message?.content ?? [])
const textsOf = (message: Message | undefined) =>
  blocksOf(message).flatMap((block) => (block.type === "text" && block.text !== undefined ? [block.text] : []))

const read = (body: typeof Body.Type): Asked => {
  const last = body.messages.findLast(({ role }) => role === "user")
  const said = textsOf(last)
  const results = blocksOf(last).flatMap((block) =>
    block.type === "tool_result" && "content" in block ? [JSON.stringify(block.content)] : []
  )
  return {
    compaction: said.some((text) => text.includes("Your task is to create a detailed summary of the conversation")),
    sessionId: Option.match(decodeUser(body.metadata?.user_id), {
      onNone: () => "",
      onSome: ({ session_id }) => session_id
    }),
    model: body.model,
    effort: body.output_config?.effort,
    turn: (body.tools ?? []).length > 0,
    said,
    known: body.messages.flatMap(textsOf).join("\n"),
    toolResult: results.length === 0 ? undefined : results.join("\n")
  }
}

const contentOf = (answer: Answer, n: number): ReadonlyArray<Readonly<Record<string, unknown>>> => [
  ...(answer.thinking === undefined ? [] : [{ type: "thinking", thinking: answer.thinking, signature: "c2lnbmVk" }]),
  ...(answer.text === undefined ? [] : [{ type: "text", text: answer.text }]),
  ...(answer.tool === undefined ? [] : [{ type: "tool_use", id: `toolu_test_${n}`, ...answer.tool }])
]

const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const begin = (message: Readonly<Record<string, unknown>>) =>
  event("message_start", { message: { ...message, content: [], stop_reason: null } })

/** Server-sent events of the Messages API: each block whole, in one delta. */
const events = (
  message: Readonly<Record<string, unknown>>,
  content: ReturnType<typeof contentOf>,
  stopReason: string | null
): string => {
  const block = (whole: Readonly<Record<string, unknown>>, index: number) => {
    const [empty, deltas] =
      whole["type"] === "tool_use"
        ? [{ ...whole, input: {} }, [{ type: "input_json_delta", partial_json: JSON.stringify(whole["input"]) }]]
        : whole["type"] === "thinking"
          ? [
              { ...whole, thinking: "", signature: "" },
              [
                { type: "thinking_delta", thinking: whole["thinking"] },
                { type: "signature_delta", signature: whole["signature"] }
              ]
            ]
          : [{ ...whole, text: "" }, [{ type: "text_delta", text: whole["text"] }]]
    return [
      event("content_block_start", { index, content_block: empty }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index })
    ].join("")
  }
  return [
    begin(message),
    ...content.map(block),
    event("message_delta", { delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 10 } }),
    event("message_stop", {})
  ].join("")
}

const unfinished = (begun: string, then: Stream.Stream<never, string>) =>
  HttpServerResponse.stream(Stream.concat(Stream.encodeText(Stream.succeed(begun)), then), {
    contentType: "text/event-stream"
  })

/** Half of an answer, after which the connection is cut. */
export const torn = (answer: string) => unfinished(answer.slice(0, answer.length / 2), Stream.fail("cut"))

const answered = (body: typeof Body.Type, answer: Answer, n: number) => {
  const content = contentOf(answer, n)
  const { stopReason = answer.tool === undefined ? "end_turn" : "tool_use" } = answer
  const usage = { input_tokens: 1000, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const message = {
    id: `msg_test_${n}`,
    type: "message",
    role: "assistant",
    model: body.model,
    stop_sequence: null,
    usage
  }
  if (answer.stalls === true && body.stream === true) return unfinished(begin(message), Stream.never)
  if (answer.torn === true && body.stream === true) return torn(events(message, content, stopReason))
  return body.stream === true
    ? HttpServerResponse.text(events(message, content, stopReason), { contentType: "text/event-stream" })
    : HttpServerResponse.jsonUnsafe({ ...message, content, stop_reason: stopReason })
}

/** Serves an app on a port of loopback, and returns its address. */
export const onLoopback = Effect.fn("onLoopback")(function* <E>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, HttpServerRequest.HttpServerRequest>,
  server = http.createServer()
) {
  const serving = Layer.provideMerge(
    HttpServer.serve(app),
    NodeHttpServer.layerServer(() => server, { host: "127.0.0.1", port: 0, gracefulShutdownTimeout: 0 })
  )
  const { address } = Context.get(yield* Layer.build(serving), HttpServer.HttpServer)
  return HttpServer.formatAddress(address)
})

/** The Messages API of a model that says what it is told to, and remembers what it was asked. */
export const messagesApi = Effect.fn("messagesApi")(function* (part: (asked: Asked) => Effect.Effect<Answer>) {
  const log = yield* Ref.make<ReadonlyArray<Asked>>([])
  const words = yield* Ref.make<ReadonlyMap<string, string>>(new Map())
  const app = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { pathname } = new URL(request.url, "http://127.0.0.1")
    const body = pathname === "/v1/messages" ? decodeBody(yield* request.text) : Option.none()
    if (Option.isNone(body)) return HttpServerResponse.empty({ status: 404 })
    const asked = read(body.value)
    // A model that does not answer by a schema is asked once more, and stays with its words.
    if (asked.said.some((text) => text.startsWith("[structured-output-enforce]")))
      return answered(body.value, { text: (yield* Ref.get(words)).get(asked.sessionId) ?? "" }, 0)
    const n = yield* Ref.modify(log, (before) => [before.length + 1, [...before, asked]])
    const answer = asked.turn || asked.compaction ? yield* part(asked) : { text: "ok" }
    yield* Ref.update(words, (before) => new Map(before).set(asked.sessionId, answer.text ?? ""))
    if (answer.refused === undefined) return answered(body.value, answer, n)
    const { headers = {}, message, status, type } = answer.refused
    return HttpServerResponse.jsonUnsafe({ type: "error", error: { type, message } }, { status, headers })
  })
  return { app, asked: Ref.get(log) }
})

/** Such a model on loopback. */
export const modelEndpoint = Effect.fn("ModelEndpoint")(function* (part: (asked: Asked) => Effect.Effect<Answer>) {
  const { app, asked } = yield* messagesApi(part)
  return { url: yield* onLoopback(app), asked }
})
