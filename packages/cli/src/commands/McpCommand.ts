import { Effect } from "effect"
import { Command } from "effect/cli"
import { agentKind } from "../agent/Kind.ts"

/** Serves tools to the agent by standard input and output, until the input ends (spec: command-line#setting-up). */
export const mcpCommand = Command.make(
  "mcp",
  {},
  Effect.fnUntraced(function* () {
    // The server has many modules, which no other command needs.
    const { serve } = yield* Effect.promise(() => import("../mcp/Server.ts"))
    return yield* serve
  })
).pipe(
  Command.withExamples([
    { command: agentKind.addTools("souffleur", "souffleur mcp"), description: "Have the agent start it" }
  ])
)
