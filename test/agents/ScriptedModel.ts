import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { type Duration, Effect, Option, Ref, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { limited as limitedMessages, messagesApi, onLoopback, tooLong, torn } from "../claude/ModelEndpoint.ts"
import type { Answer, Asked, Shell } from "./ModelTalk.ts"
import { GeminiBody, geminiEvents, geminiLimit, readGemini } from "./GeminiModel.ts"

const Item = Schema.Struct({
  type: Schema.optionalKey(Schema.String),
  role: Schema.optionalKey(Schema.String),
  /** Of a message: its parts. */
  content: Schema.optionalKey(Schema.Unknown),
  /** Of a tool's result, in the Responses API. */
  output: Schema.optionalKey(Schema.Unknown)
})
/** The Responses API has `input`, Chat Completions has `messages`. */
const Body = Schema.Struct({
  model: Schema.String,
  input: Schema.optionalKey(Schema.Array(Item)),
  messages: Schema.optionalKey(Schema.Array(Item))
})
const decodeBody = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Union([Body, GeminiBody])))

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""))

const read = ({ input, messages = [] }: typeof Body.Type): Asked => {
  const items = input ?? messages
  const last = items.at(-1)
  const result = last?.role === "tool" ? last.content : last?.output
  return {
    said: textOf(items.findLast(({ role }) => role === "user")?.content),
    known: items.map(({ content, output }) => textOf(content) + textOf(output)).join("\n"),
    toolResult: result === undefined ? undefined : textOf(result)
  }
}

const usage = {
  input_tokens: 1000,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 1010
}

/** Server-sent events of Chat Completions: the answer whole, then its use. */
const chunks = (model: string, { shell, stopReason, text }: Answer, tool: Shell, n: number): string => {
  const command = JSON.stringify({ ...tool.more, [tool.argument]: shell })
  const call = { index: 0, id: `call_${n}`, type: "function", function: { name: tool.name, arguments: command } }
  const delta = {
    role: "assistant",
    ...(text === undefined ? {} : { content: text }),
    ...(shell === undefined ? {} : { tool_calls: [call] })
  }
  const chunk = (more: object) => ({ id: `chat_${n}`, object: "chat.completion.chunk", created: 1, model, ...more })
  const finish = shell === undefined ? (stopReason ?? "stop") : "tool_calls"
  const all = [
    chunk({ choices: [{ index: 0, delta, finish_reason: null }] }),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }),
    chunk({ choices: [], usage: { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 } })
  ]
  return [...all.map((one) => JSON.stringify(one)), "[DONE]"].map((data) => `data: ${data}\n\n`).join("")
}

/** How a service says that it has failed. */
const failure = (status: number) => ({
  type: status === 401 ? "authentication_error" : status === 429 ? "rate_limit_error" : "api_error",
  message: status === 401 ? "The token has expired." : "The service has failed."
})

/** The same answer in the words of the Messages API. */
const messagesAnswer = (answer: Answer, { argument, more, name }: Shell) => {
  const { fails, full, limitedUntil, shell, text } = answer
  if (full === true) return tooLong
  if (limitedUntil !== undefined) return limitedMessages(limitedUntil)
  if (fails !== undefined) return { refused: { status: fails, ...failure(fails) } }
  return {
    torn: answer.torn === true,
    ...(text === undefined ? {} : { text }),
    ...(shell === undefined ? {} : { tool: { name, input: { ...more, [argument]: shell } } })
  }
}

/** Server-sent events of the Responses API: each item whole. */
const events = (model: string, { shell, stopReason, text, unmetered }: Answer, tool: Shell, n: number): string => {
  const output = [
    ...(text === undefined
      ? []
      : [
          {
            type: "message",
            id: `msg_${n}`,
            role: "assistant",
            content: [{ type: "output_text", text, annotations: [] }]
          }
        ]),
    ...(shell === undefined
      ? []
      : [
          {
            type: "function_call",
            id: `fc_${n}`,
            call_id: `call_${n}`,
            name: tool.name,
            arguments: JSON.stringify({ [tool.argument]: shell })
          }
        ])
  ].map((item) => ({ ...item, status: "completed" }))
  const status = stopReason === undefined ? "completed" : "incomplete"
  const response = {
    id: `resp_${n}`,
    object: "response",
    created_at: 1,
    status,
    model,
    output,
    usage: unmetered === true ? null : usage,
    ...(stopReason === undefined ? {} : { incomplete_details: { reason: stopReason } })
  }
  const all: ReadonlyArray<readonly [type: string, fields: object]> = [
    ["response.created", { response: { ...response, status: "in_progress", output: [], usage: null } }],
    ...output.map((item, output_index) => ["response.output_item.done", { output_index, item }] as const),
    [`response.${status}`, { response }]
  ]
  return all
    .map(
      ([type, fields], at) => `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: at, ...fields })}\n\n`
    )
    .join("")
}

