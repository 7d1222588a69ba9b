import { Effect, Layer, Queue, Sink, Stdio, Stream } from "effect"
import { Environment } from "../../../packages/cli/src/world/CommandEnvironment.ts"
import { layerInstallation } from "../../../packages/cli/src/world/CommandInstallation.ts"
import { serve } from "../../../packages/cli/src/mcp/Server.ts"
import type { Seed } from "../../simulation/Seed.ts"
import { border, holds, type Place } from "../Border.ts"
import { homeIn } from "../CommandLine.ts"
import { bent, mangled, number, run, scalar, some, torn, tree, word } from "../Hostile.ts"
import { settle } from "../Settle.ts"

const tools = [
  "heartbeat",
  "my_state",
  "set_state",
  "post_message",
  "read_messages",
  "register_tasks",
  "request_context_recovery",
  "done",
  "status",
  "nope",
  "__proto__"
]

const words = (seed: Seed): unknown =>
  seed.pick<() => unknown>([
    () => ({}),
    () => ({ state: seed.pick(["working", "complete", scalar(seed)]) }),
    () => ({
      task_id: seed.pick(["task-03", "souffleur", "task-00", scalar(seed)]),
      message_type: seed.pick(["system", "instruction", scalar(seed)]),
      message: seed.chance(0.3) ? run(seed) : scalar(seed)
    }),
    () => ({ since: number(seed), limit: number(seed), task_id: scalar(seed) }),
    () => ({
      tasks: seed.chance(0.5) ? some(seed, 5, () => ({ task_id: scalar(seed), state: scalar(seed) })) : tree(seed)
    }),
    () => ({
      resume_prompt: seed.chance(0.3) ? run(seed) : scalar(seed),
      permission_mode: seed.pick(["bypassPermissions", scalar(seed)])
    }),
    () => tree(seed)
  ])()

const call = (seed: Seed, id: number) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: seed.chance(0.9) ? seed.pick(tools) : scalar(seed), arguments: words(seed) }
})

const line = (seed: Seed, id: number): string =>
  seed.pick<() => string>([
    () => JSON.stringify(call(seed, id)),
    () => JSON.stringify(call(seed, id)),
    () => JSON.stringify(bent(seed, call(seed, id))),
    () => mangled(seed, JSON.stringify(call(seed, id))).replaceAll("\n", " "),
    () =>
      JSON.stringify({
        jsonrpc: seed.pick(["2.0", "1.0", null]),
        id: scalar(seed),
        method: seed.pick(["tools/list", "initialize", "ping", "resources/read", "logging/setLevel", word(seed)]),
        params: tree(seed)
      }),
    () => JSON.stringify([call(seed, id), tree(seed)]),
    () =>
      JSON.stringify({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: seed.pick<unknown>([id, scalar(seed)]) }
      }),
    () => `{"jsonrpc":"2.0","id":${id},"method":"ping","params":${"[".repeat(4000)}${"]".repeat(4000)}}`,
    () => run(seed).replaceAll("\n", " ")
  ])()

const greeting = [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "fuzz", version: "1" } }
  },
  { jsonrpc: "2.0", method: "notifications/initialized" }
]
const farewell = 999_999

const environment = ({ folder }: Place) => {
  const { claude, project, state } = homeIn(folder)
  const variables = {
    HOME: folder,
    PATH: "/usr/bin:/bin",
    XDG_RUNTIME_DIR: folder,
    SOUFFLEUR_STATE_DIR: state,
    SOUFFLEUR_CLAUDE_DIR: claude,
    CLAUDE_PROJECT_DIR: project,
    CLAUDE_CODE_SESSION_ID: "abc"
  }
  const surroundings = Layer.succeed(Environment, {
    variables,
    cwd: project,
    platform: "linux",
    colour: false,
    columns: undefined,
    interactive: false,
    self: ["/bin/true", "souffleur"] as const,
    published: undefined
  })
  return Layer.provideMerge(layerInstallation, surroundings)
}

/** Checks that the server is alive after all lines, and that all its answers are JSON. */
export const mcp = border("mcp-lines", {
  share: 2,
  within: 5000,
  draw: (seed) => torn(seed, some(seed, 8, (index) => `${line(seed, index + 10)}\n`).join("")),
  checks: {
    "are answered": async (data, place) => {
      const json = (message: unknown) => new TextEncoder().encode(`${JSON.stringify(message)}\n`)
      let printed = ""
      const conversation = Effect.gen(function* () {
        const said = yield* Queue.unbounded<void>()
        const answered = Effect.gen(function* () {
          while (!printed.includes(`"id":${farewell}`)) yield* Queue.take(said)
        })
        const stdin = Stream.fromIterable([
          ...greeting.map(json),
          data,
          new TextEncoder().encode("\n"),
          json({ jsonrpc: "2.0", id: farewell, method: "ping" })
        ]).pipe(Stream.concat(Stream.drain(Stream.fromEffect(answered))))
        const stdout = () =>
          Sink.forEach((part: string | Uint8Array) => {
            printed += typeof part === "string" ? part : new TextDecoder().decode(part)
            return Queue.offer(said, undefined)
          })
        yield* serve.pipe(Effect.provide([environment(place), Stdio.layerTest({ stdin, stdout })]))
      })
      await settle(conversation)
      const lines = printed.split("\n").filter((one) => one !== "")
      holds(
        lines.every((one) => one.startsWith("{") || one.startsWith("[")),
        "it answers what is no JSON",
        lines
      )
      holds(!/\\n\s+at \S+ \(/u.test(printed), "an answer holds a stack", printed)
      for (const one of lines) JSON.parse(one)
    }
  }
})
