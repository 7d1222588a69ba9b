import { HostServices } from "@souffleur/node"
import { Console, Effect } from "effect"
import type { TestProject } from "vitest/node"
import { installedAgent } from "../claude/Install.ts"
import { claudeCode, realAgents } from "./Versions.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The real agent's program; `null` where it cannot be installed. */
    readonly codex: string | null
    readonly pi: string | null
    readonly qwen: string | null
    readonly copilot: string | null
    readonly gemini: string | null
    readonly opencode: string | null
  }
}

/** Once for the suite: without a real agent there is nothing to test, and that is told, not failed. */
export default ({ provide }: TestProject): Promise<void> =>
  Effect.forEach([...realAgents, claudeCode], (agent) =>
    installedAgent(agent).pipe(
      Effect.catchTag("NotInstalled", ({ message }) =>
        Effect.as(Console.error(`skipped: ${agent.bin} ${agent.version} cannot be installed here: ${message}`), null)
      ),
      Effect.map((program) => provide(agent.bin, program))
    )
  ).pipe(Effect.asVoid, Effect.provide(HostServices.layer), Effect.runPromise)
