import { mutantsOf } from "./Mutant.ts"

const cli = "packages/cli"
const [tools, done] = [`${cli}/test/mcp/WatchTools.test.ts`, `${cli}/test/DoneCommand.test.ts`]

/** Mutants of the speakers inside an agent: their identity, what they may ask for, and what they hear. */
export const speakerMutants = [
  ...mutantsOf(
    `${cli}/src/watching/Caller.ts`,
    [done, tools],
    [
      ["speaker: the session that is launched just now", " || session === recovery?.launch?.sessionId", ""],
      [
        "speaker: its launch, where it says no session",
        'if (mine || (launch === "" && session === ""))',
        'if (launch === "" && session === "")'
      ],
      ["speaker: a command is of no session", 'session === "" || watch.kind === "command"', 'session === ""'],
      [
        "speaker: another conversation of the same process",
        'if (same && (yield* processes.condition(conductor)) !== "gone") return',
        "if (false as boolean) return"
      ],
      ["speaker: … of no other agent below it", "conductor.pid === agentPid && ", ""],
      ["speaker: an earlier generation", 'watch.sessions.includes(session) ? "earlier generation" :', ""]
    ]
  ),
  ...mutantsOf(
    `${cli}/src/commands/DoneCommand.ts`,
    [done],
    [
      [
        "done: the Conductor's own word",
        'if (!over && Option.isNone(flags.watch) && speaker !== "conductor"',
        'if ((false as boolean) && speaker !== "conductor"'
      ],
      ["done: of a watch that is named", "Option.isNone(flags.watch) && speaker", "speaker"],
      ["done: whose word it was", 'speaker === "conductor" ? "agent" : "operator"', '"agent"']
    ]
  ),
  ...mutantsOf(
    `${cli}/src/mcp/CommsTools.ts`,
    [`${cli}/test/mcp/CommsTools.test.ts`],
    [
      [
        "mcp: no row of others' own",
        "const own = ids.find((id) => reserved.has(id.trim().toLowerCase()))",
        "const own = undefined"
      ],
      ["mcp: no task twice", "ids.find((id, n) => ids.indexOf(id) !== n)", "undefined"]
    ]
  ),
  ...mutantsOf(
    `${cli}/src/mcp/Requests.ts`,
    [`${cli}/test/mcp/Requests.test.ts`],
    [["mcp: each message is a line", 'good.map((text) => text + newline).join("")', 'good.join("")']]
  ),
  ...mutantsOf(
    `${cli}/src/mcp/CallContext.ts`,
    [tools],
    [
      [
        "mcp: found by its launch from any folder",
        "Option.isSome(lives) ? lives : yield* unfinished({ project })",
        "yield* unfinished({ project })"
      ]
    ]
  ),
  ...mutantsOf(
    `${cli}/src/mcp/Call.ts`,
    [tools],
    [
      ["mcp: a failure says what to do", "`souffleur: ${failure.message}.`", '"It failed."'],
      ["mcp: a lock is waited for", "CommsErrand.patiently(CommsLink.use(act))", "CommsLink.use(act)"]
    ]
  ),
  ...mutantsOf(
    `${cli}/src/mcp/Answer.ts`,
    [tools],
    [
      ["mcp: whom the quiet hours keep", "if (wait !== undefined) return quiet(wait.until)", ""],
      [
        "mcp: who only observes, or is at its ceiling",
        "if (observe || ceiling !== undefined)\n",
        "if (false as boolean)\n"
      ],
      ["mcp: the third without progress", 'recovery?.purpose === "export"', "false"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/mcp/RecoveryTools.ts",
    [tools],
    [
      [
        "mcp: the words come before the state",
        'yield* onComms(here, (link) => link.post({ taskId: "souffleur", from: "task-00", type: "handoff", text, at }))\n  yield* onComms(here, (link) => link.setState("context_recovery", at))',
        'yield* onComms(here, (link) => link.setState("context_recovery", at))\n  yield* onComms(here, (link) => link.post({ taskId: "souffleur", from: "task-00", type: "handoff", text, at }))'
      ],
      ["mcp: why it is not asked for now", "if (never !== undefined) return", "if (false as boolean) return"],
      ["mcp: what was done since the launch", "const tasks = yield* progressOf(named)", "const tasks = null"]
    ]
  ),
  ...mutantsOf(
    `${cli}/src/mcp/WatchTools.ts`,
    [tools],
    [
      [
        "mcp: a beat in souffleur's own store",
        'if (here.watched !== undefined) yield* beats.beat(agentBeats(here.watched.id), { by: "agent", at })',
        ""
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/WatchStatus.ts",
    [tools],
    [["mcp: how long a heartbeat may be away", "+ Duration.toMillis(settings.heartbeatStaleAfter))", ")"]]
  ),
  ...mutantsOf(
    "packages/embed/src/explain/LastRecovery.ts",
    [tools],
    [["mcp: the newest reason", "events.slice(0, started).findLast(isReason)", "events.slice(0, 1).findLast(isReason)"]]
  ),
  ...mutantsOf(
    "packages/domain/src/evidence/Holding.ts",
    ["packages/embed/test/LiveSessions.test.ts"],
    [
      ["living: that very process", "identity.startTime === startTime && ", ""],
      ["living: no zombie", 'condition !== "zombie" && uid', "uid"],
      ["living: of this user", " && uid === processes.host.uid", ""]
    ]
  )
]
