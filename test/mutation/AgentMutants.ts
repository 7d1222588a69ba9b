import { mutantsOf } from "./Mutant.ts"

const claude = "packages/claude"
const comms = "packages/comms"

/** Mutants of what souffleur believes of an agent and of its comms, and of what it gives to neither. */
export const agentMutants = [
  ...mutantsOf(
    `${claude}/src/command/RunsAgent.ts`,
    [`${claude}/test/RunsAgent.test.ts`],
    [
      ["runs agent: not a word far behind", "words.slice(0, 4).some(isClaude)", "words.some(isClaude)"],
      [
        "runs agent: the configured one by its arguments too",
        "args.every((word, at) => words[from + 1 + at] === word)",
        "true"
      ],
      ["runs agent: the configured one", " || configured(0) || configured(1)", ""],
      ["runs agent: … behind its interpreter", " || configured(1)", ""]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/mcp/Requests.ts",
    ["packages/cli/test/mcp/Requests.test.ts"],
    [["mcp: blanks are no message", 'found.splice(0).filter((text) => text.trim() !== "")', "found.splice(0)"]]
  ),
  ...mutantsOf(
    `${claude}/src/session/RunningSessions.ts`,
    [`${claude}/test/RunningSessions.test.ts`],
    [
      ["session: of that very process", "if (process.value.identity.startTime !== startOf(procStart)) return []", ""],
      ["session: not of a zombie", 'process.value.condition === "zombie" || ', ""],
      ["session: of a process of ours", " || process.value.uid !== processes.host.uid) return []", ") return []"],
      [
        "session: of a process that is there",
        "if (Option.isNone(process) || process",
        "if (Option.isSome(process) && process"
      ]
    ]
  ),
  ...mutantsOf(
    `${claude}/src/session/SessionFile.ts`,
    [`${claude}/test/SessionFile.test.ts`],
    [
      ["session file: a malformed id makes no path", "if (!isSessionId(sessionId)) {", "if (false as boolean) {"],
      ["session file: a whole id wins", "const matches = whole.length > 0 ? whole : found", "const matches = found"],
      ["session file: not one of several", "if (matches.length === 1) return file(first)", "return file(first)"],
      ["session file: one file under two names", "if (real.size === 1) return file(first)", ""],
      [
        "session file: a file",
        "            return Effect.succeed(false)\n          })\n        )",
        "            return Effect.succeed(true)\n          })\n        )"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/lines/Since.ts",
    [`${claude}/test/CompactBoundary.test.ts`],
    [
      ["compacted: that very file", "device !== mark.device || inode !== mark.inode || Number", "Number"],
      [
        "compacted: after the mark",
        "piecesOf(file, { offset: Math.max(0, mark.offset - 1) })",
        "piecesOf(file, { offset: 0 })"
      ],
      ["compacted: what ends at the mark began before", "let begun = mark.offset === 0", "let begun = true"],
      ["compacted: a whole line", "if (whole) look", "look"]
    ]
  ),
  ...mutantsOf(
    `${claude}/src/session/CompactBoundary.ts`,
    [`${claude}/test/CompactBoundary.test.ts`],
    [
      [
        "compacted: a system record",
        'record?.["type"] === "system" && record["subtype"] === "compact_boundary"',
        'record?.["subtype"] === "compact_boundary"'
      ],
      [
        "compacted: a boundary, not a word of it",
        'record?.["type"] === "system" && record["subtype"] === "compact_boundary"',
        'record?.["type"] === "system"'
      ],
      ["compacted: a summary after its boundary", 'found === "boundary" && isSummary(line)', "isSummary(line)"]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/hooks/HookFile.ts",
    ["packages/session/test/HookFile.test.ts"],
    [
      [
        "settings: of the agent, that others may write",
        "{ ...agentsOwn, atMost: sizeLimit }",
        '{ others: "read" as const, atMost: sizeLimit }'
      ],
      [
        "settings: of the agent, of any size",
        "{ ...agentsOwn, atMost: sizeLimit }",
        "{ ...agentsOwn, atMost: 2 ** 32 }"
      ],
      ["settings: of the agent, in a folder that others may write", "  yield* unlessOthersFolder(found.value)\n", ""],
      ["settings: of the agent, new in a folder that others may write", "    yield* unlessOthersFolder(path)\n", ""]
    ]
  ),
  ...mutantsOf(
    `${claude}/src/session/HandoffReceipt.ts`,
    [`${claude}/test/HandoffReceipt.test.ts`],
    [
      [
        "hand-off: an answer after that very launch's prompt",
        "if (!read.announced) read.announced = announces(record, read.launchId)",
        "if (!read.announced) read.announced = true"
      ],
      ["hand-off: said to the model, not by it", 'record["type"] === "user" &&\n', ""],
      ["hand-off: no answer of a subagent", 'if (record["isSidechain"] === true) return', ""],
      ["hand-off: a real answer", "else if (answerOf(record) !== undefined)", "else"]
    ]
  ),
  ...mutantsOf(
    `${claude}/src/command/AgentFlags.ts`,
    [`${claude}/test/AgentProgram.test.ts`, `${claude}/test/LiteralCommand.test.ts`],
    [
      ["agent command: no NUL", 'if (argument.includes("\\0")) return', "if (false as boolean) return"],
      ["agent command: no permission flag", '? "carries a permission flag" : undefined', "? undefined : undefined"],
      [
        "agent command: nothing that lifts the ceiling",
        "if (abbreviates(argument, lifting)) return",
        "if (false as boolean) return"
      ],
      [
        "agent command: no other session",
        "if (shorts.has(argument) || abbreviates(argument, ours))\n",
        "if (false as boolean)\n"
      ],
      ["agent command: no end of the flags", 'if (argument === "--") return', "if (false as boolean) return"],
      [
        "agent command: the beginning of a flag too",
        "flag.toLowerCase().startsWith(name)",
        "flag.toLowerCase() === name"
      ],
      ["agent command: no joined flags", "if (/^-[^-]./u.test(argument)) return", "if (false as boolean) return"],
      [
        "agent command: a value that is no flag",
        "objection(rest[0]!) !== undefined || agentFlags.has(splitFlag(rest[0]!)[0])",
        "(false as boolean)"
      ],
      ["agent command: no value where there is none", 'return takes === "none" ? "takes no value" : []', "return []"]
    ]
  ),
  ...mutantsOf(
    `${claude}/src/command/CommandFront.ts`,
    [`${claude}/test/AgentProgram.test.ts`, `${claude}/test/LiteralCommand.test.ts`],
    [
      ["front: a wrapper becomes the agent", "if (foreign.has(name)) return", "if (false as boolean) return"],
      [
        "front: a wrapper's flag is understood",
        'if (words[next]?.startsWith("-") === true)\n',
        "if (false as boolean)\n"
      ],
      ["front: no folder for the agent alone", 'option.startsWith("CLAUDE_CONFIG_DIR=")', "false as boolean"]
    ]
  ),
  ...mutantsOf(
    `${claude}/src/command/AgentProgram.ts`,
    [`${claude}/test/AgentProgram.test.ts`],
    [
      [
        "agent command: flags in an array alone",
        "} else if (/\\s-/.test(trimmed)) {",
        "} else if (false as boolean) {"
      ],
      ["agent command: known flags alone", "if (!agentFlags.has(flag)) return", "if (false as boolean) return"],
      [
        "agent command: nothing that another program starts",
        "(startsPrograms(word) || /\\s-/u.test(word)\n",
        "((false as boolean)\n"
      ]
    ]
  ),
  ...mutantsOf(
    `${claude}/src/command/LiteralCommand.ts`,
    [`${claude}/test/LiteralCommand.test.ts`],
    [
      [
        "literal command: a mode that can be kept",
        'if (mode !== "acceptEdits" && mode !== "bypassPermissions")\n',
        "if (false as boolean)\n"
      ],
      [
        "literal command: a flag that nobody knows",
        "if (!agentFlags.has(flag) && inline === undefined && rest.length > 0 && !isFlag(rest[0]))\n",
        "if (false as boolean)\n"
      ],
      [
        "literal command: nothing that lifts the ceiling",
        "if (why !== undefined) return refused(",
        "if (false as boolean) return refused("
      ],
      [
        "literal command: no value of what is alone",
        "if (alone && inline !== undefined) return",
        "if (false as boolean) return"
      ],
      [
        "literal command: no agent behind what is not understood",
        "return named && !front.failure.shell ?",
        "return (false as boolean) ?"
      ],
      [
        "literal command: one session",
        "if (session !== undefined) return refused(",
        "if (false as boolean) return refused("
      ],
      [
        "literal command: one prompt",
        "if (prompts.length > 1) return refused(",
        "if (false as boolean) return refused("
      ]
    ]
  ),
  ...mutantsOf(
    `${claude}/src/session/ApiFailure.ts`,
    [`${claude}/test/TurnState.test.ts`],
    [
      ["failure: of the service, not the agent's words", 'record["isApiErrorMessage"] === true ?', "true ?"],
      [
        "failure: a limit is none of its outages",
        'return "usage-limit"\n    case "server_error"',
        'return "outage"\n    case "server_error"'
      ]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/hooks/HookInput.ts",
    ["packages/session/test/HookInput.test.ts"],
    [
      ["hook input: the object's own members", 'if (depth === 1 && before === ":") yield', 'if (before === ":") yield'],
      ["hook input: no further than what is known", "while (!found.has(key)) {", "for (;;) {"]
    ]
  ),
  ...mutantsOf(
    `${comms}/src/CommsSqlite.ts`,
    [`${comms}/test/CommsSqlite.test.ts`],
    [
      [
        "comms: told once under its key",
        "WHERE NOT EXISTS (SELECT 1 FROM orchestration_messages WHERE task_id = 'souffleur'",
        "WHERE 1 OR EXISTS (SELECT 1 FROM orchestration_messages WHERE task_id = 'souffleur'"
      ],
      [
        "comms: told whatever stands under its key",
        "AND message = ${prefix + text}",
        "AND substr(message, 1, length(${prefix})) = ${prefix}"
      ],
      ["comms: … of whatever type", "AND message_type = ${type} ", ""],
      ["comms: … from whomever", "${from ? sql`AND from_session = 'souffleur'` : sql``}\n", "\n"],
      ["comms: … and from whenever", "${timed ? sql`AND timestamp = ${timeText(at)}` : sql``})", ")"],
      [
        "comms: a state with its heartbeat",
        "SET state = ${state}, ${beaten(sql, timeText(at))}${lastErrorColumn}",
        "SET state = ${state}${lastErrorColumn}"
      ],
      ["comms: never moves a heartbeat back", "${beaten(sql, timeText(at))}", "last_heartbeat = ${timeText(at)}"],
      [
        "comms: a warning that is refused is told",
        'error.reason._tag === "ConstraintError",\n              () => insert("system")',
        'error.reason._tag === "LockTimeoutError",\n              () => insert("system")'
      ],
      ["comms: a row that is there", 'Effect.flatMap(rowUpdated("souffleur"))', "Effect.asVoid"],
      [
        "comms: only its own rows are no tasks",
        "WHERE task_id IS NOT 'task-00' AND task_id IS NOT 'souffleur'\"",
        "WHERE task_id IS NOT 'task-00'\""
      ]
    ]
  ),
  ...mutantsOf(
    `${comms}/src/CommsSpeakers.ts`,
    [`${comms}/test/CommsSpeakers.test.ts`, `${comms}/test/CommsSqlite.test.ts`],
    [
      ["speakers: after the failure, or the last launch", "WHERE id > ? AND", "WHERE id > 0 * ? AND"],
      [
        "speakers: replies that are instructions",
        "task_id = 'souffleur' AND message_type = 'instruction'",
        "task_id = 'souffleur'"
      ],
      ["speakers: of the Conductor and the watch's sessions", " OR ${also}))) AND", " OR 1))) AND"],
      ["speakers: a sender is a text", "(typeof(sender) = 'text'\n        AND (", "(1\n        AND ("],
      ["speakers: a payload to souffleur or task-00", "task_id IN ('souffleur', 'task-00') AND", ""],
      [
        "speakers: a payload of a type that asks",
        " AND message_type IN ('handoff', 'context_warning', 'resumption', 'system')",
        ""
      ],
      ["speakers: a reply of who it names, whole", "' SESSION_ID:' || sender || ' '", "' SESSION_ID:' || sender"],
      ["speakers: what is refused hides nothing", "FROM said WHERE may ORDER BY", "FROM said ORDER BY"],
      ["speakers: who is refused, briefly", "substr(sender, 1, 64)", "sender"]
    ]
  ),
  ...mutantsOf(
    `${comms}/src/CommsSpeakers.ts`,
    [`${comms}/test/CommsHostile.test.ts`],
    [
      ["comms: no reply of megabytes", "AND octet_length(message) <= ${maxReplyBytes} THEN message", "THEN message"],
      ["comms: no payload of megabytes", "AND octet_length(message) <= ${maxPayloadBytes}", ""],
      ["comms: replies bounded", "most: maxReplies", "most: maxReplies * 100"],
      ["comms: no message whose id cannot be said", "AND id <= ${greatestId} AND", "AND"]
    ]
  ),
  ...mutantsOf(
    "packages/comms/src/CommsTables.ts",
    [`${comms}/test/CommsSchema.test.ts`],
    [
      ["comms: a state in the middle of the list", '"needs_review",', '"needs_rewiew",'],
      ["comms: the state nobody of ours sets", '"exit_requested",', ""],
      ["comms: a type in the middle of the list", '"rejection",', '"rejections",'],
      ["comms: the type nobody of ours writes", '"emergency",', ""]
    ]
  ),
  ...mutantsOf(
    `${comms}/src/CommsSchema.ts`,
    [`${comms}/test/CommsHostile.test.ts`],
    [
      ["comms: no view", "WHERE m.type = 'view' AND", "WHERE m.type = 'mirage' AND"],
      ["comms: no virtual table", "m.rootpage = 0 AND", "m.rootpage = -1 AND"],
      ["comms: no trigger", "WHERE m.type = 'trigger' AND", "WHERE m.type = 'none' AND"],
      ["comms: no generated column", "hidden !== 0", "hidden === -1"],
      ["comms: ids that count", "id?.counts === 0", "id?.counts === -1"],
      ["comms: ids beyond what a number says are told", "return found?.yes === 1", "return found?.yes === 2"],
      [
        "comms: nothing is made beside what is no table",
        "if (unfit !== undefined) return yield* new",
        'if (unfit === "") return yield* new'
      ]
    ]
  ),
  ...mutantsOf(
    `${comms}/src/CommsSqlite.ts`,
    [`${comms}/test/CommsHostile.test.ts`],
    [
      ["comms: states of tasks that are not named", '${row.tasks ?? ""} ${row.states ?? ""}', '${row.tasks ?? ""}'],
      [
        "comms: no id that cannot be said",
        "FROM orchestration_messages WHERE id BETWEEN 1 AND ${greatestId}) AS lastMessageId",
        "FROM orchestration_messages) AS lastMessageId"
      ]
    ]
  ),
  ...mutantsOf(
    `${comms}/src/CommsFile.ts`,
    [`${comms}/test/CommsSqlite.test.ts`, `${comms}/test/CommsLinkSqlite.test.ts`],
    [
      ["comms: a schema that is ours", "if (lack !== undefined) return yield*", "if (false as boolean) return yield*"],
      ["comms: one use at a time", ", turn.withPermits(1))", ")"],
      [
        "comms: a beat never goes back",
        "CASE WHEN julianday(last_heartbeat) >= julianday(${time}) THEN last_heartbeat ELSE ${time} END",
        "${time}"
      ]
    ]
  )
]
