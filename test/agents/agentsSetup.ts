import { HostServices } from "@souffleur/node"
import { Effect } from "effect"
import type { TestProject } from "vitest/node"
import { installedAgent, orSkipped } from "../claude/Install.ts"
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

/** Once for the suite. */
export default ({ provide }: TestProject): Promise<void> =>
  Effect.forEach([...realAgents, claudeCode], (agent) =>
    installedAgent(agent).pipe(
      Effect.catchTag("NotInstalled", ({ message }) => orSkipped({ bin: agent.bin, message })),
      Effect.map((program) => provide(agent.bin, program))
    )
  ).pipe(Effect.asVoid, Effect.provide(HostServices.layer), Effect.runPromise)
