import type { Permission } from "@souffleur/domain"
import { ceilingFlag, permissionFlag } from "../../kit/command/FlagMeanings.ts"
import type { FlagMeaning, FlagTable } from "../../kit/command/FlagTable.ts"
import { wordSet } from "../../kit/command/WordSet.ts"

/** Keys of the configuration that lift nothing: the model, and its service. Others may run a program. */
const harmless =
  /^(?:model|model_provider|model_providers\.[\w-]+\.(?:base_url|env_key|name|wire_api)|model_(?:context_window|auto_compact_token_limit|reasoning_effort|reasoning_summary|verbosity)|service_tier|web_search)=/u

const sandboxes: Readonly<Record<Permission, string>> = {
  acceptEdits: "workspace-write",
  bypassPermissions: "danger-full-access"
}
/** The first flag of a launch behind the user's own. */
export const sandboxFlag = "-s"
/** Returns the flags that hold a launch below the ceiling. */
export const ceilingOf = (permission: Permission): ReadonlyArray<string> => [sandboxFlag, sandboxes[permission]]

/** Lets `codex exec` work outside of a git repository. */
export const anyFolder = "--skip-git-repo-check"

/** Has Codex print its records, of which the first names the session. */
export const codexRecords = "--json"
/** Returns whether the user asked for the records. */
export const asksCodexRecords = (args: ReadonlyArray<string>): boolean => args.includes(codexRecords)

/** Names the file with the schema of every answer. */
export const formFlag = "--output-schema"
/** Returns whether a launch may give its answers a form: Codex refuses the flag twice. */
export const codexTakesForm = (args: ReadonlyArray<string>): boolean =>
  !args.some((word) => word === formFlag || word.startsWith(`${formFlag}=`))

const sandbox = ceilingFlag(
  sandboxes,
  "must be workspace-write or danger-full-access: no other can be kept when Codex is launched again"
)
const lifts = permissionFlag("bypassPermissions")

/** No person answers a question at night. */
const approval: FlagMeaning = {
  takes: "one",
  read: (value) => (value === "never" ? undefined : "must be never: no person is there to be asked")
}

const kept: FlagTable["kept"] = {
  one: wordSet("--model -m --config -c --local-provider"),
  none: wordSet("--oss --strict-config")
}
const ceiling: FlagTable["means"] = new Map([
  ["--sandbox", sandbox],
  [sandboxFlag, sandbox],
  ["--dangerously-bypass-approvals-and-sandbox", lifts],
  ["--yolo", lifts]
])
const nothing: FlagMeaning = { takes: "none", read: () => undefined }

/** The flags of `codex exec`. */
export const codexFlags: FlagTable = {
  kept: {
    one: wordSet(...kept.one, formFlag, "--output-last-message -o --color"),
    none: wordSet(...kept.none, codexRecords, anyFolder)
  },
  lifting: wordSet(
    "--add-dir --approve-for-me --ask-for-approval -a --dangerously-bypass-hook-trust --disable --enable --full-auto",
    "--profile -p --trust"
  ),
  means: ceiling,
  ours: wordSet("--cd -C --ephemeral --last --worktree"),
  against: (flag, value) =>
    (flag === "-c" || flag === "--config") && !harmless.test(value)
      ? "sets more than the model: that part of the configuration may lift the permission ceiling"
      : undefined,
  inline: true
}

/** Runs an interactive Codex in its own process, also beside a background server of Codex. */
export const ownProcess = "--no-daemon"

/** The flags of an interactive Codex. `codex exec` has each that is kept, for a launch without a window. */
export const interactiveFlags: FlagTable = {
  ...codexFlags,
  kept,
  means: new Map([...ceiling, ["--ask-for-approval", approval], ["-a", approval], [ownProcess, nothing]])
}
