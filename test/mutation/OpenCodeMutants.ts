import { mutantsOf } from "./Mutant.ts"

const openCode = "packages/opencode"
const sessions = [`${openCode}/test/OpenCodeSessions.test.ts`]
const rows = [`${openCode}/test/SessionRows.test.ts`]
const foreign = ["packages/node/test/ForeignRows.test.ts"]

/** Mutants of what souffleur knows of OpenCode, and of sessions that are rows of a database. */
export const openCodeMutants = [
  ...mutantsOf("packages/node/src/sqlite/ForeignRows.ts", foreign, [
    ["rows: a connection that cannot write", '? "mode=ro"', '? "mode=rw"'],
    ["rows: no file beside a closed database", '"mode=ro&immutable=1"', '"mode=ro"']
  ]),
  ...mutantsOf("packages/node/src/files/HostTrustedFiles.ts", foreign, [
    ["rows: a database that others may write", '["", "-wal", "-shm"]', '["-wal", "-shm"]'],
    ["rows: a file beside it that others may write", '["", "-wal", "-shm"]', '[""]']
  ]),
  ...mutantsOf(`${openCode}/src/SessionRows.ts`, rows, [
    ["opencode: a record without a bound", "bytes > maxRecord ||", ""],
    ["opencode: a piece of an output", "|| left.has(seq)", "", ...sessions],
    ["opencode: pieces of an output alone", "AND json_type(data, '$.part.state.metadata.output') = 'text'", ""],
    ["opencode: a session that was brought back", "before.last <= last", "true"],
    ["opencode: readers at once", "if (seq <= this.last) return", ""],
    ["opencode: lines that were read", "position >= batch.from &&", "false &&"],
    ["opencode: a record that is not as long as it was", "one.length !== length", "one.length > bytes.length"],
    ["opencode: the time of the newest event", "mtime, size", "size"]
  ]),
  ...mutantsOf(
    `${openCode}/src/OpenCodeCommand.ts`,
    [`${openCode}/test/OpenCodeCommand.test.ts`],
    [
      ["opencode: the highest permission alone", 'permission !== "bypassPermissions"', "false"],
      ["opencode: no window", "input: prompt,", "input: prompt,\n    window: true,"],
      ["opencode: no terminal", "if (!isRun(verb))", "if (false)"],
      ["opencode: a command that says it", 'requested === "bypassPermissions" ? undefined', "true ? undefined"],
      ["opencode: another database", " OPENCODE_DB", ""]
    ]
  ),
  ...mutantsOf(`${openCode}/src/OpenCodeCommand.ts`, sessions, [
    ["opencode: words behind the flags", 'if (word === "--") return undefined', ""],
    ["opencode: a title of ours", "flag === titled && value.startsWith(beginning)", "flag === titled"]
  ]),
  ...mutantsOf(
    `${openCode}/src/OpenCodeFlags.ts`,
    [`${openCode}/test/OpenCodeCommand.test.ts`],
    [
      ["opencode: a session that is published", "--share ", ""],
      ["opencode: an output that names the session", "value !== records[1]", "false"]
    ]
  ),
  ...mutantsOf(
    `${openCode}/src/OpenCode.ts`,
    [`${openCode}/test/OpenCodeCommand.test.ts`],
    [
      [
        "opencode: words in place of records",
        "addsFormat: !asksRecords(options.agentCommand.args)",
        "addsFormat: false"
      ]
    ]
  ),
  ...mutantsOf(`${openCode}/src/OpenCodeSayings.ts`, sessions, [
    ["opencode: a result out of the context", ' || jsonOf(time)["compacted"] !== undefined', ""],
    ["opencode: a tool that failed", 'status === "error"', "false"],
    ["opencode: a text of its own", "synthetic === true || ", ""],
    ["opencode: a summary that ends no turn", "summary === true || ", ""],
    ["opencode: a model that is asked again", 'finish === "tool-calls" || finish === "unknown"', "false"],
    ["opencode: an answer that is not whole", 'time["completed"] === undefined', "false"],
    ["opencode: an answer that was cut off", 'finish === "stop"', '!["tool-calls", "unknown"].includes(finish)'],
    ["opencode: the changes of a turn", 'info["summary"] === undefined ?', "true ?"],
    ["opencode: an error of the service", "if (isJson(error)) return [failureOf(error)]", ""],
    ["opencode: an account", 'case "ProviderAuthError":', 'case "never":']
  ]),
  ...mutantsOf(`${openCode}/src/OpenCode.ts`, sessions, [
    ["opencode: a call that is written again", "repeatsCalls: true,", ""],
    ["opencode: the use of subagents", "      subagents,\n", ""]
  ]),
  ...mutantsOf(`${openCode}/src/OpenCodeSessions.ts`, sessions, [
    ["opencode: one session of a title", " || other !== undefined", ""],
    [
      "opencode: subagents of subagents",
      "UNION SELECT session.id FROM session JOIN below ON session.parent_id = below.id",
      ""
    ]
  ]),
  ...mutantsOf("packages/session/src/lines/JsonRecord.ts", sessions, [
    ["record: a time in milliseconds", "? epochOf(timestamp) : time)", "? epochOf(timestamp) : undefined)"]
  ])
]
