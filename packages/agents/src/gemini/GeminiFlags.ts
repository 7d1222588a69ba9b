import type { ModelFlags } from "../kit/command/ChosenModel.ts"
import { ceilingFlag, permissionFlag, promptFlag, sessionFlag } from "../kit/command/FlagMeanings.ts"
import type { FlagTable } from "../kit/command/FlagTable.ts"
import { wordSet } from "../kit/command/WordSet.ts"

/** Flags of each launch. In a folder that it does not trust, a headless Gemini CLI ends at once. */
export const launchFlags = ["--approval-mode", "yolo", "--skip-trust"]

const streamed = "stream-json"
/** Has Gemini CLI print its records, in which alone it tells the end of its turn. */
export const geminiRecords = ["--output-format", streamed]
const asking = new Set<string>(["--output-format", "-o"])
/** Returns whether the user asked for the records. */
export const asksGeminiRecords = (args: ReadonlyArray<string>): boolean =>
  args.some((arg) => asking.has(arg.split("=", 1)[0]!))

/** It has no flag for effort. */
export const geminiModelFlags: ModelFlags = { model: ["--model", "-m"] }

/** The flags of `gemini`. */
export const geminiFlags: FlagTable = {
  kept: { one: wordSet("--model -m --output-format -o"), none: wordSet("--screen-reader --debug -d") },
  lifting: wordSet(
    "--admin-policy --allowed-mcp-server-names --allowed-tools --extensions -e --include-directories --policy",
    "--raw-output"
  ),
  means: new Map([
    ["--prompt", promptFlag(true)],
    ["-p", promptFlag(true)],
    ["--prompt-interactive", promptFlag(false)],
    ["-i", promptFlag(false)],
    ["--session-id", sessionFlag("Fresh")],
    ["--resume", sessionFlag("Resume")],
    ["-r", sessionFlag("Resume")],
    [
      "--approval-mode",
      ceilingFlag(
        { bypassPermissions: "yolo" },
        "must be yolo: below that, the settings of a folder that it may edit would lift it again"
      )
    ],
    ["--yolo", permissionFlag("bypassPermissions")],
    ["-y", permissionFlag("bypassPermissions")],
    ["--skip-trust", { takes: "none", read: () => ({}) }]
  ]),
  ours: wordSet("--acp --delete-session --experimental-acp --list-sessions --sandbox -s --session-file --worktree -w"),
  against: (flag, value) =>
    asking.has(flag) && value !== streamed ? "must be stream-json, in which each launch tells its end" : undefined,
  inline: true
}
