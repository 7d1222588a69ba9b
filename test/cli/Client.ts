import { spawn } from "node:child_process"
import { Effect } from "effect"
import { bundle, until, type Variables } from "./CliStage.ts"

/** An answer of a server. */
export interface Reply {
  readonly id: number | null
  readonly result?: Readonly<Record<string, unknown>> & {
    readonly isError?: boolean
    readonly content?: ReadonlyArray<{ readonly text: string }>
    readonly structuredContent?: Readonly<Record<string, unknown>>
  }
  readonly error?: { readonly code: number; readonly message: string }
}

/** A client of `souffleur mcp`, as a real process; it ends with its scope. */
export const client = Effect.fnUntraced(function* (cwd: string, environment: Variables, session = "") {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [bundle, "mcp"], {
        cwd,
        env: {
          ...environment,
          CLAUDE_PROJECT_DIR: cwd,
          ...(session === "" ? {} : { CLAUDE_CODE_SESSION_ID: session })
        },
        stdio: ["pipe", "pipe", "pipe"]
      })
    ),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )
  const replies: Array<Reply> = []
  let [rest, errors, next] = ["", "", 1]
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    // A line that is no JSON fails the test here: standard output is the protocol's alone.
    replies.push(...lines.map((line): Reply => JSON.parse(line)))
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text))
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  const send = (text: string) => Effect.sync(() => void child.stdin.write(text))
  const answer = (id: number | null, before = 0) =>
    Effect.map(
      until(
        Effect.sync(() => replies.slice(before).find((reply) => reply.id === id)),
        (reply) => reply !== undefined
      ),
      (reply) => reply!
    )
  const ask = (method: string, params: object) =>
    Effect.suspend(() => {
      const id = next++
      return Effect.andThen(send(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`), answer(id))
    })
  const clientInfo = { name: "test", version: "1" }
  return {
    send,
    ask,
    answer,
    /** As the real agent begins: a probe of the newest protocol, then the handshake of an older one. */
    begin: Effect.gen(function* () {
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": clientInfo,
        "io.modelcontextprotocol/clientCapabilities": {}
      }
      const discovered = yield* ask("server/discover", { _meta })
      const initialized = yield* ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo })
      yield* send(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`)
      return { discovered, initialized }
    }),
    /** Calls a tool. Returns its answer, and whether that was an error. */
    call: (name: string, args: object = {}) =>
      Effect.map(ask("tools/call", { name, arguments: args }), ({ error, result }) => ({
        failed: result?.isError === true || error !== undefined,
        text: result?.content?.[0]?.text ?? error?.message ?? "",
        told: result?.structuredContent ?? {}
      })),
    errors: () => errors,
    end: Effect.andThen(
      Effect.sync(() => void child.stdin.end()),
      Effect.promise(() => ended)
    ),
    kill: (signal: NodeJS.Signals) =>
      Effect.andThen(
        Effect.sync(() => void child.kill(signal)),
        Effect.promise(() => ended)
      )
  }
})
