import { mutantsOf } from "./Mutant.ts"

const qwen = "packages/qwen"

/** Mutants of what souffleur knows of Qwen Code, and of launchers. */
export const qwenMutants = [
  ...mutantsOf(
    `${qwen}/src/QwenFlags.ts`,
    [`${qwen}/test/QwenCommand.test.ts`],
    [
      [
        "qwen: nothing that an edit left",
        'permission === "bypassPermissions" || args.includes(safe) ? [] : [safe]',
        "[]"
      ]
    ]
  ),
  ...mutantsOf(
    `${qwen}/src/QwenCommand.ts`,
    [`${qwen}/test/QwenCommand.test.ts`],
    [
      ["qwen: no window below the ceiling", "!print && !limited", "!print"],
      ["qwen: no sandbox of the project", 'limited ? { QWEN_SANDBOX: "false" } : {}', "{}"],
      ["qwen: a terminal below the ceiling", '!print && requested !== "bypassPermissions"', "false"]
    ]
  ),
  ...mutantsOf(
    `${qwen}/src/QwenSayings.ts`,
    [`${qwen}/test/QwenSessions.test.ts`],
    [
      ["qwen: an error of its own conversation", "!textOf(prompt).startsWith(`${sessionId}########`)", "false"],
      ["qwen: a permission that refused", 'errorType === "execution_denied"', "failed"]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/command/RunsProgram.ts",
    [`${qwen}/test/QwenCommand.test.ts`],
    [["runs: the script of an interpreter", 'if (!interpreter.test(words[0] ?? "")) return undefined', ""]]
  ),
  ...mutantsOf(
    "packages/session/src/said/SaidTurn.ts",
    [`${qwen}/test/QwenSessions.test.ts`],
    [["said: a failure that the agent mends", ": at + asksWithin", ": at"]]
  ),
  ...mutantsOf(
    "packages/session/src/said/SaidTurn.ts",
    ["packages/session/test/SaidTurn.test.ts"],
    [["said: a count of zero is none", " && said.tokens > 0", ""]]
  ),
  ...mutantsOf(
    "packages/session/src/said/SaidCompaction.ts",
    [`${qwen}/test/QwenSessions.test.ts`],
    [["said: a compaction by its record", '_tag === "Compacted"', '_tag === "Ended"']]
  ),
  ...mutantsOf(
    "packages/session/src/lines/Since.ts",
    [`${qwen}/test/QwenSessions.test.ts`],
    [["since: a file that was replaced", "inode !== mark.inode", "false"]]
  ),
  ...mutantsOf(
    "packages/recovery/src/steps/EndConductor.ts",
    ["packages/recovery/test/EndConductor.test.ts"],
    [
      [
        "launcher: the agent that outlives it",
        "startedByItself(watch, conductor, sessions, known)",
        "startedByItself(watch, conductor, sessions)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/watcher/src/AgentBehind.ts",
    ["packages/watcher/test/AgentBehind.test.ts"],
    [
      ["behind: a stopped agent", '"running" && behind.some', '"gone" && behind.some'],
      ["behind: the processor of the agent", "(sum, one) => sum + (one ?? 0)", "(sum) => sum"],
      ["behind: no agent of a tool", "agent.isAgent(one) && hasArgumentsOf(words, one)", "agent.isAgent(one)"],
      ["behind: directly below", "({ parent }) => parent === conductor.pid", "() => true"],
      ["behind: a script", "|| agent.isAgent(words.slice(0, 1))", ""]
    ]
  )
]
