import { Effect } from "effect"
import { Command } from "effect/cli"
import { agentKind } from "../agent/Kind.ts"

export const mcpCommand = Command.make(
  "mcp",
  {},
  Effect.fnUntraced(function* () {
    // The server has many modules, which no other command needs.
    const { serve } = yield* Effect.promise(() => import("../mcp/Server.ts"))
    return yield* serve
  })
).pipe(
  Command.withDescription(
    `A server of tools for the agent itself, on standard input and output: ${agentKind.addTools("souffleur", "souffleur mcp")}`
  )
)
