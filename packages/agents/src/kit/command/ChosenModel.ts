import { AgentNotFound, type AgentProgram, type ModelChoice } from "@souffleur/domain"
import { Effect } from "effect"
import { splitFlag } from "./FlagWord.ts"

/** How an agent takes a model, and how hard it works. */
export interface ModelFlags {
  /** The flag of a model, and its other names. */
  readonly model: readonly [string, ...ReadonlyArray<string>]
  /** Absent: the agent has no such setting. */
  readonly effort?: {
    /** Returns the words of an effort. The first of them is its flag. */
    readonly words: (effort: string) => readonly [string, string]
    /** Every effort that there is, where the agent has a list and may pass over another word. Absent: any word. */
    readonly levels?: ReadonlyArray<string>
    /** True if the flag stands for other settings too, of which the last one counts. */
    readonly shared?: boolean
  }
}

/** Returns arguments without these flags, each of which has a value. */
const without = (args: ReadonlyArray<string>, flags: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.filter((arg, at) => {
    const before = args[at - 1]
    return !flags.includes(splitFlag(arg)[0]) && (before === undefined || !flags.includes(before))
  })

/**
 * Returns the user's own arguments with the model and the effort of a launch in place of theirs. Some agents refuse
 * such a flag twice. Fails with `AgentNotFound` where the agent has no such effort.
 */
export const argsWithModel = Effect.fnUntraced(function* (
  { args, program }: AgentProgram,
  { choice: { effort, model } = {} }: { readonly choice?: ModelChoice | undefined },
  flags: ModelFlags
) {
  const { levels, shared = false, words } = flags.effort ?? {}
  if (effort !== undefined && words === undefined)
    return yield* new AgentNotFound({ program, problem: `it has no setting for effort: leave effort ${effort} out` })
  if (effort !== undefined && levels?.includes(effort) === false)
    return yield* new AgentNotFound({ program, problem: `it knows no effort ${effort}: name ${levels.join(", ")}` })
  const said = effort === undefined ? undefined : words?.(effort)
  const replaced = [...(model === undefined ? [] : flags.model), ...(said === undefined || shared ? [] : [said[0]])]
  return [...without(args, replaced), ...(model === undefined ? [] : [flags.model[0], model]), ...(said ?? [])]
})
