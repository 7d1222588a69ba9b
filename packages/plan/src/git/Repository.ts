import { Context } from "effect"
import { excludeOwn } from "./Exclude.ts"
import { gitOf } from "./Git.ts"

/** Opens the repository of a run, and keeps souffleur's own files out of it. The default asks git itself. */
export const Repository = Context.Reference<{
  readonly open: typeof gitOf
  readonly exclude: typeof excludeOwn
}>("@souffleur/plan/Repository", { defaultValue: () => ({ open: gitOf, exclude: excludeOwn }) })
