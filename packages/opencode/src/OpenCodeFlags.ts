import { type FlagTable, sessionFlag } from "@souffleur/session"

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
    ["--thinking", "none"]
  ]),
  // The one publishes the session, and the other runs in a server that allows what it was told to.
  lifting: new Set(["--share", "--attach"]),
  means: new Map([
    ["--session", sessionFlag("Resume")],
    ["-s", sessionFlag("Resume")],
    ["--auto", { takes: "none", read: () => ({ requested: "bypassPermissions" }) }],
    [
      "--format",
      {
        takes: "one",
        read: (value) => (value === "json" ? {} : "must be json, by which each launch tells its session")
      }
    ]
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
  inline: true
}
