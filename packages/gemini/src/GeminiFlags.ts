import { type FlagMeaning, type FlagTable, promptFlag, sessionFlag } from "@souffleur/session"

/** Flags of each launch. In a folder that it does not trust, a headless Gemini CLI ends at once. */
export const launchFlags = ["--approval-mode", "yolo", "--skip-trust"] as const

const streamed = "stream-json"
/** Has Gemini CLI print its records, in which alone it tells the end of its turn. */
export const records = ["--output-format", streamed] as const
const asking = new Set<string>([records[0], "-o"])
/** Holds if the user asked for the records. */
export const asksRecords = (args: ReadonlyArray<string>): boolean =>
  args.some((arg) => asking.has(arg.split("=", 1)[0]!))

const everything: FlagMeaning = { takes: "none", read: () => ({ requested: "bypassPermissions" }) }
const approval: FlagMeaning = {
  takes: "one",
  read: (value) =>
    value === "yolo"
      ? { requested: "bypassPermissions" }
      : "must be yolo: below that, the settings of a folder that it may edit would lift it again"
}

/** The flags of `gemini`. */
export const geminiFlags: FlagTable = {
  kept: new Map([
    ["--model", "one"],
    ["-m", "one"],
    ["--screen-reader", "none"],
    ["--debug", "none"],
    ["-d", "none"],
    ["--output-format", "one"],
    ["-o", "one"]
  ]),
  lifting: new Set([
    "--admin-policy",
    "--allowed-mcp-server-names",
    "--allowed-tools",
    "--extensions",
    "-e",
    "--include-directories",
    "--policy",
    "--raw-output"
  ]),
  means: new Map([
    ["--prompt", promptFlag(true)],
    ["-p", promptFlag(true)],
    ["--prompt-interactive", promptFlag(false)],
    ["-i", promptFlag(false)],
    ["--session-id", sessionFlag("Fresh")],
    ["--resume", sessionFlag("Resume")],
    ["-r", sessionFlag("Resume")],
    ["--approval-mode", approval],
    ["--yolo", everything],
    ["-y", everything],
    ["--skip-trust", { takes: "none", read: () => ({}) }]
  ]),
  ours: new Set([
    "--acp",
    "--delete-session",
    "--experimental-acp",
    "--list-sessions",
    "--sandbox",
    "-s",
    "--session-file",
    "--worktree",
    "-w"
  ]),
  against: (flag, value) =>
    asking.has(flag) && value !== streamed ? "must be stream-json, in which each launch tells its end" : undefined,
  inline: true
}
