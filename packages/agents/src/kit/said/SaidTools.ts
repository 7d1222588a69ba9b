import { jsonOf, textOf } from "../lines/JsonRecord.ts"
import type { Saying } from "./Said.ts"

/** The tools of an agent, by what they do. */
export interface AgentTools {
  /** Tools that start a process. */
  readonly spawning: ReadonlySet<string>
  /** Tools that change one file. */
  readonly editing: ReadonlySet<string>
  /** The field of their input with the path of that file. */
  readonly path: string
}

/** Says that a tool is called. An input that is no object is empty. */
export const saidCall = (
  { editing, path, spawning }: AgentTools,
  { id, name, said }: { readonly id: string; readonly name: string; readonly said: unknown }
): Saying => {
  const input = jsonOf(said)
  const file = editing.has(name) ? textOf(input[path]) : ""
  return { _tag: "Call", id, name, input, spawns: spawning.has(name), edits: file === "" ? [] : [file] }
}

/**
 * Says what came of a tool. A tool that did something, and did not fail, is progress. A tool that only reads is
 * none: a successor that dies after reading its export has done no work.
 */
export const saidResult = (
  result: Omit<Extract<Saying, { readonly _tag: "Result" }>, "_tag">,
  did: boolean
): ReadonlyArray<Saying> => [
  { _tag: "Result", ...result },
  ...(did && !result.failed ? [{ _tag: "Progress" } as const] : [])
]
