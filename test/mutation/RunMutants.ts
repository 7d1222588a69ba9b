import { mutantsOf } from "./Mutant.ts"

const [src, tests] = ["packages/plan/src", "packages/plan/test"]

/** Mutants of what a run reads, keeps and tells beside its loop: plans, prompts, its state file, comms, its log. */
export const runMutants = [
  ...mutantsOf(
    `${src}/agent/SaidOutput.ts`,
    [`${tests}/SaidOutput.test.ts`],
    [
      ["heard: by its records alone", "records.length === 0", "records.length >= 0"],
      ["heard: each answer by itself", 'records.join("\\n\\n")', 'records.join("\\n")']
    ]
  ),
  ...mutantsOf(
    `${src}/agent/AssignedAgent.ts`,
    [`${tests}/AssignedAgent.test.ts`],
    [
      [
        "heard: in its own format",
        "agent.joined.only(program ?? (yield* agent.joined.programOf(sessionId)))",
        "Option.none<typeof agent>()"
      ],
      [
        "chosen session: one that can be one",
        "Option.filter(found, (id) => Result.isSuccess(parseSessionId(id)))",
        "Option.filter(found, (id) => Result.isSuccess(parseSessionId(id)) || true)"
      ],
      [
        "chosen session: looked for at all",
        "if (isSessionKnown(assignment.sessionId)) return assignment\n",
        "return assignment\n",
        `${tests}/RunCrash.test.ts: killed at any of its moments, it learns the session that an agent chose`
      ],
      ["chosen session: while it works", "Effect.andThen(reports, Effect.never)", "Effect.never"]
    ]
  ),
  ...mutantsOf(
    `${src}/agent/Assignment.ts`,
    [`${tests}/AssignedAgent.test.ts`, `${tests}/Assignment.test.ts`],
    [
      [
        "chosen session: also after its end",
        "const assignment = yield* reportSession(asked, started)",
        "const assignment = asked"
      ],
      [
        "chosen session: asked for without one",
        "Effect.provideService(sessionToBegin, Agent,",
        "Effect.provideService(freshSessionId, Agent,"
      ],
      ["a reviewer is to change nothing", "...(looks ? { looks } : {})", ""]
    ]
  ),
  ...mutantsOf(
    `${src}/agent/AgentEnd.ts`,
    [`${tests}/AssignedAgent.test.ts`],
    [
      ["chosen session: known by its launch until then", "isSessionKnown(sessionId) ? [sessionId] : []", "[sessionId]"],
      [
        "chosen session: before what it left running",
        "const assignment = yield* reportSession(asked, started)",
        "const assignment = asked"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/decide/RunDecider.ts`,
    [`${tests}/RunDecider.test.ts`],
    [
      ["chosen session: told once", "isOthers || isSessionKnown(sessionId)", "isOthers"],
      [
        "chosen session: a reviewer's is not the implementer's",
        "isOthers || isSessionKnown(sessionId)",
        "isSessionKnown(sessionId)"
      ],
      [
        "chosen session: of an agent that runs",
        'if (launch === null) return no("never", "it was not seen to run")\n        // The imp',
        "// The imp"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/run/RunEvolution.ts`,
    [`${tests}/RunDecider.test.ts`],
    [
      [
        "chosen agents: kept",
        "...(chosen === undefined ? {} : { chosen })",
        "...(chosen === undefined ? { chosen: null } : { chosen })"
      ],
      [
        "chosen session: gone on with",
        'run.assignment.role === "implementer"\n              ? withTask',
        "(false as boolean)\n              ? withTask"
      ],
      [
        "chosen session: a reviewer's is its own",
        'run.assignment.role === "implementer"\n              ? withTask',
        "(true as boolean)\n              ? withTask"
      ],
      ["chosen session: none that was not told", "isSessionKnown(sessionId) ? sessionId : null", "sessionId"]
    ]
  ),
  ...mutantsOf(
    `${src}/publish/CommsProjection.ts`,
    [`${tests}/CommsProjection.test.ts`],
    [
      [
        "bulletin: a task that has not begun has no row",
        'case "pending":\n      return undefined',
        'case "pending":\n      return "available"'
      ],
      ["bulletin: a task that is no more is nobody's", '[id, "exited"]', "[id, undefined]"],
      [
        "bulletin: the Conductor after its tasks",
        "  for (const row of rows) {\n",
        "  yield* untilWritten(comms.setState(conductorState(run), at))\n  for (const row of rows) {\n"
      ],
      [
        "bulletin: what was before its conductor",
        "(revision > from ? run : evolveRun(run, event))",
        "(revision > 0 ? run : evolveRun(run, event))"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/run/RunLog.ts`,
    [`${tests}/RunLog.test.ts`],
    [
      ["runs: in streams of their own", 'prefix: "run/"', 'prefix: ""'],
      ["runs: over, though its conductor died", "[...held, ...last]", "[...last]"],
      ["runs: the last end first", ".toSorted((a, b) => b.state.lastEventAt - a.state.lastEventAt)", ""]
    ]
  ),
  ...mutantsOf(
    `${src}/state/StateFile.ts`,
    [`${tests}/StateFile.test.ts`],
    [
      [
        "state file: its phase",
        'run.phase === "completion" || run.phase === "finished" ? "completion" : "implementation"',
        '"implementation"'
      ],
      ["state file: JSON of another shape", '() => "foreign" as const', '() => "corrupt" as const'],
      ["state file: half a file", 'isSpoiled(text) ? "corrupt" : "foreign"', '"foreign"'],
      ["state file: attempts of a file from before", "attempts: task.attempts ?? 0", "attempts: 0"]
    ]
  ),
  ...mutantsOf(
    `${src}/state/StateStore.ts`,
    [`${tests}/StateFile.test.ts`],
    [
      [
        "state file: one that its group may write",
        '{ atMost: maxBytes, others: "write as its group" }',
        "{ atMost: maxBytes }"
      ],
      ["state file: one that is gone is missing", 'read.failure.missing ? { _tag: "Missing" } : {', "{"]
    ]
  ),
  ...mutantsOf(
    `${src}/agent/Verdict.ts`,
    [`${tests}/Verdict.test.ts`],
    [
      ["verdict: marks of Markdown are no part of it", 'stripped(line, "*_`# \\t", "*_`: \\t")', "line"],
      ["verdict: the last one", "const last = blocks.at(-1)\n", "const last = blocks.at(0)\n"],
      ["verdict: what controls a terminal is no part of it", 'text.replaceAll(/\\p{Cc}+/gu, " ").trim()', "text.trim()"]
    ]
  ),
  ...mutantsOf(
    `${src}/decide/OpenDecider.ts`,
    [`${tests}/RunDecider.test.ts`],
    [["open: a finishing step that was asked for before", "doubted.length === 0 ? finishing : null", "null"]]
  ),
  ...mutantsOf(
    `${src}/decide/RunDecider.ts`,
    [`${tests}/RunDecider.test.ts`],
    [
      [
        "ending: what it has started is in the log",
        "launchedAt: launch.at, limit, others }",
        "launchedAt: launch.at, limit, others: [] }"
      ],
      [
        "answer: what to do where the run is paused",
        "  paused === null\n    ? `task",
        "  (true as boolean)\n    ? `task"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/Conduct.ts`,
    [`${tests}/Conduct.test.ts: a conductor that waits stays`],
    [
      [
        "conduct: who waits stays",
        "if (isRunOver(run)) return run\n    yield* waiting(run)",
        "if (isRunOver(run) || true) return run\n    yield* waiting(run)"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/agent/Judging.ts`,
    [`${tests}/Judging.test.ts`],
    [
      [
        "judge: where its session was looked for",
        'nothing shows that it looked at anything: ${isSessionKnown(sessionId) ? message : "it never told its session"}',
        "looked at nothing"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/Opening.ts`,
    [`${tests}/Opening.test.ts`],
    [["open: a backup of its own alone", " && backup.state.workflow_id === workflowId)", ")"]]
  ),
  ...mutantsOf(
    `${src}/tasks/Plan.ts`,
    [`${tests}/Plan.test.ts`],
    [
      ["plan: what stands under a task's heading", "described.get(source.id) ?? ", ""],
      ["plan: its documents are each task's", "referenceDocs: [...common, ", "referenceDocs: ["]
    ]
  ),
  ...mutantsOf(
    `${src}/tasks/Prompt.ts`,
    [`${tests}/Plan.test.ts`],
    [
      ["prompt: an implementer reads the documents", '${references(planned, "implementing")}', ""],
      [
        "prompt: all feedback",
        "...newest(feedback.map(feedbackText))",
        "...newest(feedback.slice(-1).map(feedbackText))"
      ],
      [
        "prompt: within what a program can be given",
        "    if (leftBytes < 0) break\n",
        "    if (leftBytes < 0) leftBytes = maxBytes\n"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/Invocation.ts`,
    [`${tests}/Invocation.test.ts`],
    [
      ["invocation: in another folder", 'cwd === project ? "" :', 'cwd !== project ? "" :'],
      ["invocation: one word to a shell", `text.replaceAll("'", "'\\\\''")`, "text"]
    ]
  ),
  ...mutantsOf(
    `${src}/git/Git.ts`,
    [`${tests}/Git.test.ts`],
    [
      [
        "git: a repository is made where there is none",
        '${message.includes("not a git repository") ? ": make one with git init" : ""}',
        ": make one with git init"
      ],
      [
        "git: names of files are the project's",
        "files.map((file) => path.relative(`/${folder}`, `/${file}`))",
        "files",
        `${tests}/Git.test.ts: files are named from the project's folder on`
      ],
      [
        "git: a file is looked for where it is named from",
        '"ls-tree", "-z", "--name-only", "HEAD", "--", file',
        '"ls-tree", "-z", "--name-only", "--full-tree", "HEAD", "--", file',
        `${tests}/Git.test.ts: files are named from the project's folder on`
      ],
      [
        "git: names of conflicts are the project's",
        "conflicts: named(conflicts)",
        "conflicts",
        `${tests}/Git.test.ts: files with conflicts are named`
      ],
      [
        "git: no answer is no answer",
        'Effect.mapError(failed("which commit is checked out"))',
        "Effect.orElseSucceed(() => null)"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/publish/RunNotice.ts`,
    [`${tests}/RunPublisher.test.ts`],
    [
      ["notice: a wait for the service once", "return before.waits === 0", "return true"],
      [
        "notice: that a wait is over",
        "if (before.waits > 0 && outcomes.has(event._tag)) return",
        "if (false as boolean) return"
      ],
      ["notice: that a pause is over", "return before.paused !== null", "return before.paused === null"]
    ]
  ),
  ...mutantsOf(
    `${src}/tasks/Plan.ts`,
    [`${tests}/Plan.test.ts`],
    [["plan: one id for a list of it", 'typeof depends_on === "string" ? [depends_on] : depends_on', "[...depends_on]"]]
  ),
  ...mutantsOf(
    `${src}/state/StateFile.ts`,
    [`${tests}/StateFile.test.ts`],
    [
      ["state file: an escalation's cause and reason", "task.escalation === null ? {} :", "true ? {} :"],
      ["state file: a cause of ours", "isReason(reason) &&", ""],
      ["state file: why only of what is escalated", 'status === "escalated" && isReason', "isReason"],
      [
        "state file: a reason within its bounds",
        "message: boundedFeedback({ summary: message, issues: [], suggestions: [] }).summary",
        "message"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/plan/src/run/TaskEvolution.ts",
    [`${tests}/StateFile.test.ts`],
    [["state file: why a task was escalated before", "found.escalation ?? {", "{"]]
  ),
  ...mutantsOf(
    `${src}/tasks/PlanProblem.ts`,
    [`${tests}/Plan.test.ts`],
    [
      ["plan: a key of the entry, not of what is in it", "mark.indent === level &&", "mark.indent >= level &&"],
      ["plan: the entries below a list's key", '!(isEntry && typeof part === "number")', "true"],
      ["plan: lines of the file, not of its front matter", "line + above", "line"],
      ["plan: the key that was likely meant", "nearest.far <=", "nearest.far <"],
      ["plan: no key that nobody meant", "word.length < 4 ? 1 : 2", "9"],
      ["plan: a part of a key", "known.find((name) => word.length > 3", "known.find((name) => word.length > 300"],
      ["plan: the first of its problems", "problems.slice(0, maxProblems)", "problems"]
    ]
  ),
  ...mutantsOf(
    `${src}/tasks/PlanFile.ts`,
    [`${tests}/Plan.test.ts`],
    [
      [
        "plan: documents, whatever else is wrong",
        "...(Result.isFailure(judged) ? judged.failure : []), ...missing",
        "...(Result.isFailure(judged) ? judged.failure : missing)"
      ],
      ["plan: a line of its front matter is one of the file", "String(Number(line) + above)", "line"]
    ]
  ),
  ...mutantsOf(
    `${src}/tasks/PlanFile.ts`,
    [`${tests}/Plan.test.ts`],
    [["plan: marks of letters in its name", '    .replaceAll(/\\p{M}/gu, "")\n', ""]]
  ),
  ...mutantsOf(
    `${src}/state/StateFile.ts`,
    [`${tests}/StateFile.test.ts`],
    [
      [
        "state file: one that is being planned",
        "Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))",
        "Schema.NullOr(Schema.String)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/explain/RunProgress.ts",
    ["packages/embed/test/RunSentence.test.ts"],
    [
      ["progress: which task of how many", "return ` (${done + 1} of ${all}: ", "return ` ("],
      [
        "progress: how long an assignment took",
        "` (after ${Words.duration(event.at - before.assignment.launch.at)})`",
        '""'
      ]
    ]
  )
]
