import { Context, type Effect } from "effect"
import type { CompletedShell } from "./CompletionFile.ts"

/** Makes the completion of a shell from every command. */
export class CompletionScript extends Context.Service<
  CompletionScript,
  (shell: CompletedShell) => Effect.Effect<string>
>()("@souffleur/cli/CompletionScript") {}
