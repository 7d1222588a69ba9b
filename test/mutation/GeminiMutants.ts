import { mutantsOf } from "./Mutant.ts"

const gemini = "packages/gemini"
const sessions = [`${gemini}/test/GeminiSessions.test.ts`]

/** Mutants of what souffleur knows of Gemini CLI, and of agents that tell a turn in their output. */
export const geminiMutants = [
  ...mutantsOf(
    `${gemini}/src/GeminiCommand.ts`,
    [`${gemini}/test/GeminiCommand.test.ts`],
    [
      ["gemini: the highest permission alone", 'permission !== "bypassPermissions"', "false"],
      ["gemini: no window", "input: prompt,", "input: prompt,\n    window: true,"],
      ["gemini: the user's own records once", "asksRecords(args) ? [] : records", "records"],
      ["gemini: no terminal", "!print ? interactive", "false ? interactive"]
    ]
  ),
  ...mutantsOf(
    `${gemini}/src/GeminiFlags.ts`,
    [`${gemini}/test/GeminiCommand.test.ts`],
    [["gemini: an output with the end of the turn", "value !== streamed", "false"]]
  ),
  ...mutantsOf(`${gemini}/src/Gemini.ts`, sessions, [
    ["gemini: words in place of records", "addsFormat: !asksRecords(options.agentCommand.args)", "addsFormat: false"]
  ]),
  ...mutantsOf(`${gemini}/src/GeminiSayings.ts`, sessions, [
    ["gemini: an answer that ends no turn", '{ _tag: "Unclear" },', '{ _tag: "Ended" },'],
    ["gemini: an answer that is written again", "if (toolCalls !== undefined) return", "if (false) return"],
    ["gemini: a summary of a resume", " && timestamp === lastUpdated", ""],
    ["gemini: a tool that failed", 'call["status"] !== "success"', "false"],
    ["gemini: a history without a prompt", "return objectsIn(messages).some(isConversation)", "return true"],
    ["gemini: words that are no prompt", "!uncounted.some((beginning) => words.startsWith(beginning))", "true"],
    ["gemini: a prompt alone", "isConversation(record) ? true : undefined", "false"]
  ]),
  ...mutantsOf(
    "packages/domain/src/evidence/Resumable.ts",
    ["packages/recovery/test/ResumeSession.test.ts"],
    [["resumable: by its own agent", "if (!resumable) return", "if (turn !== undefined && !resumable) return"]]
  ),
  ...mutantsOf(`${gemini}/src/GeminiOutput.ts`, sessions, [
    ["gemini: an error that is none of the service", '!words.includes("[API Error:")', "false"],
    ["gemini: a success after an answer alone", "succeeded ? ending(record)", 'succeeded ? [{ _tag: "Ended" }]'],
    ["gemini: a success without a word", '"prompt-too-long" : "other"', '"other" : "other"'],
    ["gemini: the status of an outage first", "exec(words)?.[1] ?? limit", "exec(limit ?? words)?.[1] ?? limit"],
    ["gemini: pieces of an answer", "pieces += textOf", "pieces = textOf"]
  ]),
  ...mutantsOf(
    `${gemini}/src/Gemini.ts`,
    [`${gemini}/test/GeminiContract.test.ts`],
    [["gemini: the command that goes on", "gemini --yolo --skip-trust", "gemini"]]
  ),
  ...mutantsOf("packages/session/src/agent/FindSession.ts", sessions, [
    ["find: the id in the file", "asked.startsWith(named)", "false"],
    ["find: the first file of an id", "if (!first.has(sessionId))", ""]
  ]),
  ...mutantsOf("packages/session/src/agent/SaidAgent.ts", sessions, [
    ["said: nothing to resume", "...(resumable ? {} : { resumable })", ""],
    ["said: a file without a conversation", "return found ?? false", "return found ?? true"],
    ["said: the turn in the output", "(yield* turnIn(output)) ?? seen.turn", "seen.turn"]
  ]),
  ...mutantsOf(
    "packages/embed/src/watching/WatchStatus.ts",
    ["packages/embed/test/Souffleur.test.ts"],
    [
      [
        "status: the output of a launch",
        "agent.signs(sessionId, yield* launchOutput(launchId))",
        "agent.signs(sessionId)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/conducting/RunStatus.ts",
    ["packages/embed/test/RunStatus.test.ts"],
    [["run status: the output of a launch", ", yield* launchOutput(launched?.launchId)", ""]]
  ),
  ...mutantsOf(
    "packages/process/src/agent/JoinedAgents.ts",
    ["packages/process/test/AnyAgent.test.ts"],
    [
      [
        "joined: the output of a launch",
        "one.turnEnded(process, sessionId, output)",
        "one.turnEnded(process, sessionId)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/plan/src/agent/Judging.ts",
    ["packages/plan/test/Judging.test.ts"],
    [["judge: the turn in the output", ".signs(sessionId, output)", ".signs(sessionId)"]]
  ),
  ...mutantsOf(
    "packages/watcher/src/Observe.ts",
    ["packages/watcher/test/EarlyEnding.test.ts"],
    [
      ["observe: the end of a turn in the output", "watch.sessionId, output)", "watch.sessionId)"],
      ["observe: a person may end what is in a window", "return isPersons && !(", "return false && !("],
      ["observe: no person sends what no terminal sends", " && !ofPersons.has(end.signal))", " && false)"]
    ]
  ),
  ...mutantsOf(
    "packages/recovery/src/steps/ResumableSession.ts",
    ["packages/recovery/test/ResumeSession.test.ts"],
    [["resumable: the turn in the output", "signs(sessionId, yield* launchOutput(launchId))", "signs(sessionId)"]]
  ),
  ...mutantsOf("packages/session/src/said/SaidTurn.ts", sessions, [
    ["said: a turn that no record tells", "unclear = asked === undefined", "unclear = false"]
  ])
]
