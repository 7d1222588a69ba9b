import type { Agent } from "@souffleur/domain"
import { Duration, Effect, Option } from "effect"
import type { Gate } from "./EffectGate.ts"

/** The prompt by which a session of the agent compacts. */
export const compactPrompt = "/compact"

/** The words for the modes below every permission. */
const heldModes = { plan: "plan", asks: "default" } as const

/**
 * The agent of every simulated world, as far as its words go. They say how it is started, and by what its processes are
 * found.
 */
export const agentByWords = (gate: Gate) =>
  ({
    name: "simulated",
    stall: Duration.seconds(361),
    compactPrompt,
    isAgent: ([program]) => program === "claude",
    inPrintMode: (args) => args.includes("-p"),
    lastAnswer: () => Effect.succeed(""),
    outputReader: () => () => Option.none(),
    tags: ({ pid, sessionId }) => [{ environment: { CLAUDE_PID: String(pid), CLAUDE_CODE_SESSION_ID: sessionId } }],
    sessionTag: (sessionId) => ({ environment: { CLAUDE_CODE_SESSION_ID: sessionId } }),
    command: ({ heldTo, permission, print, prompt, session }) =>
      gate.through(
        "agent.command",
        Effect.sync(() => ({
          program: "/usr/bin/claude",
          args: [
            ...(print ? ["-p"] : []),
            session._tag === "Fresh" ? "--session-id" : "--resume",
            session.sessionId,
            "--permission-mode",
            heldTo === undefined ? permission : heldModes[heldTo],
            "--",
            prompt
          ],
          environment: {},
          ...(print ? {} : { window: true })
        }))
      )
  }) satisfies Partial<Agent["Service"]>
