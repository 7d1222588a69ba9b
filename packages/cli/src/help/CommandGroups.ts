/** The commands in the groups of the help. `usual`: the short help has them too. */
export const commandGroups = [
  { group: "Begin", usual: ["run", "watch", "conduct", "resume", "demo"], more: [] },
  {
    group: "Look",
    usual: ["status", "top", "page", "why", "log", "output", "attach", "report"],
    more: ["state", "metrics", "traces", "export", "estimate", "help"]
  },
  { group: "Say a word", usual: ["go", "hold", "retry", "done", "release", "stop"], more: ["adopt", "compact"] },
  {
    group: "Set up",
    usual: ["setup", "doctor", "config", "hooks", "notify", "service", "completions", "uninstall"],
    more: ["init", "plugin", "mcp", "fleet", "hub"]
  }
] as const
