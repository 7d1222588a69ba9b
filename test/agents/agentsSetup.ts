import { HostServices } from "@souffleur/node"
import { Console, Effect } from "effect"
import type { TestProject } from "vitest/node"
import { installedAgent } from "../claude/Install.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The real Codex's program; `null` where it cannot be installed. */
    readonly codex: string | null
  }
}

/** The version with which docs and tests were made. Another version behaves otherwise. */
const codex = { bin: "codex", name: "@openai/codex", version: "0.169.0" }

/** Once for the suite: without a real agent there is nothing to test, and that is told, not failed. */
export default ({ provide }: TestProject): Promise<void> =>
  installedAgent(codex).pipe(
    Effect.catchTag("NotInstalled", ({ message }) =>
      Effect.as(Console.error(`skipped: Codex ${codex.version} cannot be installed here: ${message}`), null)
    ),
    Effect.map((program) => provide("codex", program)),
    Effect.provide(HostServices.layer),
    Effect.runPromise
  )
