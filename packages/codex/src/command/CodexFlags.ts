import { splitFlag } from "@souffleur/process"

/** Flags of `codex exec` that a user may choose for every launch, and whether a value follows. Any other is unknown. */
const known: ReadonlyMap<string, "one" | "none"> = new Map([
  ["--model", "one"],
  ["-m", "one"],
  ["--config", "one"],
  ["-c", "one"],
  ["--local-provider", "one"],
  ["--output-schema", "one"],
  ["--output-last-message", "one"],
  ["-o", "one"],
  ["--color", "one"],
  ["--oss", "none"],
  ["--skip-git-repo-check", "none"],
  ["--strict-config", "none"]
])

/** Keys of the configuration that lift nothing: the model, and its service. Others may run a program. */
const harmless =
  /^(?:model|model_provider|model_providers\.[\w-]+\.(?:base_url|env_key|name|wire_api)|model_(?:context_window|auto_compact_token_limit|reasoning_effort|reasoning_summary|verbosity)|service_tier|web_search)=/u

/** Flags that lift the ceiling, or run what Codex itself does not confine. */
const lifting = new Set([
  "--add-dir",
  "--approve-for-me",
  "--ask-for-approval",
  "-a",
  "--dangerously-bypass-hook-trust",
  "--disable",
  "--enable",
  "--full-auto",
  "--profile",
  "-p",
  "--trust"
])
/** Flags that a launch sets itself, or that lead to another folder or session. */
const ours = new Set(["--cd", "-C", "--ephemeral", "--json", "--last", "--sandbox", "-s", "--worktree"])

/** A flag of the user's choice: its words, and how many of the rest they take. */
export interface Kept {
  readonly words: ReadonlyArray<string>
  readonly taken: number
}

/** Reads a flag that every launch may keep. Returns a reason instead where it may not, or is not understood. */
export const keptFlag = (word: string, rest: ReadonlyArray<string>): Kept | string => {
  if (word.includes("\0")) return "holds a NUL"
  const [flag, inline] = splitFlag(word)
  if (lifting.has(flag)) return "can lift the permission ceiling"
  if (ours.has(flag)) return "is set by each launch, or leads elsewhere"
  const takes = known.get(flag)
  if (takes === undefined) return "is unknown: souffleur cannot tell what it allows"
  if (takes === "none") return inline === undefined ? { words: [word], taken: 0 } : "takes no value"
  const value = inline ?? rest[0]
  if (value === undefined || value === "" || (inline === undefined && value.startsWith("-"))) return "must have a value"
  if ((flag === "-c" || flag === "--config") && !harmless.test(value))
    return "sets more than the model: that part of the configuration may lift the permission ceiling"
  return inline === undefined ? { words: [word, value], taken: 1 } : { words: [word], taken: 0 }
}
