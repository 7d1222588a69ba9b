import { Context, type Effect, type FileSystem } from "effect"
import type { Environment } from "../world/CommandEnvironment.ts"
import type { CompletedShell } from "./CompletionFile.ts"

/** Returns the completion of a shell, with every command. */
export class CompletionScript extends Context.Service<
  CompletionScript,
  (shell: CompletedShell) => Effect.Effect<string, never, Environment | FileSystem.FileSystem>
>()("@souffleur/cli/CompletionScript") {}
