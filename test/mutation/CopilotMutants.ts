import { mutantsOf } from "./Mutant.ts"

const copilot = "packages/copilot"

/** Mutants of what souffleur knows of Copilot CLI. */
export const copilotMutants = [
  ...mutantsOf(
    `${copilot}/src/CopilotFlags.ts`,
    [`${copilot}/test/CopilotCommand.test.ts`],
    [
      ["copilot: no shell below the ceiling", '"--allow-tool=write", "--deny-tool=shell", ', '"--allow-tool=write", '],
      ["copilot: no program of the project", ', "--excluded-tools=task,lsp"]', "]"],
      ["copilot: lists of the user's own", "`${flag}=${value}` === kept", "value !== kept"]
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
      ["copilot: no window below the ceiling", "!print && !limited", "!print"],
      ["copilot: no window of a compaction", " && !compacts", ""],
      ["copilot: a prompt as the value of its flag", "[`--interactive=${prompt}`]", "[prompt]"]
    ]
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
    `${copilot}/src/CopilotSayings.ts`,
    [`${copilot}/test/CopilotSessions.test.ts`],
    [
      ["copilot: a subagent's records", '|| typeof data["parentToolCallId"] === "string"', ""],
      ["copilot: a refused tool", '&& error["code"] === "denied"', ""],
      ["copilot: a tool that only read", "failed || !did ?", "failed ?"],
      ["copilot: a compaction that failed", 'data["success"] === true ?', "true ?"]
    ]
  )
]
