import { mutantsOf } from "./Mutant.ts"

const codex = "packages/codex"
const pi = "packages/pi"
const session = "packages/session"

/** Mutants of what souffleur knows of agents beside the first. */
export const codexMutants = [
  ...mutantsOf(
    `${session}/src/command/FlagTable.ts`,
    [`${codex}/test/CodexCommand.test.ts`],
    [
      [
        "codex: a flag that lifts the ceiling",
        'if (table.lifting.has(flag)) return "can lift the permission ceiling: leave it out"',
        ""
      ],
      [
        "codex: a flag that is not known",
        'if (takes === undefined) return "is unknown, and souffleur cannot tell what it allows: leave it out"',
        'if (takes === undefined) return { flag, value: "", words: [word] }'
      ],
      [
        "flags: a value that is missing",
        'return "must have a value: write it right behind"',
        'return { flag, value: "", words: [word] }'
      ],
      ["flags: behind the end of flags", 'if (word === "--") return', 'if (word === "---") return']
    ]
  ),
  ...mutantsOf(
    `${codex}/src/command/CodexFlags.ts`,
    [`${codex}/test/CodexCommand.test.ts`],
    [["codex: a key that lifts the ceiling", "&& !harmless.test(value)", "&& false"]]
  ),
  ...mutantsOf(
    `${codex}/src/command/CodexCommand.ts`,
    [`${codex}/test/CodexCommand.test.ts`],
    [
      ["codex: a subcommand without the ceiling", "? withoutCeiling(`codex ${verb}`, limited)", "? Result.succeedNone"],
      ["codex: a review is no conversation of exec", 'first === "review"', "false"]
    ]
  ),
  ...mutantsOf(
    `${codex}/src/Codex.ts`,
    [`${codex}/test/Rollouts.test.ts`],
    [["codex: still while it waits", "idles: true", "idles: false"]]
  ),
  ...mutantsOf(
    `${codex}/src/Codex.ts`,
    [`${codex}/test/CodexCommand.test.ts`],
    [["codex: words in place of records", "addsFormat: !asksRecords(options.agentCommand.args)", "addsFormat: false"]]
  ),
  ...mutantsOf(
    `${codex}/src/command/CodexLaunch.ts`,
    [`${codex}/test/CodexCommand.test.ts`],
    [
      ["codex: the sandbox of each launch", "...ceilingOf(permission),", ""],
      ["codex: the user's own records once", "asksRecords(args) ? []", "false ? []"],
      ["codex: no window", "input: prompt,", "input: prompt,\n    window: true,"]
    ]
  ),
  ...mutantsOf(
    `${codex}/src/session/RolloutSayings.ts`,
    [`${codex}/test/Rollouts.test.ts`],
    [
      ["codex: a turn that failed is not finished", "return error === undefined", "return true as boolean"],
      ["codex: the end of a limit", "used >= 100", "used >= 101"]
    ]
  ),
  ...mutantsOf(
    `${session}/src/said/SaidTurn.ts`,
    [`${codex}/test/Rollouts.test.ts`],
    [["codex: a tool that has its result", "if (!answered.has(said.id))", "if (true as boolean)"]]
  ),
  ...mutantsOf(
    `${session}/src/said/SaidTurn.ts`,
    [`${pi}/test/PiSessions.test.ts`],
    [
      [
        "pi: a compaction is no turn",
        "compacted = true\n        break",
        'compacted = true\n        turn = { _tag: "Asked", at: asked }\n        break'
      ],
      ["pi: a failure that is taken back", "mends = takenBack.has(id)", "mends = false as boolean"],
      ["pi: a full conversation that is taken back", 'mends && (reason !== "prompt-too-long" || compacted)', "mends"]
    ]
  ),
  ...mutantsOf(
    `${session}/src/said/SaidTurn.ts`,
    [`${pi}/test/PiContract.test.ts`],
    [
      [
        "contract: a turn without an end has not ended",
        'turn ?? (asked === undefined ? undefined : { _tag: "Asked", at: asked })',
        'turn ?? { _tag: "Finished", at: asked ?? 0 }'
      ]
    ]
  ),
  ...mutantsOf(
    `${session}/src/agent/SaidAgent.ts`,
    [`${pi}/test/PiSessions.test.ts`],
    [["pi: mended as long as it lives", "turn: mends ?", "turn: (false as boolean) ?"]]
  ),
  ...mutantsOf(
    `${session}/src/agent/SaidAgent.ts`,
    [`${codex}/test/CodexCommand.test.ts`],
    [
      ["said: a session id is no flag", "&& Result.isFailure(parseSessionId(session.sessionId))", "&& false"],
      ["said: an id that is given is one", '(session._tag === "Resume" || sessionIn === undefined) &&', "true &&"]
    ]
  ),
  ...mutantsOf(
    `${session}/src/agent/SaidAgent.ts`,
    [`${codex}/test/CodexCommand.test.ts`],
    [["said: records that the user asked for", 'into === "pipe" && dialect.addsFormat !== true ?', "false ?"]]
  ),
  ...mutantsOf(
    `${session}/src/agent/FindSession.ts`,
    [`${codex}/test/Rollouts.test.ts`],
    [["find: an id that is part of a path", "if (Result.isFailure(parseSessionId(asked)))", "if (false as boolean)"]]
  ),
  ...mutantsOf(
    `${session}/src/agent/CarriedSessions.ts`,
    [`${session}/test/CarriedSessions.test.ts`],
    [
      ["carried: the topmost of the agent", "!(yield* isAgent(pid))) return top", "true) return top"],
      ["carried: a process that is the agent", "|| !(yield* isAgent(pid))) continue", ") continue"],
      ["carried: a session of its own", "carriers.get(pid)?.value !== sessionId", "!carriers.has(pid)"],
      [
        "carried: an id that can be one",
        'condition === "zombie" || Result.isFailure(parseSessionId(sessionId))',
        'condition === "zombie"'
      ]
    ]
  ),
  ...mutantsOf(
    `${pi}/src/PiFlags.ts`,
    [`${pi}/test/PiCommand.test.ts`],
    [
      ["pi: no shell below the ceiling", 'if (permission === "bypassPermissions") return []', "return []"],
      [
        "pi: a list with a shell is no ceiling",
        "toolsIn(args)?.every((tool) => editing.includes(tool)) === true",
        "toolsIn(args) !== undefined"
      ],
      ["pi: the last list counts", "args.findLastIndex(", "args.findIndex("],
      [
        "pi: a list that is wider",
        "(toolsIn(args) ?? editing).filter((tool) => editing.includes(tool))",
        "toolsIn(args) ?? editing"
      ]
    ]
  ),
  ...mutantsOf(
    `${pi}/src/PiCommand.ts`,
    [`${pi}/test/PiCommand.test.ts`],
    [["pi: a prompt that names a file", 'if (prompt.startsWith("@")) return', "if (false as boolean) return"]]
  ),
  ...mutantsOf(
    "packages/domain/src/evidence/Judgement.ts",
    ["packages/domain/test/Judgement.test.ts"],
    [["judge: an agent that is still while it waits", "unused && session?.idles !== true", "unused"]]
  ),
  ...mutantsOf(
    "packages/node/src/processes/Processes.ts",
    ["packages/node/test/Processes.test.ts"],
    [
      [
        "carried: a process of this user",
        "value === undefined || info?.uid !== uid",
        "value === undefined || info === undefined"
      ]
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
    "packages/embed/src/conducting/RoleAgent.ts",
    ["packages/embed/test/SouffleurConduct.test.ts", "packages/cli/test/ConductRoles.test.ts"],
    [["conduct: an agent that takes no id", "if (agent.sessionOf !== undefined)", "if (false as boolean)"]]
  ),
  ...mutantsOf(
    "packages/supervisor/src/FirstLaunch.ts",
    ["packages/supervisor/test/FirstLaunch.test.ts"],
    [
      [
        "first launch: a session that is reported",
        ": yield* reportedSession({ ...(yield* ref.state), conductor, launchId })",
        ": Option.some(watch.sessionId)"
      ],
      [
        "first launch: an output that is kept",
        "(yield* launcher.inWindow(launchId))\n",
        '(launcher.terminal !== "headless")\n'
      ],
      ["first launch: how it ended", "the agent ended${code} before", "the agent ended before"]
    ]
  ),
  ...mutantsOf(
    "packages/process/src/process/ReportedSession.ts",
    ["packages/process/test/ReportedSession.test.ts"],
    [
      ["reported: the prompt of a successor", "line.trim() === ownLine", "true as boolean"],
      ["reported: the prompt of the first launch", "word.trim() === prompt.trim()", "true as boolean"]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/agent/BegunSession.ts",
    ["packages/codex/test/Rollouts.test.ts"],
    [
      ["begun: not before its launch", "timeOf(record, 0) >= since && ", ""],
      ["begun: not in another folder", " && isWithin(folder, said.folder)", ""],
      ["begun: not by another prompt", " && Option.exists(prompt, asked)", ""],
      ["begun: the only one", " || others.length > 0", ""]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/agent/SaidAgent.ts",
    ["packages/codex/test/Rollouts.test.ts"],
    [
      [
        "begun: not while its process lives",
        "isSought && isOver(yield* (yield* Processes).condition(launch.process))",
        "isSought"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/watcher/src/Classify.ts",
    ["packages/watcher/test/Watcher.test.ts"],
    [
      [
        "classify: a session that a launch left, also with comms",
        "(!watch.awaiting || !isSessionKnown(watch.sessionId))",
        "!watch.awaiting"
      ]
    ]
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
