import { Effect, FileSystem } from "effect"

const prose =
  "The handler reads the request — then it compares each field with what is stored, and writes what changed. ".repeat(6)
const code = "export const handler = (request: Request) => compare(request.body, stored[0])\n".repeat(30)

/**
 * Makes one exchange with a tool: a prompt, a call, its result, and a record that no export contains. Each answer states
 * the tokens that were in use, as the service does.
 */
const exchange = (n: number, tokens: number): ReadonlyArray<object> => {
  const common = { parentUuid: null, isSidechain: false, sessionId: "bench", timestamp: "2026-03-01T12:00:00.000Z" }
  const said = { id: `msg_${n}`, role: "assistant", model: "model", stop_reason: "tool_use" }
  const message = (content: unknown) => ({ ...said, content, usage: { input_tokens: tokens, output_tokens: 300 } })
  return [
    {
      ...common,
      type: "user",
      uuid: `u${n}`,
      message: { role: "user", content: `Look at src/routes/${n}.ts. Größe geprüft ✓ 🎉` }
    },
    { ...common, type: "assistant", uuid: `a${n}`, message: message([{ type: "text", text: prose }]) },
    {
      ...common,
      type: "assistant",
      uuid: `t${n}`,
      message: message([
        { type: "tool_use", id: `toolu_${n}`, name: "Read", input: { file_path: `src/routes/${n}.ts` } }
      ])
    },
    {
      ...common,
      type: "user",
      uuid: `r${n}`,
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${n}`, content: code }] }
    },
    { ...common, type: "api-request", uuid: `q${n}`, shape: "x".repeat(600) }
  ]
}

/** Tokens in use of a session that can be resumed, and of one whose context is full. */
export const tokensInUse = { few: 20_000, full: 190_000 }

/** Writes a session file of about `bytes`, record for record as the agent does. */
export const sessionFile = Effect.fnUntraced(function* (path: string, bytes: number, tokens = tokensInUse.few) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fs.open(path, { flag: "wx", mode: 0o600 })
  const records = Array.from({ length: 200 }, (_, n) => exchange(n, tokens)).flat()
  const block = new TextEncoder().encode(records.map((record) => `${JSON.stringify(record)}\n`).join(""))
  for (let written = 0; written < bytes; written += block.length) yield* file.writeAll(block)
  return path
}, Effect.scoped)
