import { mutantsOf } from "./Mutant.ts"

const copilot = "packages/copilot"
const ownLaunch = "packages/session/test/OwnLaunch.test.ts"

/** Mutants of what souffleur knows of Copilot CLI. */
export const copilotMutants = [
  ...mutantsOf(
    `${copilot}/src/CopilotFlags.ts`,
    [`${copilot}/test/CopilotCommand.test.ts`],
    [
      ["copilot: no shell below the ceiling", '  ["--deny-tool", "shell"],\n', ""],
      ["copilot: no program of the project", ',\n  ["--excluded-tools", "task,lsp"]', ""]
    ]
  ),
  ...mutantsOf(
    `${copilot}/src/CopilotCommand.ts`,
    [`${copilot}/test/CopilotCommand.test.ts`],
    [
      [
        "copilot: a subcommand without the ceiling",
        'return withoutCeiling(`copilot ${first}`, "copilot -p PROMPT")',
        "return Result.succeedNone"
      ],
      ["copilot: a folder that is trusted", "limited && (yield*", "false && (yield*"],
      ["copilot: no window below the ceiling", "!print && !limited", "!print"]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/command/FlagMeanings.ts",
    [ownLaunch],
    [
      [
        "flags: a word of the ceiling",
        "requested === undefined ? otherwise : { requested }",
        "{ requested: requested! }"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/command/OnePrompt.ts",
    [ownLaunch],
    [
      ["launch: no window of a compaction", "if (compacts) return", "if (compacts && !window) return"],
      ["launch: a compaction as an argument", "if (compacts) return", "if (false as boolean) return"],
      ["launch: a prompt as the value of its flag", "[`${flag}=${prompt}`]", "[prompt]"]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/command/OwnLaunch.ts",
    [ownLaunch],
    [
      ["launch: a session that has begun", "Effect.isSuccess(sessionFile(session.sessionId))", "Effect.succeed(true)"],
      ["launch: a fresh session", 'session._tag === "Resume" ?', "(true as boolean) ?"],
      ["launch: of that session", "args.includes(sessionId, at)", "true"],
      ["launch: the user's own flags", "args: args.slice(0, at)", "args"]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/command/CompleteCommand.ts",
    [`${copilot}/test/CopilotCommand.test.ts`],
    [["launch: the agent's own variables last", "...launch.environment", ""]]
  ),
  ...mutantsOf(
    `${copilot}/src/TrustedFolders.ts`,
    [`${copilot}/test/CopilotCommand.test.ts`],
    [["copilot: settings that cannot be read", "Effect.orElseSucceed(() => true)", "Effect.orElseSucceed(() => false)"]]
  ),
  ...mutantsOf(
    "packages/session/src/said/SaidTurn.ts",
    [`${copilot}/test/CopilotSessions.test.ts`],
    [
      [
        "said: the newest tool tells of a refusal",
        "refused ??= said.refused === true",
        "refused = refused === true || said.refused === true"
      ],
      ["said: a prompt begins after a refusal", 'if (said._tag === "Prompt") refused ??= false', ""],
      ["said: a refusal before the last answer", 'refused !== undefined || turn?._tag !== "Finished"', "true"]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/said/SaidTools.ts",
    ["packages/session/test/SaidTools.test.ts"],
    [
      ["said: a tool that only read", "did && !result.failed", "!result.failed"],
      ["said: a tool that failed", "did && !result.failed", "did"],
      ["said: a file that a tool changes", "editing.has(name) ?", "(false as boolean) ?"],
      ["said: a tool that starts a process", "spawns: spawning.has(name)", "spawns: false"]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/agent/OutputRecords.ts",
    ["packages/session/test/OutputRecords.test.ts"],
    [["output: a tool's first argument", 'text !== "")', 'text === "")']]
  ),
  ...mutantsOf(
    `${copilot}/src/CopilotSayings.ts`,
    [`${copilot}/test/CopilotSessions.test.ts`],
    [
      ["copilot: a subagent's records", '|| typeof data["parentToolCallId"] === "string"', ""],
      ["copilot: a refused tool", 'jsonOf(error)["code"] === "denied"', "isJson(error)"],
      ["copilot: a compaction that failed", 'data["success"] === true ?', "true ?"]
    ]
  )
]
