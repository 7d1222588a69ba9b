import { mutantsOf } from "./Mutant.ts"

const src = "packages/plan/src"
const tests = "packages/plan/test"
/** Real repositories, and agents that are stood in for: each is dear. */
const conduct = (title: string) => `${tests}/Conduct.test.ts: ${title}`
const crash = (title: string) => `${tests}/RunCrash.test.ts: ${title}`

export const conductorMutants = [
  ...mutantsOf(
    "packages/plan/src/tasks/PlanFile.ts",
    ["packages/plan/test/Plan.test.ts"],
    [
      [
        "plan: as its group may write it, and nobody else",
        '{ others: "write as its group", atMost: maxBytes }',
        "{ atMost: maxBytes }"
      ],
      [
        "plan: no larger than a plan is",
        '{ others: "write as its group", atMost: maxBytes }',
        '{ others: "write as its group", atMost: 2 ** 32 }'
      ]
    ]
  ),
  ...mutantsOf(
    "packages/plan/src/Conduct.ts",
    [],
    [
      [
        "finish: the command that the run was opened with",
        "finishingDigest !== opened && !finishingAccepted",
        "false",
        crash("a finishing command that the plan has got since")
      ],
      [
        "finish: a person's word, each time",
        "finishingDigest !== opened && !finishingAccepted",
        "finishingDigest !== opened",
        crash("a finishing command that the plan has got since")
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/decide/RunDecider.ts`,
    [`${tests}/RunDecider.test.ts`],
    [
      [
        "run: opened once",
        'return run.phase === "new" ? ok(...opened(command, at))',
        "return true ? ok(...opened(command, at))"
      ],
      ["run: a run that exists", 'if (run.phase === "new") return no(', "if (false) return no("],
      ["run: the fence check of every word", 'by._tag === "Owner" && by.fence !== run.fence', "false"],
      [
        "run: an operator has no fence",
        'by._tag === "Owner" && by.fence !== run.fence',
        'by._tag !== "Owner" || by.fence !== run.fence'
      ],
      ["take: the fence that was seen", "return over === run.fence\n", "return true\n"],
      ["take: the next fence", "fence: run.fence + 1, owner", "fence: run.fence, owner"],
      ["leave: once", "return run.owner === null ? ok() : ok(Event.RunLeft", "return false ? ok() : ok(Event.RunLeft"],
      ["plan: the same is no revision", "return command.digest === run.digest ? ok() :", "return false ? ok() :"],
      [
        "start: the task that is next",
        'step._tag === "Start" && step.task.id === command.taskId',
        'step._tag === "Start"'
      ],
      [
        "start: when nothing else is under way",
        'step._tag === "Start" && step.task.id',
        '"task" in step && step.task.id'
      ],
      [
        "ask: no second agent at once",
        'if (step._tag !== "Ask" || step.role !== role) return',
        'if (step._tag === "Ask" && step.role !== role) return'
      ],
      [
        "ask: the role that is next",
        'if (step._tag !== "Ask" || step.role !== role) return',
        'if (step._tag !== "Ask") return'
      ],
      [
        "ask: a finisher in the completion alone",
        'step._tag === "Finish" && run.finishing === "not begun"',
        'run.finishing === "not begun"'
      ],
      ["ask: a finisher once", 'step._tag === "Finish" && run.finishing === "not begun"', 'step._tag === "Finish"'],
      [
        "ask: a reviewer is always a fresh one",
        'const session = role === "implementer" && task',
        "const session = task"
      ],
      ["ask: nobody goes on with a session that is held", " && !held.includes(task.implementer)", ""],
      [
        "ask: the same implementer goes on",
        "!held.includes(task.implementer) ? task.implementer : null",
        "!held.includes(task.implementer) ? null : null",
        conduct("rejected, then approved by the same implementer")
      ],
      ["ask: another agent has another token", "token: `a${run.assignments + 1}`", 'token: "a1"'],
      [
        "a word of an agent: its token",
        "run.assignment?.token === token ? then(run.assignment)",
        "run.assignment !== null ? then(run.assignment)"
      ],
      ["launched: once", "launch === null ? ok(Event.AgentLaunched", "true ? ok(Event.AgentLaunched"],
      [
        "never ran: not one that was seen to run",
        "launch === null ? ok(Event.AgentNeverRan",
        "true ? ok(Event.AgentNeverRan"
      ],
      ["wait: not before its end", "isWaitOver(run.wait, at)", "true"],
      ["wait: not as long as a clock was set back", "isWaitOver(run.wait, at)", "at >= run.wait.until"],
      [
        "pause: once",
        "return run.paused === null\n        ? ok(Event.RunPaused",
        "return true\n        ? ok(Event.RunPaused"
      ],
      [
        "resume: what is paused",
        "return run.paused === null ? ok() : ok(Event.RunResumed",
        "return false ? ok() : ok(Event.RunResumed"
      ],
      ["verify: nothing is left to do", 'next(run)._tag !== "Verify" || ', ""],
      ["verify: every task is complete", '|| !run.tasks.every(({ status }) => status === "completed"))', ")"],
      ["finish: in the completion alone", 'return next(run)._tag === "Finish"\n', "return true\n"],
      [
        "answer: a task of the run",
        'if (task === undefined) return no("never", `there is',
        'if (task === undefined) return ok()\n  if (false) return no("never", `there is'
      ],
      ["answer: a task that is escalated", "if (!waits) return", "if (false) return"],
      [
        "recount: of what waits for a reviewer",
        'step._tag === "Ask" && step.task.id === taskId && step.task.implementation !== null',
        'step._tag === "Ask" && step.task.implementation !== null'
      ],
      ["recount: once", "step.task.implementation.head === head ? [] :", "false ? [] :"],
      [
        "ending: of one that was seen to run",
        'launch === null\n    ? no("never", "it was not seen to run")\n    : ending',
        "launch === null\n    ? ok()\n    : ending"
      ],
      ["ending: once", ": ending !== null\n", ": false\n"],
      ["plan: a task that is no more is told", "...gone.map(({ id }) =>", "...gone.slice(gone.length).map(({ id }) =>"],
      [
        "finishing: answered where it failed",
        'return run.phase === "finished" && run.finishing === "failed"\n',
        "return true\n"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/decide/Ladder.ts`,
    [`${tests}/RunDecider.test.ts`],
    [
      ["report: a hint for a person", "hint: hint ?? null", "hint: null"],
      ["report: a verdict of its own role", "if (!fits) return", "if (false) return"],
      [
        "priority: a limit before any verdict",
        'if (report._tag === "Limited") return limited(run, assignment, report, time)\n',
        ""
      ],
      ["finisher: one that failed has not finished", 'return report._tag === "Failed"\n', "return false\n"],
      [
        "ladder: the third rejection is a person's",
        "task.rejections + 1 < personRung",
        "true",
        conduct("rejected to escalation, answered, finished")
      ],
      ["ladder: not before", "task.rejections + 1 < personRung", "task.rejections + 2 < personRung"],
      ["failures: the third in a row is a person's", "...(count < personRung", "...(true"],
      ["failures: what was lost with us does not count", 'before + (reason === "lost" ? 0 : 1)', "before + 1"],
      [
        "failures: each role has its own",
        'role === "implementer" ? task.failures : task.reviewFailures',
        "task.failures + task.reviewFailures"
      ],
      ["blocked: escalates at once", ', escalated(at, task.id, "blocked", report.message))', ")"],
      ["limit: a time that is over says nothing twice", "limitWait(at, waits, report", "limitWait(at, 0, report"],
      ["a dropped task: whatever its agent says", "if (task?.dropped) return", "if (false) return"]
    ]
  ),
  ...mutantsOf(
    `${src}/agent/AgentEnd.ts`,
    [`${tests}/AgentEnd.test.ts`],
    [
      [
        "agent: the intent to end it is in the log",
        '(yield* ref.dispatch({ _tag: "EndAgent", token: assignment.token, reason, limit: limitMillis, others })).assignment?.ending ?? null',
        "{ reason, limit: limitMillis, others, ref }"
      ],
      [
        "agent: other sessions are spared",
        "sessions.map(({ pid }) => pid)",
        "sessions.map(({ pid }) => pid).slice(sessions.length)"
      ],
      ["agent: known by its launch too", ": [], launchId }", ": [], launchId: undefined }"],
      [
        "agent: its time",
        "Effect.timeoutOption(processes.untilOver(started.process, pollInterval), leftMillis)",
        "processes.untilOver(started.process, pollInterval)"
      ],
      [
        "agent: its time goes on while nobody conducts",
        "started.at + limitMillis - (yield* Clock.currentTimeMillis)",
        "limitMillis - 0 * (yield* Clock.currentTimeMillis)"
      ],
      [
        "agent: a clock that was set back gives no more",
        "Math.min(limitMillis, Math.max(",
        "Math.min(Infinity, Math.max("
      ],
      [
        "agent: what it left is ended with it",
        "if (inTime && (others.length === 0 ||",
        "if (inTime && (true ||",
        crash("an agent that ended and left something")
      ],
      [
        "agent: what a finishing command has started goes on",
        '|| (assignment.role === "finisher" && finishing !== null)',
        "|| (finishing !== finishing)",
        crash("a process that a finishing command has started is")
      ],
      [
        "agent: who took too long",
        'inTime ? ("left running" as const) : ("timeout" as const)',
        '"left running" as const'
      ],
      [
        "agent: each signal is of a run that is ours",
        "const granted = ref.granted((run) =>",
        "const granted = Effect.sync(() => (run: { readonly assignment: Assignment | null }) =>",
        crash("a conductor that was overtaken sends no signal")
      ],
      ["agent: each signal is this assignment's own", "run.assignment?.token === assignment.token && ", ""],
      ["agent: a signal only where it is to be ended", " && run.assignment.ending !== null)", ")"],
      [
        "agent: what it started is still there",
        "return (yield* agentTree(assignment, started)).length > 0",
        "return false"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/run/Run.ts`,
    [`${tests}/RunDecider.test.ts`],
    [
      [
        "priority: the agent that runs",
        'if (run.assignment !== null) return { _tag: "Await", assignment: run.assignment }',
        ""
      ],
      ["priority: a finished run", 'if (run.phase === "finished") return { _tag: "Done" }', ""],
      ["priority: an escalation stops everything", "if (escalated !== undefined) return", "if (false) return"],
      ["priority: a wait", "if (run.wait !== null) return", "if (false) return"],
      ["priority: the task in progress before the next", "if (running !== undefined) return", "if (false) return"],
      [
        "priority: what is implemented is reviewed",
        'running.implementation === null ? "implementer" : "reviewer"',
        '"implementer"'
      ],
      [
        "priority: the finish after the verification",
        'return run.phase === "completion" ? { _tag: "Finish" } :',
        'return false ? { _tag: "Finish" } :'
      ],
      [
        "start: after what it depends on",
        'dependsOn.every((id) => (taskOf(run, id)?.status ?? "completed") === "completed")',
        "dependsOn.length >= 0"
      ],
      ["start: what is pending", 'status === "pending" && dependsOn', "dependsOn"]
    ]
  ),
  ...mutantsOf(
    `${src}/run/RunEvolution.ts`,
    [`${tests}/RunDecider.test.ts`],
    [
      [
        "ladder: the first rejection keeps the implementer",
        "task.rejections + 1 < freshImplementerRung ? task.implementer : null",
        "null"
      ],
      [
        "ladder: the second has a fresh one",
        "task.rejections + 1 < freshImplementerRung ? task.implementer : null",
        "task.implementer",
        conduct("rejected twice, then approved from a fresh implementer")
      ],
      ["ladder: a rejection counts", "rejections: task.rejections + 1,", ""],
      ["ladder: all feedback is kept", "[...task.feedback, feedback]", "[feedback]"],
      [
        "ladder: what was rejected is implemented again",
        "reviewed: task.implementation?.head ?? task.reviewed,\n        implementation: null,",
        "reviewed: task.implementation?.head ?? task.reviewed,"
      ],
      ["ladder: what was rejected was reviewed", "task.implementation?.head ?? task.reviewed", "task.reviewed"],
      ["failed: a fresh implementer", "lastFailure: message,\n        implementer: null", "lastFailure: message"],
      [
        "failed: what was lost does not count",
        'failures: task.failures + (reason === "lost" ? 0 : 1)',
        "failures: task.failures + 1"
      ],
      ["completed: its hint is over", "lastFailure: null,\n        lastHint: null", "lastFailure: null"],
      [
        "completed: failures in a row are over",
        "failures: 0,\n        reviewFailures: 0,\n        lastFailure: null",
        "lastFailure: null"
      ],
      ["a limit: no attempt", "attempts: attempt - 1, implementer", "implementer"],
      [
        "a limit: the session goes on",
        "unasked(run, { ...run.assignment, resumed: true })",
        "unasked(run, run.assignment)",
        crash("killed at any moment of a usage limit")
      ],
      [
        "never ran: its session was never begun",
        "implementer: resumed ? knownSession(sessionId) : null",
        "implementer: knownSession(sessionId)"
      ],
      ["a limit: a finisher is asked again", 'if (role === "finisher") return { finishing: "not begun" }', ""],
      [
        "recount: commits that are gone are implemented again",
        "...(head === null || commits.length === 0 || files.length === 0\n",
        "...(false\n"
      ],
      [
        "finished: not where the plan has got more to do",
        'run.phase === "implementation"\n        ? assignmentOver',
        "false\n        ? assignmentOver"
      ],
      ["waits in a row end with an assignment", "{ assignment: null, waits: 0 }", "{ assignment: null }"],
      ["a plan that got more goes on", "...(more ? { phase:", "...(false ? { phase:"]
    ]
  ),
  ...mutantsOf(
    "packages/plan/src/run/TaskEvolution.ts",
    [`${tests}/RunDecider.test.ts`],
    [
      ["a task that was dropped is forgotten", "!dropped || run.assignment?.taskId === id", "true"],
      ["a task that was dropped waits for its agent", "!dropped || run.assignment?.taskId === id", "!dropped"],
      [
        "answer: the ladder begins anew",
        "escalation: null, rejections: 0, failures: 0, reviewFailures: 0, implementer: null",
        "escalation: null, implementer: null"
      ],
      ["answer: a fresh implementer", "reviewFailures: 0, implementer: null }", "reviewFailures: 0 }"],
      [
        "answer: work that was not reviewed is",
        'task.escalation?.reason === "reviewer failures" ? task.implementation : null',
        "null"
      ],
      [
        "a plan keeps what was done",
        "...(taskOf(run, outline.id) ?? freshTask(outline)), ...outline",
        "...freshTask(outline)"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/agent/Verdict.ts`,
    [`${tests}/Verdict.test.ts`],
    [
      [
        "verdict: two in one stretch are none",
        "if (others.some(({ stretch }) => stretch === last.stretch)) return",
        "if (false) return"
      ],
      ["verdict: nothing is said after it", "if (last.followed) return", "if (false) return"],
      [
        "verdict: nothing after its fence",
        "block !== undefined && !open) block.followed = true",
        "block !== undefined && !open) open = false"
      ],
      ["verdict: nothing after a gap", "else if (gap) block.followed = true", "else if (gap) key = undefined"],
      ["verdict: nothing else in it", "} else block.followed = true", "}"],
      ["verdict: a word behind its header", 'return last.word === "" ? none(', 'return last.word === "none" ? none('],
      [
        "verdict: an approval with issues",
        'if (verdict._tag === "Approved" && listOf(last, "issues").length > 0) return',
        "if (false) return"
      ],
      [
        "verdict: what belongs to it",
        "const last = blocks.at(-1)\n",
        "const last = blocks.findLast((block) => wellFormed(block) !== undefined)\n"
      ],
      [
        "verdict: an approval says what was seen",
        'return text("summary") === "" ? undefined : { _tag: "Approved"',
        'return false ? undefined : { _tag: "Approved"'
      ],
      ["verdict: a completion names its work", "return named ? {", "return true ? {"],
      ["verdict: a block says why", 'return message === "" ? undefined : {', "return false ? undefined : {"],
      ["verdict: a prompt repeated is nothing", 'return isPlaceholder(plain) ? "" : plain', "return plain"],
      [
        "verdict: of its own role",
        "const blocks = blocksIn(printed, of[role])",
        "const blocks = blocksIn(printed, [...of.implementer, ...of.reviewer])"
      ],
      [
        "verdict: a word within a sentence is none",
        "more.length === 0 ? headers.find((known) => known === bare(first))",
        "true ? headers.find((known) => line.includes(known))"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/agent/Verdict.ts`,
    [`${tests}/Linear.test.ts`],
    [["verdict: what goes on without end", "before.length > maxLineCharacters ?", "(false as boolean) ?"]]
  ),
  ...mutantsOf(
    `${src}/decide/OpenDecider.ts`,
    [`${tests}/Opening.test.ts`],
    [
      [
        "open: what git does not bear out is a person's",
        "...doubted.map((taskId) =>",
        "...doubted.slice(doubted.length).map((taskId) =>"
      ],
      ["open: no finishing step before its work", "doubted.length === 0 ? finishing : null", "finishing"]
    ]
  ),
  ...mutantsOf(
    `${src}/decide/RunDecider.ts`,
    [],
    [
      [
        "verify: work that is lost is not complete",
        "if (lost.length > 0) {",
        "if (false) {",
        `${tests}/RunDecider.test.ts`
      ],
      [
        "verify: who is skipped loses nothing",
        "!skipped && work.commits.some",
        "work.commits.some",
        conduct("or a person decides")
      ],
      ["answer: of lost work", "|| lost ||", "||", conduct("or a person decides")]
    ]
  ),
  ...mutantsOf(
    `${src}/decide/RunDecider.ts`,
    [`${tests}/Hindered.test.ts`],
    [["failed: told once", 'return run.paused?.reason === "failed" ? ok() : ok(', "return false ? ok() : ok("]]
  ),
  ...mutantsOf(
    `${src}/Conduct.ts`,
    [`${tests}/Hindered.test.ts`],
    [
      [
        "failed: what the loop cannot go on with pauses it",
        "Effect.catchIf(effect, isHindrance, (error) =>",
        "Effect.catchIf(effect, (error): error is Hindrance => isHindrance(error) && false, (error) =>"
      ],
      [
        "failed: until git answers and the state file can be written",
        "return yield* Effect.isSuccess(Effect.andThen(git.status, writeState(statePath, run)))",
        "return (yield* Effect.isSuccess(Effect.andThen(git.status, writeState(statePath, run)))) || true"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/conducting/KeptRun.ts",
    ["test/nights/ConductHindered.test.ts"],
    [
      [
        "failed: a log that is out is told all the same",
        "return why === undefined ? Effect.void : outcry(id, audience, why)",
        'return why === why ? Effect.void : outcry(id, audience, why ?? "")'
      ]
    ]
  ),
  ...mutantsOf(
    "packages/plan/src/run/TaskEvolution.ts",
    [],
    [["answer: work that was lost begins anew", "task.begun && !lost", "task.begun", conduct("or a person decides")]]
  ),
  ...mutantsOf(
    `${src}/decide/OpenDecider.ts`,
    [`${tests}/RunDecider.test.ts`],
    [
      ["open: an unknown task is skipped", "tasks: tasks.filter(({ id }) => known(id))", "tasks"],
      ["open: an unknown task is told", "filter(({ id }) => !known(id))", "filter(() => false)"]
    ]
  ),
  ...mutantsOf(
    `${src}/decide/RunDecider.ts`,
    [`${tests}/RunDecider.test.ts`],
    [
      ["plan: a completed task that reads otherwise is told", "digest !== task.digest", "false"],
      ["plan: … and one that reads as it was done is not", "digest !== task.doneAs", "true"],
      ["plan: … nor one that was skipped", "!task.skipped && digest", "digest"],
      ["plan: … nor one that is still to do", 'task?.status === "completed" &&', "task !== undefined &&"]
    ]
  ),
  ...mutantsOf(
    `${src}/run/RunEvolution.ts`,
    [`${tests}/RunDecider.test.ts`],
    [["plan: as it was done is as it was approved", "doneAs: digest ?? null", "doneAs: null"]]
  ),
  ...mutantsOf(
    `${src}/Opening.ts`,
    [`${tests}/Opening.test.ts`],
    [
      [
        "plan: a task is known by all that is told of it",
        "[title, description, acceptanceCriteria, documents]",
        "[title, description, documents]"
      ],
      ["open: a completion names a commit", "commits.length === 0 || commits.some", "commits.some"],
      [
        "open: each commit is there",
        "commits.length === 0 || commits.some((one) => missing.has(one))",
        "commits.length === 0"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/git/Git.ts`,
    [`${tests}/GitPrograms.test.ts`],
    [
      [
        "git: a commit is known by its id alone",
        "const ids = commits.filter((commit) => commitId.test(commit))",
        "const ids = commits"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/git/GitProgram.ts`,
    [`${tests}/GitPrograms.test.ts`],
    [
      ["git: no monitor of the repository's", '"-c", "core.fsmonitor=false", ', ""],
      ["git: no hook of the repository's", ', "--no-optional-locks", "-c", "core.hooksPath=/dev/null"', ""],
      ["git: no filter of the repository's", 'git(args, "", filtersOff(listed))', "git(args)"],
      [
        "git: a filter that is taken away is not asked for",
        '[`filter.${name}.required`, "false"]',
        '[`filter.${name}.required`, "true"]'
      ],
      ["git: nothing is fetched", '  GIT_ALLOW_PROTOCOL: "none",\n  GIT_NO_LAZY_FETCH: "1",\n', ""],
      ["git: no replacement of a commit", '  GIT_NO_REPLACE_OBJECTS: "1",\n', ""],
      ["git: no graft of a commit", '  GIT_GRAFT_FILE: "/dev/null"\n', ""],
      ["git: an environment without keys", "environment: { ...variables, ...more }", ""],
      ["git: no relative part of PATH", '.filter((folder) => folder.startsWith("/"))', ""]
    ]
  ),
  ...mutantsOf(
    `${src}/git/Git.ts`,
    [`${tests}/GitPrograms.test.ts`],
    [
      ["git: what is within a submodule runs nothing", ', "--ignore-submodules=dirty"])\n', "])\n"],
      ["git: files of the whole repository", '"--no-relative", ', ""]
    ]
  ),
  ...mutantsOf(
    `${src}/git/Git.ts`,
    [],
    [
      [
        "git: a newline in a name makes no second file",
        'theirs(parts(files, "\\0"))',
        'theirs(files.split(/[\\0\\n]/u).filter((one) => one !== ""))',
        conduct("a reviewer reads names of files")
      ]
    ]
  ),
  ...mutantsOf(
    "packages/plan/src/git/Obstacle.ts",
    [],
    [
      [
        "history: what is under way",
        "if (doing !== null) return history(",
        "if (false) return history(",
        `${tests}/History.test.ts: a rebase or a merge in progress`
      ],
      [
        "history: the branch that its task began on",
        "run.branch !== undefined && branch !== run.branch",
        "false",
        `${tests}/History.test.ts: another branch, or none`
      ],
      [
        "history: what a task began from",
        'status === "in_progress" && base !== null',
        "false",
        `${tests}/History.test.ts: a task's base is approved work`
      ],
      [
        "history: approved work that is not there",
        "if (lost.length === 0) return undefined",
        "if (lost.length >= 0) return undefined",
        `${tests}/History.test.ts: approved work that the next task`,
        conduct("approved work that HEAD no longer has")
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/Conduct.ts`,
    [],
    [
      [
        "history: before the finishing step",
        "return yield* withoutObstacle(false, finish(run), run)",
        "return yield* finish(run)",
        `${tests}/History.test.ts: approved work that is taken back once`
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/state/StateFile.ts`,
    [`${tests}/StateFile.test.ts`],
    [
      [
        "state file: what is no piece of one is somebody else's",
        'return Result.fail(isSpoiled(text) ? "corrupt" : "foreign")',
        'return Result.fail("corrupt")'
      ],
      ["state file: what others wrote is carried through", "tasks, ...unknown(found, StateJson.fields) }", "tasks }"],
      ["state file: … in a task", "{ ...task, ...unknown(byId.get(task.id), StateTask.fields) }", "task"],
      ["state file: what is known is the log's", ".filter(([name]) => !Object.hasOwn(fields, name))", ""]
    ]
  ),
  ...mutantsOf(
    `${src}/state/StateStore.ts`,
    [`${tests}/StateFile.test.ts`],
    [
      [
        "state file: a backup is looked at",
        'if (there._tag === "Foreign") return yield* stateForeign(path, there)',
        'if (there._tag === "Foreign") return []'
      ],
      ["state file: a backup of another run is kept", "there.state.created_at === created_at && ", ""],
      [
        "state file: a spoiled one is kept",
        'before._tag === "Corrupt" && before.bytes.length > 0',
        'false as boolean && before._tag === "Corrupt"'
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/run/RunOwnership.ts`,
    [`${tests}/RunOwnership.test.ts`],
    [["beside: a work tree has one conductor", "const project = run.workTree\n", "const { project } = run\n"]]
  ),
  ...mutantsOf(
    `${src}/Opening.ts`,
    [`${tests}/Opening.test.ts`],
    [
      [
        "beside: of runs in the work tree",
        "const runs = yield* runsIn(git.root)",
        "const runs = (yield* runsIn(git.root)).filter(({ run }) => run.project === project)"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/publish/CommsProjection.ts`,
    [`${tests}/CommsProjection.test.ts`],
    [
      [
        "beside: no beat of a Conductor that is watched",
        " && !(yield* isOthers)) yield* Effect.ignore",
        ") yield* Effect.ignore"
      ],
      ["beside: no state of a Conductor that is watched", " || (yield* isOthers)) return", ") return"]
    ]
  ),
  ...mutantsOf(
    `${src}/tasks/Prompt.ts`,
    [`${tests}/Plan.test.ts`],
    [
      ["prompt: a reviewer reads the documents", '${references(planned, "reviewing")}', ""],
      ["prompt: a reviewer hears what the user decided", "${decided(guidance)}", ""],
      ["prompt: each line of it", "2. **Use TDD approach** - Write tests first, then implementation\n", ""]
    ]
  ),
  ...mutantsOf(
    `${src}/agent/Assignment.ts`,
    [],
    [
      [
        "prompt: a test file is there still",
        "testFile !== null && (yield* git.has(testFile))",
        "testFile !== null",
        conduct("a test file that somebody took away")
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/tasks/Prompt.ts`,
    [],
    [
      [
        "prompt: a file's name is quoted",
        "map((file) => `- ${quoted(file)}`)",
        "map((file) => `- ${file}`)",
        conduct("a reviewer reads names of files")
      ],
      [
        "prompt: nothing in a name goes unseen",
        "[\\u007f-\\u009f\\u2028\\u2029]|\\p{Cf}/gu",
        "\\u2028/gu",
        conduct("a reviewer reads names of files")
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/agent/Judging.ts`,
    [`${tests}/Judging.test.ts`],
    [
      [
        "judge: by the records of its own agent",
        "const agent = yield* assignedAgent(assignment)",
        "const agent = (yield* assignedAgent({ ...assignment, agent: null }))"
      ],
      [
        "judge: a session that was never told",
        'isSessionKnown(sessionId) ? message : "it never told its session"',
        "message"
      ],
      [
        "judge: an answer in text may quote a record",
        "Result.mapError(readVerdict(role, printed), () => none)",
        "Result.fail(none)"
      ],
      ["judge: the setting that lets an agent commit", "hint: commitSetting", 'hint: ""'],
      [
        "judge: an exit code that is known",
        "if (endedWell(end)) return undefined\n",
        "if (end !== null) return undefined\n"
      ],
      [
        "judge: a finished turn, where no exit code is known",
        'return (yield* recorded(assignment, output))?._tag === "Finished"\n',
        "return true\n"
      ],
      [
        "judge: the word of its launch",
        "(yield* (yield* PlanContext).words.digest(word)) !== assignment.word",
        "false"
      ],
      [
        "judge: no commit is no work",
        "if (head === null || fresh.commits.length === 0) return",
        "if (head === null) return"
      ],
      [
        "judge: commits that change nothing are no work",
        "if (fresh.files.length === 0 || work.files.length === 0)\n",
        "if (work.files.length === 0)\n"
      ],
      [
        "judge: commits that change nothing all together are no work",
        "if (fresh.files.length === 0 || work.files.length === 0)\n",
        "if (fresh.files.length === 0)\n"
      ],
      ["judge: new since what was reviewed last", "git.since(task.reviewed ?? task.base)", "git.since(task.base)"],
      [
        "judge: a test file is one that the work changed",
        "files.find((path) => path.endsWith(`/${name}`))\n",
        "files.find((path) => path.endsWith(`/${name}`)) ?? name\n"
      ],
      [
        "judge: a test file is there",
        "file !== undefined && (yield* git.has(file)) ? file",
        "file !== undefined ? file"
      ],
      [
        "judge: who approves has looked",
        "if (!(yield* agent.usedTools(assignment.sessionId))) return",
        "if (false) return",
        conduct("a reviewer that looked at nothing")
      ],
      [
        "judge: no session file is not one that shows nothing",
        "`the reviewer approved, and nothing shows",
        "`the reviewer approved, and shows"
      ],
      [
        "judge: what was reviewed is what is there",
        "if ((yield* git.head) !== (task.implementation?.head ?? null))\n",
        "if (false)\n"
      ],
      [
        "judge: an approval is looked at",
        'return said._tag === "Approved" ? yield* approval(task, assignment, said) : said',
        "return said"
      ],
      [
        "judge: a completion is looked at",
        'if (said._tag === "Complete") return yield* believed(task, said.testFile)',
        'if (said._tag === "Complete") return { _tag: "Completed" as const, head: (yield* (yield* PlanContext).git.head) ?? "", work: { commits: [], files: [], testFile: null } }',
        conduct("approved the first time"),
        conduct("an implementer that is complete without a commit")
      ],
      [
        "judge: who took too long said nothing",
        'if (ended._tag === "Failed") return ended satisfies AgentReport',
        'if (ended._tag === "Failed") return { _tag: "Approved", summary: "" } satisfies AgentReport'
      ],
      [
        "judge: a refusal of the service is none of the agent",
        "return (yield* refused(assignment, ended.output)) ?? unsaid(run, assignment, read.failure)",
        "return unsaid(run, assignment, read.failure)"
      ],
      [
        "judge: who was lost with us is not blamed",
        'reason === "no verdict" && assignment.fence !== run.fence',
        "false"
      ],
      [
        "judge: a record of this very assignment",
        "last !== undefined && last.at >= askedAt ? last",
        "last !== undefined ? last"
      ],
      [
        "judge: a finishing step that failed",
        "if (end !== null) return nothing",
        "if (end !== null) return done\n  if (false) return nothing"
      ],
      [
        "judge: a finishing step that nobody saw end",
        'return isAgent && (yield* recorded(assignment, output))?._tag === "Finished" ? done',
        "return true ? done"
      ],
      ["judge: a finishing step that the service refused", "if (limited !== undefined) return limited\n", ""],
      [
        "judge: who went on with us is",
        'reason === "no verdict" && assignment.fence !== run.fence',
        'reason === "no verdict"'
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/agent/Assignment.ts`,
    [`${tests}/Assignment.test.ts`],
    [
      [
        "agent: the intent to ask",
        'const run = yield* ref.dispatch({\n    _tag: "Ask",',
        "const run = yield* ref.state\n  void ({",
        conduct("approved the first time")
      ],
      [
        "agent: the intent to launch is in the log",
        'ref.dispatch({ _tag: "Prepare", token: assignment.token, launchId, digest, requested, effective, word }).pipe(',
        "Effect.succeed([digest, word]).pipe(",
        crash("killed at any of its moments")
      ],
      [
        "agent: that it runs is in the log",
        'return yield* ref.dispatch({ _tag: "Launched", token: assignment.token, launchId, process })',
        "return yield* ref.state",
        conduct("approved the first time")
      ],
      [
        "agent: the ceiling",
        "commandOf(run, assignment, effective, said)",
        'commandOf(run, assignment, "bypassPermissions" as typeof effective, said)'
      ],
      [
        "agent: the ceiling as it is at the launch",
        "clamp(requested, yield* ceilingNow(ref.dispatch))",
        "clamp(requested, run.pin.ceiling)"
      ],
      [
        "agent: a launch that failed is an assignment",
        'return yield* Effect.catchTag(launch(run, assignment), "LaunchFailed",',
        'return yield* Effect.catchTag(launch(run, assignment), "LaunchLost" as "LaunchFailed",',
        conduct("work that came to nothing is left")
      ],
      [
        "agent: one whose launch was lost is settled",
        "const taken = yield* launcher.settle(launchId)",
        "const taken = Option.none<ProcessIdentity>()\n  yield* Effect.sync(() => launcher)",
        crash("killed at any moment of its finishing step"),
        crash("killed at any of its moments")
      ],
      [
        "agent: each role has its time",
        'asked.role === "reviewer" ? settings.reviewerTimeout : settings.implementerTimeout',
        "settings.implementerTimeout",
        conduct("a reviewer that hangs is ended")
      ],
      [
        "agent: a task that the plan has",
        "if (planned === undefined || task === undefined) return yield*",
        "if (task === undefined) return yield*",
        crash("killed at any of its moments")
      ],
      [
        "agent: what was meant before a crash is done",
        "asked.ending ?? (yield* awaitEnding(asked, started, limit))",
        "yield* awaitEnding(asked, started, limit)",
        crash("killed at any moment while it ends")
      ],
      [
        "agent: it is ended",
        "  if (ending !== null) yield* endAgent(assignment, started)\n",
        "",
        conduct("an implementer that hangs is ended"),
        crash("killed at any moment while it ends")
      ]
    ]
  ),
  ...mutantsOf(
    "packages/plan/src/git/Obstacle.ts",
    [],
    [
      [
        "conduct: a conflict pauses",
        "if (conflicts.length > 0) return",
        "if (false) return",
        conduct("a conflict pauses")
      ],
      [
        "conduct: changes that nobody committed pause",
        "return dirty && changed.length > 0 ?",
        "return false ?",
        conduct("uncommitted changes pause the run")
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/Conduct.ts`,
    [],
    [
      [
        "conduct: what is complete leaves nothing uncommitted",
        'report._tag === "Completed" || report._tag === "Approved"',
        "false",
        conduct("a reviewer's uncommitted changes pause")
      ],
      [
        "conduct: what came to nothing may",
        'report._tag === "Completed" || report._tag === "Approved"',
        "true",
        conduct("work that came to nothing is left")
      ],
      [
        "conduct: an agent that runs is seen through",
        "if (assignment.launch === null) return yield* settleAssignment(assignment)",
        "if (assignment.launch === null) return yield* askAgent(assignment.role)",
        crash("killed at any of its moments")
      ],
      [
        "conduct: a wait is waited out",
        "Effect.andThen(sleepUntil(step.wait), ",
        "Effect.andThen(Effect.void, ",
        crash("killed at any moment of a usage limit"),
        crash("a usage limit is waited out to its end")
      ],
      [
        "conduct: a pause ends when it is put right",
        "if (!(yield* isRight(run))) return false",
        "",
        conduct("uncommitted changes pause the run")
      ],
      [
        "conduct: paused, nothing is done",
        "if (run.paused !== null || (yield* advance(run))",
        "if ((yield* advance(run))",
        conduct("a conflict pauses")
      ],
      [
        "conduct: a task starts in a clean tree",
        'case "Start":\n      return yield* withoutObstacle(\n        true,',
        'case "Start":\n      return yield* withoutObstacle(\n        false,',
        conduct("uncommitted changes pause the run")
      ],
      [
        "conduct: no agent is asked in a conflict",
        'return yield* withoutObstacle(false, step.role === "reviewer" ? review(step.task) : askAgent(step.role), run)',
        'return yield* step.role === "reviewer" ? review(step.task) : askAgent(step.role)',
        conduct("no agent is asked in a conflict")
      ],
      [
        "conduct: verified in a clean tree",
        "return yield* withoutObstacle(true, verify(run), run)",
        "return yield* verify(run)",
        conduct("complete work is verified")
      ],
      [
        "conduct: what is reviewed is what is there",
        'if (head === (task.implementation?.head ?? null)) return yield* askAgent("reviewer")',
        'if (true as boolean) return yield* askAgent("reviewer")',
        conduct("work that is gone before its review")
      ],
      [
        "conduct: who cannot be ended is a person's",
        'Effect.catchTag(seen, "StopFailed",',
        'Effect.catchTag(seen, "StopLost" as "StopFailed",',
        crash("an agent that cannot be ended pauses the run")
      ],
      [
        "conduct: paused until that one is gone",
        "return !assignment?.launch || !(yield* isLeft(assignment, assignment.launch))",
        "return true",
        crash("an agent that cannot be ended pauses the run")
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/run/RunOwnership.ts`,
    [`${tests}/RunOwnership.test.ts`],
    [
      ["run: a live owner is not overtaken", "run.owner !== null && !(yield* claims.isDead(run.owner))", "false"],
      ["run: its project is claimed", "claims.claim({ project }),", "Effect.asVoid(Effect.succeed(claims)),"],
      [
        "run: its project is claimed again",
        "Effect.andThen(claims.claim({ project })),",
        "Effect.andThen(Effect.asVoid(Effect.succeed(claims))),"
      ],
      ["run: what another has claimed is left to it", "Effect.andThen(unlessLost(lost), granted(so))", "granted(so)"],
      ["run: … without a word more", "Effect.andThen(unlessLost(lost), ref.dispatch(intent))", "ref.dispatch(intent)"],
      ["run: its project is released", "() => claims.release({ project })", "() => Effect.void"],
      [
        "run: left at the end",
        'isMeant(exit) ? Effect.ignore(ref.dispatch({ _tag: "Leave" })) : Effect.void',
        "Effect.void"
      ],
      ["run: under its own fence", 'makeRunRef(id, { _tag: "Owner", fence })', 'makeRunRef(id, { _tag: "Operator" })'],
      ["run: granted to its owner alone", "run.fence === fence && so(run) ? Effect.void", "so(run) ? Effect.void"],
      [
        "run: granted for what is true of it",
        "run.fence === fence && so(run) ? Effect.void",
        "run.fence === fence ? Effect.void"
      ],
      ["run: the fence that was seen", "over: run.fence, ...", "over: (yield* loadRun(id)).fence, ..."]
    ]
  ),
  ...mutantsOf(
    `${src}/run/RunOwnership.ts`,
    [`${tests}/Opening.test.ts`],
    [
      ["run: of two plans that begin at once one", "  yield* refuseOtherConductor(runs, id)\n", ""],
      ["run: no agent at work of a plan that began at once", "  yield* refuseLeftAgent(runs, id)\n", ""]
    ]
  ),
  ...mutantsOf(
    `${src}/run/Neighbours.ts`,
    [`${tests}/Opening.test.ts`, `${tests}/RunOwnership.test.ts`],
    [
      [
        "neighbours: an owner that is dead is nobody",
        "run.owner === null || (yield* claims.isDead(run.owner))) continue",
        "run.owner === null) continue"
      ],
      [
        "neighbours: what may have been launched is settled",
        "if (id === mine || assignment === null)",
        "if (id === mine || assignment?.launch == null)"
      ],
      [
        "neighbours: what an agent has started",
        "launched === null || !(yield* isLeft(assignment, launched))",
        "launched === null"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/Opening.ts`,
    [`${tests}/Opening.test.ts`],
    [
      ["open: nobody else conducts in this project", "    yield* refuseOtherConductor(runs)\n", ""],
      ["open: no agent at work of another plan", "    yield* refuseLeftAgent(runs, known?.id)\n", ""],
      [
        "open: of two at once one is opened",
        "Effect.retry({ while: isTaken })",
        "Effect.retry({ while: (error) => isTaken(error) && false })"
      ],
      [
        "open: not somebody else's state file",
        'if (state._tag === "Foreign") return yield* stateForeign(statePath, state)\n    if',
        "if"
      ],
      [
        "open: a state file of another workflow",
        "if (json.workflow_id === workflowId)\n",
        "if (workflowId === workflowId)\n"
      ],
      [
        "open: the run that there is goes on",
        "yield* runOfPlan(project, path)",
        "Option.filter(yield* runOfPlan(project, path), () => false)"
      ],
      [
        "open: a state file that is gone is told",
        'yield* dispatchRun(known.id, { _tag: "RebuildStateFile"',
        'if (false as boolean) yield* dispatchRun(known.id, { _tag: "RebuildStateFile"'
      ],
      ["open: a backup that stands alone, of this run", " && backup.state.workflow_id === workflowId)", ")"],
      ["open: no warning of what never was", 'found: backup._tag === "Corrupt" ?', "found: backup._tag ?"]
    ]
  ),
  ...mutantsOf(
    `${src}/state/StateStore.ts`,
    [`${tests}/StateFile.test.ts`],
    [
      [
        "state file: a backup before every write",
        "yield* replaceDurably(backupOf(path), before.text)",
        "",
        conduct("a damaged state file is written")
      ],
      [
        "state file: somebody else's is left as it is",
        'if (before._tag === "Foreign") return yield* stateForeign(path, before)',
        ""
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/agent/Assignment.ts`,
    [],
    [
      [
        "forgotten: what lay there before is not",
        ".filter((file) => !untrackedBefore.includes(file))",
        "",
        conduct("a file that its implementer forgot")
      ],
      [
        "forgotten: told to the reviewer",
        "testFile: there ? testFile : null } }, word, forgotten)",
        "testFile: there ? testFile : null } }, word)",
        conduct("a file that its implementer forgot")
      ],
      [
        "forgotten: told to the implementer",
        "implementerPrompt(planned, task, word, forgotten)",
        "implementerPrompt(planned, task, word)",
        conduct("a file that its implementer forgot")
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/tasks/Circles.ts`,
    [`${tests}/Plan.test.ts`],
    [
      [
        "plan: who merely waits for a circle is on none",
        "if (circle.length > 1 || next[task]!.includes(task)) circles",
        "circles"
      ],
      ["plan: a task that waits for itself", " || next[task]!.includes(task)) circles", ") circles"],
      [
        "plan: each circle apart",
        "if (earliest.get(task) !== order.get(task)) continue",
        "if (path.length > 0) continue"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/publish/WorkProblem.ts`,
    ["packages/embed/test/RunSentence.test.ts"],
    [
      ["escalation: as many issues as a person reads", "lines.slice(0, maxLines).map(short)", "lines.map(short)"],
      [
        "escalation: as much of each as a person reads",
        "lines.slice(0, maxLines).map(short)",
        "lines.slice(0, maxLines)"
      ],
      ["escalation: the last rejection's issues", "(last?.issues ?? [])", "(earlier[0]?.issues ?? [])"]
    ]
  ),
  ...mutantsOf(
    `${src}/publish/RunNotice.ts`,
    [`${tests}/RunPublisher.test.ts`],
    [["run notice: room for what to do", "text.length > 1500 ?", "false ?"]]
  ),
  ...mutantsOf(
    `${src}/git/Exclude.ts`,
    [`${tests}/Exclude.test.ts`],
    [
      [
        "exclude: what others may write is left",
        "if (Result.isFailure(found)) return found.failure.missing ?",
        "if (Result.isFailure(found)) return found.failure ?"
      ],
      [
        "exclude: nor in a folder that they may",
        "  yield* lookTrusted(paths.dirname(path), { ...ours, folder: true })\n",
        ""
      ],
      [
        "exclude: where git says",
        'const [where = ""] = (yield* git(["rev-parse", "--git-path", "info/exclude"])).split("\\n")',
        'const where = ".git/info/exclude"'
      ],
      [
        "exclude: what git tracks is told",
        "...tracked.map((name) =>",
        "...tracked.slice(tracked.length).map((name) =>"
      ],
      [
        "exclude: once",
        "patterns.filter((pattern) => !lines.includes(pattern))",
        "patterns.filter((pattern) => lines !== pattern as unknown)"
      ],
      ["exclude: not what is ignored", ".filter(({ name }) => !known.has(name))", ""],
      ["exclude: a name is no pattern", "`/${file.replaceAll(/[\\\\*?[\\]]/gu", "`/${file.replaceAll(/[\\\\]/gu"],
      ["exclude: within the work tree", 'name.startsWith("..") || ', ""],
      ["exclude: what was there stays", 'text === "" || text.endsWith("\\n") ? text', "true ? text"]
    ]
  ),
  ...mutantsOf(
    `${src}/publish/RunPublisher.ts`,
    [`${tests}/RunPublisher.test.ts`],
    [
      ["run publisher: not twice", "notice === undefined || revision <= published", "notice === undefined"],
      ["run publisher: what is told is marked", ".pipe(Effect.andThen(cursor.advance(stream, revision)))", ""],
      [
        "run publisher: until its conductor leaves",
        'event._tag === "RunLeft" && revision > from',
        'event._tag === "RunLeft"'
      ]
    ]
  )
]
