import { mutantsOf } from "./Mutant.ts"

const codex = "packages/codex"

/** Mutants of what souffleur knows of Codex, and of an agent that chooses its ids. */
export const codexMutants = [
  ...mutantsOf(
    `${codex}/src/command/CodexFlags.ts`,
    [`${codex}/test/CodexCommand.test.ts`],
    [
      ["codex: a flag that lifts the ceiling", 'if (lifting.has(flag)) return "can lift the permission ceiling"', ""],
      [
        "codex: a flag that is not known",
        "if (takes === undefined) return",
        "if (takes === undefined && false) return"
      ],
      ["codex: a key that lifts the ceiling", "&& !harmless.test(value)", "&& false"]
    ]
  ),
  ...mutantsOf(
    `${codex}/src/command/CodexLaunch.ts`,
    [`${codex}/test/CodexCommand.test.ts`],
    [
      ["codex: the sandbox of each launch", '"-s",', ""],
      ["codex: a session id is no flag", 'if (session._tag === "Resume" && Result', "if (false && Result"],
      ["codex: a prompt behind what ends the flags", '["--", prompt]', "[prompt]"]
    ]
  ),
  ...mutantsOf(
    `${codex}/src/session/RolloutSigns.ts`,
    [`${codex}/test/Rollouts.test.ts`],
    [
      [
        "codex: a turn that failed is not finished",
        'isJson(event["error"]) ? { _tag: "Failed"',
        '(false as boolean) ? { _tag: "Failed"'
      ],
      ["codex: a tool that has its result", '&& !answered.has(item["call_id"])', ""],
      ["codex: the end of a limit", "used >= 100", "used >= 101"]
    ]
  ),
  ...mutantsOf(
    `${codex}/src/session/Writers.ts`,
    [`${codex}/test/Rollouts.test.ts`],
    [
      ["codex: a launcher in place of its agent", "launcher ? holder.parent :", "false ? holder.parent :"],
      ["codex: a lock that a process holds", "if (holder === undefined) return []", ""]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/processes/Proc.ts",
    ["packages/node/test/Processes.test.ts"],
    [["locks: of that file", "one === inode", "one !== inode"]]
  ),
  ...mutantsOf(
    "packages/process/src/agent/AnyAgent.ts",
    ["packages/process/test/AnyAgent.test.ts"],
    [["agents: a command to its owner", "others.find((one) => one.owns(words)) ?? first", "first"]]
  ),
  ...mutantsOf(
    "packages/process/src/agent/JoinedAgents.ts",
    ["packages/process/test/AnyAgent.test.ts"],
    [
      [
        "agents: a session to its owner",
        "one.sessionFile(sessionId)))) return one",
        "one.sessionFile(sessionId)))) return first"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/supervisor/src/FirstLaunch.ts",
    ["packages/supervisor/test/FirstLaunch.test.ts"],
    [["first launch: a session that is reported", 'watch.sessionId === "" ? yield*', "false ? yield*"]]
  ),
  ...mutantsOf(
    "packages/watcher/src/FoundSession.ts",
    ["packages/watcher/test/Watcher.test.ts"],
    [["found: a session that is reported", "if (Option.isSome(reported)) return", "if (false as boolean) return"]]
  ),
  ...mutantsOf(
    "packages/recovery/src/providers/StandardCompact.ts",
    ["packages/recovery/test/StandardCompact.test.ts"],
    [["compact: not where an agent cannot", "if (compactPrompt === null)", "if (false as boolean)"]]
  )
]
