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
    [
      ["codex: a key that lifts the ceiling", "&& !harmless.test(value)", "&& false"],
      ["codex: no question to a person who is gone", 'value === "never" ? undefined', "true ? undefined"]
    ]
  ),
  ...mutantsOf(
    `${codex}/src/command/CodexCommand.ts`,
    [`${codex}/test/CodexCommand.test.ts`],
    [
      [
        "codex: a subcommand without the ceiling",
        "if (!print && isOther(first))\n    return",
        "if (false as boolean)\n    return"
      ],
      ["codex: a prompt of one word", "said.length === 1 && args", "false && args"],
      ["codex: in its own process", "print ? args : [ownProcess, ...args]", "args"],
      ["codex: a session that the log can name", "resumes && sessionId === undefined", "false"],
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
      ["codex: the sandbox of each launch", "compacting : ceiling)", "compacting : [])"],
      ["codex: the user's own records once", "asksRecords(args) ? []", "false ? []"],
      ["codex: no approval in a window", '"never",', '"on-request",'],
      [
        "codex: no settings of a folder that a person has not seen",
        "hasNone(`${folder}/.codex`)",
        "Effect.succeed(true)"
      ],
      ["codex: hooks that a person trusted", 'settings.includes("trusted_hash")', "false"],
      ["codex: no hook that waits for approval", "(yield* unapprovedHooks(agentDir)).length === 0", "true"],
      ["codex: a window for a person alone", "!print && !compacts", "!compacts"],
      ["codex: no window", "interactive ? { window: true }", "true ? { window: true }"],
      ["codex: a prompt behind what ends the flags", 'const behind = ["--", prompt]', "const behind = [prompt]"],
      ["codex: a reviewer that changes nothing", "looks ? looking : ceilingOf(permission)", "ceilingOf(permission)"],
      ["codex: a compaction that changes nothing", '"read-only"', '"workspace-write"'],
      ["codex: a compaction known by its word", "compacts ? behind :", "false ? behind :"]
    ]
  ),
  ...mutantsOf(
    `${codex}/src/command/CodexVerb.ts`,
    [`${codex}/test/CodexCommand.test.ts`],
    [
      ["codex: a verb behind flags", "value === undefined ? 1 : 0", "value === undefined ? 0 : 0"],
      ["codex: a verb behind a flag that is not known", "else if (!alone.has(flag)) return undefined", ""],
      ["codex: a launcher by its arguments", "&& JSON.stringify(one) === JSON.stringify(other)", ""]
    ]
  ),
  ...mutantsOf(
    `${codex}/src/session/Writers.ts`,
    [`${codex}/test/Rollouts.test.ts`],
    [
      ["codex: a server is no Conductor", "runsCodex(words) ? {}", "true ? {}"],
      ["codex: the server of an editor", 'words.includes("--managed-daemon")', "true"],
      [
        "codex: a process above that is no launcher",
        "launchesCodex(yield* processes.commandLine(holder.parent), words)",
        "runsCodex(yield* processes.commandLine(holder.parent))"
      ],
      ["codex: idle at its prompt", "!inPrintMode(words) && ", "false && "]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/OpenWatch.ts",
    ["packages/embed/test/Souffleur.test.ts"],
    [["open: no session that no launch can replace", "yield* refuseSession(target.sessionId)", ""]]
  ),
  ...mutantsOf(
    `${codex}/src/session/RolloutSayings.ts`,
    [`${codex}/test/Rollouts.test.ts`],
    [
      ["codex: the proof of a compaction", 'case "compacted":', 'case "never":'],
      ["codex: a turn that failed is not finished", "return error === undefined", "return true as boolean"],
      ["codex: the end of a limit", "used >= 100", "used >= 101"],
      ["codex: a command that outlived its turn", "(code === 0 || code === outlived)", "code === 0"],
      ["codex: the words of a failure", 'words: textOf(error["message"])', 'words: ""']
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
      ["carried: an agent at its prompt is idle", 'waits ? "idle" : "busy"', '"busy"'],
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
      ],
      ["joined: a pipe has one reader", '(into === "pipe" ? [first] : all)', "all"],
      ["joined: the launch of a session", "(its) => chosenAgent(chosen, its)", "() => chosen"],
      ["joined: the launch of a chosen agent", "const chosen = chosenAgent(agent, program)", "const chosen = agent"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/watching/FollowOutput.ts",
    ["packages/cli/test/FollowOutput.test.ts"],
    [
      ["output: the reader of its launch", "= yield* launchedAgent(agent, watch)", "= agent"],
      ["output: not of a log that cannot be followed", "Effect.andThen(following, Effect.never)", "Effect.never"]
    ]
  ),
  ...mutantsOf(
    "packages/codex/src/command/HookTrust.ts",
    ["packages/codex/test/HookTrust.test.ts"],
    [
      ["codex: a hook as it was approved", "=== hash)", "!== undefined)"],
      ["codex: a hook at its place", ":${group}:${index}", ":0:${index}"],
      [
        "codex: an approval behind a link",
        ", yield* Effect.orElseSucceed(fs.realPath(agentDir), () => agentDir)]",
        "]"
      ],
      ["codex: an approval is of its section", 'if (line.startsWith("["))', 'if (key === "")']
    ]
  ),
  ...mutantsOf(
    "packages/codex/src/Codex.ts",
    ["packages/codex/test/HookTrust.test.ts"],
    [["codex: hooks that wait are named", ", unapproved: yield* unapprovedHooks(dirname(path))", ""]]
  ),
  ...mutantsOf(
    "packages/codex/src/command/CodexOutput.ts",
    ["packages/codex/test/CodexCommand.test.ts"],
    [
      ["codex: an error of another program", 'textOf(message) === "" ? undefined :', ""],
      ["codex: an error once", 'problem === told ? "" : problem', "problem"]
    ]
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
      ["begun: not while its process lives", "isSought && isEnded ?", "isSought ?"],
      [
        "chosen session: not of another process with its pid",
        "const held = isEnded ?",
        "const held = (false as boolean) ?"
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
