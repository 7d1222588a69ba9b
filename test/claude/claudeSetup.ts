import { HostServices } from "@souffleur/node"
import { Console, Effect } from "effect"
import type { TestProject } from "vitest/node"
import { claudeCode } from "../agents/Versions.ts"
import { installed } from "./Install.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The real agent's program; `null` where it cannot be installed. */
    readonly claude: string | null
  }
}

/** Once for the suite: without the real agent there is nothing to test, and that is told, not failed. */
export default ({ provide }: TestProject): Promise<void> =>
  installed.pipe(
    Effect.catchTag("NotInstalled", ({ message }) =>
      Effect.as(Console.error(`skipped: Claude Code ${claudeCode.version} cannot be installed here: ${message}`), null)
    ),
    Effect.map((program) => provide("claude", program)),
    Effect.provide(HostServices.layer),
    Effect.runPromise
  )