/** An answer of the Responses API that says at once that the conversation no longer fits. */
const noLongerFits = (n: number): string => {
  const error = { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." }
  const response = {
    id: `resp_${n}`,
    object: "response",
    created_at: 1,
    status: "failed",
    error,
    output: [],
    usage: null
  }
  return `event: response.failed\ndata: ${JSON.stringify({ type: "response.failed", sequence_number: 0, response })}\n\n`
}

const limited = (until: number, retryAfter: number | undefined) =>
  HttpServerResponse.jsonUnsafe(
    { error: { type: "usage_limit_reached", code: "usage_limit_reached", message: "limit", resets_at: until } },
    {
      status: 429,
      headers: {
        "x-codex-primary-used-percent": "100",
        "x-codex-primary-window-minutes": "300",
        "x-codex-primary-reset-at": String(until),
        ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) })
      }
    }
  )

/** A model on loopback that says what it is told to, and remembers what it was asked. */
export const scriptedModel = Effect.fn("ScriptedModel")(function* (
  shell: Shell,
  part: (asked: Asked) => Effect.Effect<Answer>
) {
  const log = yield* Ref.make<ReadonlyArray<Asked>>([])
  const claude = yield* messagesApi(({ known, said, toolResult }) =>
    Effect.gen(function* () {
      const asked = { said: said.join("\n"), known, toolResult }
      yield* Ref.update(log, (before) => [...before, asked])
      const answer = yield* part(asked)
      return messagesAnswer(answer, answer.by ?? shell)
    })
  )
  const app = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (request.url.startsWith("/v1/messages")) return yield* claude.app
    const known = /\/(?:responses|chat\/completions)$|:(?:streamG|g)enerateContent/u.test(request.url)
    const body = known ? decodeBody(yield* request.text) : Option.none()
    if (Option.isNone(body)) return HttpServerResponse.empty({ status: 404 })
    const asked = "contents" in body.value ? readGemini(body.value) : read(body.value)
    const n = yield* Ref.modify(log, (before) => [before.length + 1, [...before, asked]])
    const answer = yield* part(asked)
    const stream = (text: string) => HttpServerResponse.text(text, { contentType: "text/event-stream" })
    if ("contents" in body.value)
      return answer.limitedUntil === undefined
        ? stream(geminiEvents(answer, answer.by ?? shell))
        : HttpServerResponse.jsonUnsafe(geminiLimit, { status: 429 })
    if (answer.limitedUntil !== undefined) return limited(answer.limitedUntil, answer.retryAfter)
    if (answer.fails !== undefined)
      return HttpServerResponse.jsonUnsafe({ error: failure(answer.fails) }, { status: answer.fails })
    if (answer.full === true) return stream(noLongerFits(n))
    const written = body.value.input === undefined ? chunks : events
    const text = written(body.value.model, answer, answer.by ?? shell, n)
    return answer.torn === true ? torn(text) : stream(text)
  })
  const server = http.createServer()
  return {
    url: yield* onLoopback(app, server),
    asked: Ref.get(log),
    /** Nobody listens for that time, and every connection is cut. */
    rests: (time: Duration.Input) =>
      Effect.gen(function* () {
        const { port } = server.address() as AddressInfo
        server.close()
        server.closeAllConnections()
        yield* Effect.sleep(time)
        yield* Effect.callback<void>((resume) => {
          server.listen(port, "127.0.0.1", () => resume(Effect.void))
        })
      }).pipe(Effect.uninterruptible)
  }
})
