import { clamp, type Permission } from "@souffleur/domain"
import { agentOfProgram, typedWith } from "@souffleur/embed/internal"
import { Option, Result } from "effect"
import { agentKind } from "./Kind.ts"

/**
 * Returns what a person types to begin with an agent. An agent may run with the highest permission alone. Below that a
 * setup comes first.
 */
export const firstTyped = (program: string, ceiling: Permission): string => {
  const kind = agentOfProgram(agentKind, program)
  const { takeApart, typed } = kind
  const isRefused = Result.match(takeApart([program, ...typed, "do it"], { program, args: [] }), {
    onSuccess: Option.exists(({ requested }) => clamp(requested, ceiling) !== requested),
    onFailure: () => false
  })
  return isRefused ? "souffleur setup --permission bypassPermissions" : typedWith(kind, program, '"do it"')
}
