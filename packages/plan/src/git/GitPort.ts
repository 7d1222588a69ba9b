import { Context } from "effect"
import { excludeOwn } from "./Exclude.ts"
import { gitOf } from "./Git.ts"

/** Opens the git of a project for a run, and keeps souffleur's own files out of it. The default asks git itself. */
export const GitPort = Context.Reference<{
  readonly open: typeof gitOf
  readonly exclude: typeof excludeOwn
}>("@souffleur/plan/GitPort", { defaultValue: () => ({ open: gitOf, exclude: excludeOwn }) })
