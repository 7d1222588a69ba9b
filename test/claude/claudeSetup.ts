import { HostServices } from "@souffleur/node"
import { Effect } from "effect"
import type { TestProject } from "vitest/node"
import { installed, orSkipped } from "./Install.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The real agent's program; `null` where it cannot be installed. */
    readonly claude: string | null
  }
}

/** Once for the suite. */
export default ({ provide }: TestProject): Promise<void> =>
  installed.pipe(
    Effect.catchTag("NotInstalled", ({ message }) => orSkipped({ bin: "claude", message })),
    Effect.map((program) => provide("claude", program)),
    Effect.provide(HostServices.layer),
    Effect.runPromise
  )
