import { Schema } from "effect"
import type { Answer, Asked, Shell } from "./ModelTalk.ts"

const Part = Schema.Struct({
  text: Schema.optionalKey(Schema.String),
  functionResponse: Schema.optionalKey(Schema.Unknown)
})
/** A request of the Gemini API. Its path names the model. */
export const GeminiBody = Schema.Struct({
  contents: Schema.Array(Schema.Struct({ role: Schema.optionalKey(Schema.String), parts: Schema.Array(Part) }))
})

const wordsOf = (parts: ReadonlyArray<typeof Part.Type>) => parts.map(({ text = "" }) => text).join("\n")

export const readGemini = ({ contents }: typeof GeminiBody.Type): Asked => {
  const result = contents.at(-1)?.parts.find(({ functionResponse }) => functionResponse !== undefined)
  const users = contents.filter(({ parts, role }) => role === "user" && wordsOf(parts) !== "")
  return {
    said: wordsOf(users.at(-1)?.parts ?? []),
    known: contents.map(({ parts }) => JSON.stringify(parts)).join("\n"),
    toolResult: result === undefined ? undefined : JSON.stringify(result.functionResponse)
  }
}

/** Server-sent events of the Gemini API: the answer whole, with its use. */
export const geminiEvents = ({ shell, text }: Answer, { argument, more, name }: Shell): string => {
  const parts = [
    ...(text === undefined ? [] : [{ text }]),
    ...(shell === undefined ? [] : [{ functionCall: { name, args: { ...more, [argument]: shell } } }])
  ]
  const usageMetadata = { promptTokenCount: 1000, candidatesTokenCount: 10, totalTokenCount: 1010 }
  const candidate = { index: 0, content: { role: "model", parts }, finishReason: "STOP" }
  return `data: ${JSON.stringify({ candidates: [candidate], usageMetadata })}\r\n\r\n`
}

/** A limit of a day, after which Gemini CLI does not ask again. */
export const geminiLimit = {
  error: {
    code: 429,
    status: "RESOURCE_EXHAUSTED",
    message: "You exceeded your current quota",
    details: [
      {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel" }]
      }
    ]
  }
}
