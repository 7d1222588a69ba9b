import { Effect, Queue, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import type { tools } from "../packages/cli/src/mcp/Tools.ts"
import { here } from "./StoreFile.ts"
import { timed } from "./Table.ts"

const calls = 5

type ToolName = keyof (typeof tools)["tools"]

/** The parameters of a call of each tool. */
const asked: Readonly<Record<ToolName, object>> = {
  heartbeat: {},
  my_state: {},
  status: {},
  set_state: { state: "working" },
  post_message: { task_id: "task-01", message_type: "info", message: "half of it is done" },
  read_messages: { since: 0, limit: 10 },
  register_tasks: { tasks: [{ task_id: "task-01" }] },
  request_context_recovery: { resume_prompt: "go on" },
  done: {}
}
export const toolNames = Object.keys(asked) as ReadonlyArray<ToolName>

const Reply = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.optional(Schema.Int),
    result: Schema.optional(Schema.Struct({ isError: Schema.optional(Schema.Boolean) }))
  })
)

/** Starts the tools of an agent. The first call of each tool warms up. Returns the seconds of the later ones. */
export const toolCalls = Effect.fnUntraced(function* (
  names: ReadonlyArray<ToolName>,
  entry: string,
  cwd: string,
  env: Readonly<Record<string, string>>
) {
  const input = yield* Queue.unbounded<string>()
  const handle = yield* ChildProcess.make(process.execPath, [entry, "mcp"], {
    cwd,
    env: { ...env, CLAUDE_PROJECT_DIR: cwd, CLAUDE_CODE_SESSION_ID: here.sessionId },
    extendEnv: true,
    stderr: "ignore",
    stdin: Stream.encodeText(Stream.fromQueue(input))
  })
  const answers = yield* Queue.unbounded<typeof Reply.Type>()
  yield* Effect.forkScoped(
    handle.stdout.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.mapEffect((line) => Schema.decodeEffect(Reply)(line)),
      Stream.runForEach((reply) => (reply.id === undefined ? Effect.void : Queue.offer(answers, reply)))
    )
  )
  let last = 0
  const ask = Effect.fnUntraced(function* (method: string, params: object) {
    const id = ++last
    yield* Queue.offer(input, `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    for (;;) {
      const reply = yield* Queue.take(answers)
      if (reply.id === id) return reply.result?.isError === true
    }
  })
  const clientInfo = { name: "bench", version: "1" }
  yield* ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo })
  yield* Queue.offer(input, `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`)
  return yield* Effect.forEach(names, (name) =>
    Effect.gen(function* () {
      const call = ask("tools/call", { name, arguments: asked[name] })
      // Once the watch has ended, `done` is refused, and looks for the same.
      if ((yield* call) && name !== "done") return yield* Effect.die(new Error(`the tool ${name} failed`))
      return yield* Effect.replicateEffect(timed(call), calls)
    })
  )
}, Effect.scoped)
