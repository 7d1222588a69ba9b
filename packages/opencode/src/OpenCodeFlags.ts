import { type FlagTable, sessionFlag } from "@souffleur/session"

/** Has OpenCode print its records, which name the session. */
export const records = ["--format", "json"] as const
/** Holds if the user asked for the records. */
export const asksRecords = (args: ReadonlyArray<string>): boolean =>
  args.some((arg) => arg.split("=", 1)[0] === records[0])

/** The flags of `opencode run`. */
export const openCodeFlags: FlagTable = {
  kept: new Map([
    ["--model", "one"],
    ["-m", "one"],
    ["--agent", "one"],
    ["--variant", "one"],
    ["--log-level", "one"],
    ["--print-logs", "none"],
    ["--pure", "none"],
    ["--thinking", "none"],
    ["--format", "one"]
  ]),
  // The one publishes the session, and the other runs in a server that allows what it was told to.
  lifting: new Set(["--share", "--attach"]),
  means: new Map([
    ["--session", sessionFlag("Resume")],
    ["-s", sessionFlag("Resume")],
    ["--auto", { takes: "none", read: () => ({ requested: "bypassPermissions" }) }]
  ]),
  ours: new Set([
    "--command",
    "--continue",
    "-c",
    "--dir",
    "--file",
    "-f",
    "--fork",
    "--interactive",
    "-i",
    "--mini",
    "--password",
    "-p",
    "--port",
    "--title",
    "--username",
    "-u"
  ]),
  against: (flag, value) =>
    flag === records[0] && value !== records[1] ? "must be json, by which each launch tells its session" : undefined,
  inline: true
}
