import { mutantsOf } from "./Mutant.ts"

const recovery = "packages/recovery"
/** Whole cycles: without what runs programs and reads large files. */
const all = [
  "LaunchCeiling",
  "Recovery",
  "Holder",
  "ExportProvider",
  "StandardCompact",
  "Request",
  "ContinueTurn",
  "Restart"
].map((name) => `${recovery}/test/${name}.test.ts`)

export const recoveryMutants = [
  ...mutantsOf(
    "packages/domain/src/evidence/NeverBegan.ts",
    ["packages/domain/test/NeverBegan.test.ts"],
    [
      ["begin again: of an agent", 'kind === "agent" && handedFrom', "handedFrom"],
      ["begin again: not after a hand-over", "handedFrom === undefined && firstLaunch", "firstLaunch"],
      ["begin again: what souffleur launched first", "(launchId === firstLaunch.launchId ||", "(true ||"],
      ["begin again: also the second time", " || provider === stepNames.beginAgain)", ")"],
      ["begin again: without a sign of work", "muteFor !== undefined && retries", "retries"],
      ["begin again: without progress", "muteFor !== undefined && retries > 0", "muteFor !== undefined"],
      ["begin again: the decider asks", "step === stepNames.beginAgain && !neverBegan(watch)", "false"]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/watch/WatchEvolution.ts",
    ["packages/domain/test/NeverBegan.test.ts"],
    [
      ["mute: only what says nothing of a session", "every(({ source }) => mute.has(source))", "every(() => true)"],
      ["mute: a process that has only begun", "every(({ source }) => mute.has(source))", "every(() => false)"]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/providers/BeginAgain.ts`,
    [`${recovery}/test/BeginAgain.test.ts`],
    [
      ["begin again: nobody else's", "applies: neverBegan,", ""],
      [
        "begin again: no session has begun",
        "Effect.andThen(unlessBegun(watch), firstPrompt(watch))",
        "firstPrompt(watch)"
      ],
      ["begin again: several files are no proof", 'reason === "missing"', "true"],
      ["begin again: a session that its launch reports", ", ...Option.toArray(yield* reportedSession(watch))]", "]"],
      [
        "begin again: no longer than a first answer",
        "(watch.muteFor ?? Infinity) > stallsInARow",
        "false && 0 > stallsInARow"
      ],
      ["begin again: a call may stall three times", "> stallsInARow * Duration", "> 1 * Duration"],
      [
        "begin again: a prompt",
        'prompt ?? (yield* new NoExport({ message: "its first launch had no prompt" }))',
        'prompt ?? ""'
      ],
      [
        "begin again: the same session",
        "sessionOf === undefined && isSessionKnown(watch.sessionId) ? watch.sessionId : undefined",
        "undefined"
      ],
      ["begin again: an agent chooses its id", "sessionOf === undefined && isSessionKnown", "isSessionKnown"],
      ["begin again: the stop", "if (!alreadyKilled) yield* stopConductor(watch)", ""]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/steps/Step.ts`,
    [`${recovery}/test/Step.test.ts`],
    [
      [
        "step: the intent is in the log before the act",
        'const intent = (yield* watch.dispatch({ _tag: "StartStep", ...key, kind: self.kind ?? "act" })).recovery?.steps[name]',
        'const intent = { _tag: "Started" as const, token: name.replaceAll(/[^A-Za-z0-9]+/gu, "-") }'
      ],
      ["step: the outcome is recorded", 'watch.dispatch({ _tag: "SucceedStep", ...key, outcome })', "Effect.void"],
      ["step: the failure is recorded", 'watch.dispatch({ _tag: "FailStep", ...key, failure })', "Effect.void"],
      ["step: what is decided is not done again", 'if (last?._tag === "Succeeded") return', "if (false) return"],
      ["step: a recorded failure is final", 'if (last?._tag === "Failed")\n    return', "if (false)\n    return"],
      [
        "step: an open intent is reconciled by looking",
        "if (last !== undefined) {\n    const happened",
        "if (false) {\n    const happened"
      ],
      [
        "step: recording cannot be interrupted",
        "Effect.uninterruptibleMask((restore) => restore(happening)",
        "Effect.suspend(() => happening"
      ],
      ["granted: the cycle still runs", "now.recovery?.cycle !== cycle || now.fence", "now.fence"],
      ["granted: under its own fence", " || now.fence !== fence) return", ") return"]
    ]
  ),
  ...mutantsOf(
    "packages/process/src/process/EndProcess.ts",
    [`${recovery}/test/EndConductor.test.ts`],
    [
      [
        "stop: proven gone",
        "if (ended === undefined) return yield* new StopFailed",
        "if (false) return yield* new StopFailed"
      ],
      ["stop: its tree is proven gone", "if (stubborn.length > 0)\n", "if (false)\n"],
      [
        "stop: the tree before the first signal",
        "for (const info of [...before, ...(yield* tree)])",
        "for (const info of yield* tree)"
      ],
      ["stop: the tree after it", "[...before, ...(yield* tree)]", "[...before]"],
      [
        "stop: asked before each signal",
        "const signal = (name: Signal) => Effect.andThen(granted, ",
        "const signal = (name: Signal) => Effect.andThen(Effect.void, "
      ],
      ["stop: nothing is sent to what is gone", 'if (yield* gone) return "already gone" as const', ""],
      ["stop: SIGKILL after the grace", 'yield* signal("SIGKILL")', ""],
      ["stop: SIGTERM first", 'yield* signal("SIGTERM")', ""]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/port/Process.ts",
    [`${recovery}/test/EndConductor.test.ts`],
    [["process: waited for until it is over", "until: isOver }", "until: () => true }"]]
  ),
  ...mutantsOf(
    "packages/domain/src/port/Condition.ts",
    [`${recovery}/test/EndConductor.test.ts`],
    [
      [
        "process: a zombie does nothing any more",
        'condition === "gone" || condition === "zombie"',
        'condition === "gone"'
      ]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/steps/Fingerprint.ts`,
    [`${recovery}/test/Fingerprint.test.ts`],
    [
      [
        "fingerprint: what was changed is no export",
        "if (digest !== made.digest) return",
        "if (false as boolean) return"
      ],
      [
        "fingerprint: no link, and nobody else's to write",
        '{ own: true, others: "nothing", atMost: maxBytes }',
        '{ others: "write as its group", atMost: maxBytes }'
      ]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/evidence/EndJudgement.ts",
    ["packages/domain/test/EndJudgement.test.ts", "packages/watcher/test/EarlyEnding.test.ts"],
    [
      ["end: the turn of an agent", "if (!turnEnded) return undefined", ""],
      ["end: the exit code of a command", 'return endedWell(end) ? "complete" : undefined', 'return "complete"'],
      [
        "end: a command leaves what it means to leave",
        'if (kind === "command") return endedWell(end) ? "complete" : undefined',
        'if (kind === "command" && !endedWell(end)) return undefined'
      ],
      ["end: by itself", 'if (end !== undefined && !endedWell(end)) return "exit"', ""],
      ["end: nothing refused", 'if (refused) return "refused"', ""],
      ["end: not by an answer alone", "successor && !progressed && !saidDone", "false"],
      ["end: an answer confirms what was said", "successor && !progressed && !saidDone", "successor && !progressed"],
      ["end: a first Conductor may only answer", "successor && !progressed &&", "!progressed &&"],
      ["end: nothing left running", 'leftRunning > 0 && before !== "left-running"', "false"],
      ["end: left running twice is meant", 'leftRunning > 0 && before !== "left-running"', "leftRunning > 0"]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/decide/ExitDecider.ts",
    ["packages/domain/test/ExitDecider.test.ts"],
    [
      [
        "early end: the recovery for it",
        "...recoveryOf(watch, at, { trigger: reason, retries }, command)",
        '...recoveryOf(watch, at, { trigger: "pid", retries }, command)'
      ],
      [
        "early end: counts like a death",
        "Event.EndedEarly.make({ ...seen, reason, leftRunning, retries })",
        "Event.EndedEarly.make({ ...seen, reason, leftRunning, retries: 0 })"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/watch/RecoveryEvolution.ts",
    ["packages/domain/test/ExitDecider.test.ts"],
    [
      ["early end: the next generation knows it", "launchedFor: watch.recovery?.trigger,", "launchedFor: undefined,"],
      [
        "said: not where more was done since",
        "watch.saidDone && (watch.lastTasks === undefined || watch.lastTasks.taskCount === event.taskCount)",
        "watch.saidDone"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/watch/WatchEvolution.ts",
    ["packages/domain/test/ExitDecider.test.ts"],
    [
      ["said: by a finished turn", "evidence?.turnFinished === true : watch.saidDone", "true : watch.saidDone"],
      ["said: by progress alone", "retries === 0 ? evidence?.turnFinished", "retries >= 0 ? evidence?.turnFinished"],
      ["said: not by a refusal", 'event.reason === "refused" ? { saidDone: false }', 'event.reason === "refused" ? {}'],
      ["said: not by a limit", "waits: watch.waits + 1, saidDone: false", "waits: watch.waits + 1"],
      [
        "said: not by a request",
        "    saidDone: false,\n    handoff: { request, digest }",
        "    handoff: { request, digest }"
      ],
      ["said: not by another Conductor", "    retries: 0,\n    saidDone: false,", "    retries: 0,"]
    ]
  ),
  ...mutantsOf(
    "packages/watcher/src/Classify.ts",
    ["packages/watcher/test/Classify.test.ts"],
    [["said: the turn by its newest record", 'turn?._tag === "Finished"', "turn === undefined"]]
  ),
  ...mutantsOf(
    "packages/domain/src/describe/DescribeRecovery.ts",
    ["packages/domain/test/DescribeEvent.test.ts"],
    [["exhausted: likely done", 'trigger === "only-answered" ? likelyDone', "false ? likelyDone"]]
  ),
  ...mutantsOf(
    "packages/watcher/src/EarlyEnding.ts",
    ["packages/watcher/test/EarlyEnding.test.ts"],
    [
      ["ending: time to end", "{ until: (count) => count === 0, ...looks }", "{ times: 0 }"],
      ["ending: other agents are none of it", "others.map(({ pid }) => pid)", "[]"],
      ["ending: a recovery launched it", "successor: watch.provider !== undefined", "successor: false"],
      ["ending: the refusal of a permission", "refused: session?.refused === true", "refused: false"],
      ["ending: what was said before", "saidDone: watch.saidDone", "saidDone: false"],
      ["ending: the reason of the launch", "before: watch.launchedFor", "before: undefined"]
    ]
  ),
  ...mutantsOf(
    "packages/claude/src/session/TurnState.ts",
    ["packages/claude/test/TurnState.test.ts"],
    [
      ["refused: by the record", 'decision["decision"] === "reject"', "true"],
      ["refused: the newest tool alone", "refused ??= isRefusal(record)", "refused ||= isRefusal(record)"],
      ["refused: read as far back", "&& refused !== undefined", ""]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/providers/ResumeSession.ts`,
    [`${recovery}/test/ResumeSession.test.ts`],
    [
      ["resume: the stop", "if (!alreadyKilled) yield* stopConductor(watch)", ""],
      ["resume: a kill or a hang alone", "brokenOff.has(watch.recovery?.trigger) &&", "true &&"],
      [
        "resume: a way that has begun",
        "if (looking !== undefined || exporting !== undefined) return looking !== undefined",
        ""
      ],
      [
        "resume: an export that has begun",
        "if (looking !== undefined || exporting !== undefined) return looking !== undefined",
        "if (looking !== undefined) return true"
      ],
      ["resume: with comms the export", 'comms === null ? "resume" : "export"', '"resume"'],
      ["resume: the user's choice", "settings.recovery ??", ""],
      ["resume: not again without progress", "watch.provider === name && watch.retries > 0", "false"],
      ["resume: again after progress", "watch.provider === name && watch.retries > 0", "watch.provider === name"]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/steps/ResumableSession.ts`,
    [`${recovery}/test/ResumeSession.test.ts`],
    [
      ["resume: a file that is quiet", "if (sameMark(now, before)) return now", "return now"],
      ["resume: quiet for a second", "time - writtenAt >= Duration.toMillis(quietTime)", "true"],
      ["resume: a session that is sound", "if (message !== undefined) return yield* new NotResumable({ message })", ""],
      ["resume: a session that went on", "Effect.as(unlessStale(watch, { mark }), prompt)", "Effect.succeed(prompt)"]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/steps/ResumableSession.ts`,
    [`${recovery}/test/ContinueTurn.test.ts`],
    [
      [
        "continue: a session that is sound",
        "if (message !== undefined) return yield* new NotResumable({ message })",
        ""
      ]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/evidence/Resumable.ts",
    ["packages/domain/test/Resumable.test.ts"],
    [
      [
        "resumable: a file that is read",
        'if (signs === undefined) return "its session file cannot be read"',
        "if (signs === undefined) return undefined"
      ],
      [
        "resumable: a turn that is known",
        'if (turn === undefined) return "its session file does not tell the state of its turn"',
        "if (turn === undefined) return undefined"
      ],
      ["resumable: a turn that fitted", 'turn.reason === "prompt-too-long"', "false"],
      ["resumable: room in the window", "const roomFor = 0.9", "const roomFor = 1"],
      ["resumable: the user's threshold", "Math.min(threshold, Math.floor(", "Math.max(0, Math.floor("],
      ["resumable: bytes for tokens", "bytes / bytesPerToken > limit", "false"]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/providers/ExportProvider.ts`,
    [`${recovery}/test/Fingerprint.test.ts`],
    [["fingerprint: looked at right before the launch", "Effect.tap(() => unlessChanged(exported.path, made))", ""]]
  ),
  ...mutantsOf(
    `${recovery}/src/providers/SmallHandoff.ts`,
    [`${recovery}/test/Fingerprint.test.ts`],
    [
      [
        "fingerprint: looked at right before the launch from a hand-off",
        "Effect.tap(() => unlessChanged(handoff.path, handoff))",
        ""
      ]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/steps/Holder.ts`,
    [`${recovery}/test/Holder.test.ts`],
    [
      [
        "elsewhere: a session that another took",
        'if (holding._tag !== "Another") return',
        "if (true as boolean) return"
      ],
      [
        "elsewhere: another project's conversation",
        "if (holding.holds !== undefined && isWithin(project, yield* folderOf(holding.holds))) return",
        "if (holding.holds !== undefined) return"
      ],
      [
        "elsewhere: another conversation of its project is its own",
        "isWithin(project, yield* folderOf(holding.holds))",
        "false"
      ],
      ["elsewhere: the agent below its own wrapper", "if (own.some((pid) => pid === holding.by)) return", ""],
      ["elsewhere: … and no stranger's", " && !watch.sessions.includes(sessionId))", " && (false as boolean))"],
      [
        "elsewhere: of one that has ended nobody is spared",
        "if (yield* isGone(yield* Processes, conductor)) return",
        ""
      ],
      [
        "elsewhere: a person's word against the evidence",
        "conductor === undefined || forced || kind",
        "conductor === undefined || kind"
      ]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/steps/EndConductor.ts`,
    [`${recovery}/test/ResumeSession.test.ts`],
    [
      [
        "stop: no listing of all processes where no agent holds the session",
        "sessions.some(holds) ?",
        "(sessions.some(holds) || true) ?"
      ]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/steps/EndConductor.ts`,
    [`${recovery}/test/Holder.test.ts`],
    [
      [
        "stop: the agent below its wrapper goes with it",
        "!(holds(session) && own.includes(session.pid))",
        "(session.pid > 0 || own.includes(0))"
      ],
      ["stop: … but nobody whom it did not start", "holds(session) && own.includes(session.pid)", "holds(session)"]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/steps/EndConductor.ts`,
    [`${recovery}/test/EndConductor.test.ts`],
    [
      [
        "stop: an unknown process is not stopped",
        "if (conductor === undefined) return yield* new StopFailed",
        'if (conductor === undefined) return { ended: "already gone" as const, others: 0 }\n  if (false) return yield* new StopFailed'
      ],
      [
        "stop: other sessions are spared",
        "(holds(session) && own.includes(session.pid)) && session.pid !== beside?.pid",
        "(session.pid > 0 || own.includes(0) || beside)"
      ],
      ["stop: what was seen while it lived", "launchId, known }", "launchId, known: known.slice(known.length) }"],
      [
        "stop: whom souffleur launched beside",
        "if (beside === undefined) return stopped",
        "if (beside === undefined || (true as boolean)) return stopped"
      ],
      [
        "stop: … only that very process",
        "return (yield* isGone(yield* Processes, launched)) ? undefined : launched",
        "return launched"
      ],
      [
        "stopped: whom souffleur launched beside",
        "  if ((yield* launchedBeside(watch)) !== undefined) return false\n",
        ""
      ],
      [
        "one writer: whom souffleur launched beside",
        "if (beside !== undefined) return `process",
        "if (beside !== undefined && (false as boolean)) return `process"
      ],
      [
        "stopped: with all of its tree",
        "return (yield* conductorTree(watch, watch.conductor)).length === 0",
        "return true"
      ],
      [
        "stopped: the Conductor itself",
        "if (watch.conductor === undefined || !(yield* isGone(processes, watch.conductor))) return false",
        "if (watch.conductor === undefined) return false"
      ],
      [
        "one writer: who says that it holds the session",
        "if (holder !== undefined) return `process",
        "if (false as boolean) return `process"
      ],
      [
        "one writer: also of an earlier session",
        "watch.sessions.includes(session.sessionId))",
        "session.sessionId === watch.sessionId)"
      ],
      [
        "one writer: what is left of the old tree",
        "return left.length === 0 ? undefined :",
        "return true ? undefined :"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/process/src/process/AgentTree.ts",
    [`${recovery}/test/EndConductor.test.ts`, "packages/plan/test/AgentEnd.test.ts"],
    [
      [
        "stop: a reused pid and session",
        "const reused = sessions.some(({ pid }) => pid === root.pid) && (yield* isGone(processes, root))",
        "const reused = false"
      ],
      [
        "stop: a pid that is reused while it looks",
        "after.reused && !before.reused ? yield* treeBeside(after) : found",
        "found"
      ],
      ["stop: known by its launch", "launchId === undefined ? [] :", "true ? [] :"],
      ["stop: the root is no other", "others.filter((pid) => reused || pid !== root.pid)", "[...others]"]
    ]
  ),
  ...mutantsOf(
    "packages/process/src/process/AgentLaunch.ts",
    [...all, "packages/plan/test/Assignment.test.ts"],
    [
      [
        "launch once: in the log before it runs",
        "yield* record(yield* launcher.prepare(order))",
        "yield* launcher.prepare(order)"
      ]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/steps/LaunchHindrance.ts`,
    [`${recovery}/test/Restart.test.ts`],
    [
      ["undecided: settled before the next launch", "  yield* unlessLaunched(watch)\n", ""],
      ["undecided: only a process that runs", " || (yield* isGone(processes, ran.value))", " || ran.value.pid > 0"]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/watch/RecoveryEvolution.ts",
    [`${recovery}/test/Restart.test.ts`],
    [
      [
        "undecided: of a cycle that failed closed",
        "watch.recovery?.launch?.launchId ?? watch.undecided",
        "watch.undecided"
      ]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/steps/LaunchHindrance.ts`,
    [...all, `${recovery}/test/ProgramProvider.test.ts`, "test/scenarios/Death.test.ts"],
    [
      [
        "launch: complete cancels it",
        "  yield* unlessComplete\n  yield* unlessLaunched(watch)",
        "  yield* unlessLaunched(watch)"
      ],
      [
        "launch: one writer",
        "  yield* unlessLaunched(watch)\n  yield* oneWriter(watch)",
        "  yield* unlessLaunched(watch)"
      ],
      ["launch: its turn among the watches", "yield* (yield* LaunchSlots)(ref.id, launchSpacing)", ""]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/steps/Launch.ts`,
    [...all, `${recovery}/test/ProgramProvider.test.ts`, "test/scenarios/Death.test.ts"],
    [
      [
        "launch: the intent is in the log",
        'ref.dispatch({ _tag: "PrepareLaunch", cycle, launchId, digest, ...prepared })',
        "Effect.succeed([cycle, digest, prepared])"
      ],
      [
        "launch: the ceiling as it is at the launch",
        "clamp(request.requested, yield* ceilingNow(ref.dispatch))",
        "clamp(request.requested, yield* Effect.succeed(watch.pin.ceiling))"
      ],
      ["launch: the ceiling", "permission: effective,\n", "permission: request.requested as typeof effective,\n"],
      [
        "launch: a lost reply is settled",
        "const launchId = launchIdOf(watch.id, token)\n  return Option.map(yield* launcher.settle(launchId)",
        "const launchId = launchIdOf(watch.id, token)\n  return Option.map(Option.none<ProcessIdentity>()"
      ],
      [
        "launch: measured before it",
        "onNone: () => unreadBaseline({ ...watch.baseline, ...watch.lastTasks }, messageId ?? 0)",
        "onNone: () => unreadBaseline(watch.baseline)"
      ],
      [
        "launch: no prompt is made of what has run",
        "  const launched = yield* step(steps.launch, {\n",
        "  yield* prompt\n  const launched = yield* step(steps.launch, {\n"
      ],
      ["launch: signed", "prompt: (launchId) => signed(words, launchId)", "prompt: () => words"],
      ["launch: a new session is awaited", "resumes === undefined && watch.comms !== null", "false"],
      [
        "launch: without comms no session is awaited",
        "resumes === undefined && watch.comms !== null",
        "resumes === undefined"
      ],
      ["launch: a resumed session is known", "resumes === undefined && watch.comms !== null", "watch.comms !== null"],
      [
        "launch: from no export that is not the end any more",
        "if (from !== undefined) yield* unlessStale(watch, from)\n",
        ""
      ]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/steps/Launch.ts`,
    [`${recovery}/test/Provider.test.ts`],
    [["launch: by any provider it is one in a cycle", '    kind: "launch",\n', ""]]
  ),
  ...mutantsOf(
    `${recovery}/src/steps/StopConductor.ts`,
    [...all, "test/scenarios/TroubleScenario.test.ts"],
    [
      ["stop: not one that beats again", "yield* unlessBeating(watch, yield* unlessComplete)", "yield* unlessComplete"],
      ["stop: not one that goes on", "    yield* unlessMoving(watch)\n", ""],
      ["stop: not who is somebody else's by now", "    yield* unlessElsewhere(watch)\n", ""],
      [
        "stop: looked at right before the first signal",
        "Effect.andThen(stillDead(watch), Ref.set(signalled, true))",
        "stillGranted(watch)"
      ],
      [
        "stop: by this recovery, in one go with that",
        "    yield* stillGranted(watch)\n    yield* unlessMoving",
        "    yield* unlessMoving"
      ],
      [
        "stop: what was begun after it comes first",
        'if (recorded === undefined || recorded._tag === "Started") {',
        "{"
      ],
      ["stop: time to beat after an outage", "    yield* heardOut(watch)\n", ""],
      [
        "stop: not when nobody retries",
        "conductor === undefined || silent?.retried !== true) return\n",
        "conductor === undefined) return\n"
      ],
      ["stop: looked at in one go", "if (!brokenOff(before, yield* momentNow, maxCheckMillis)) return", "return"],
      ["stop: not for ever", "for (let check = 1; check <= maxChecks; check++)", "for (;;)"],
      [
        "stop: complete cancels it",
        "yield* unlessBeating(watch, yield* unlessComplete)",
        'yield* unlessBeating(watch, yield* Effect.catchTag(unlessComplete, "Completed", () => Effect.succeed(Option.none())))'
      ],
      ["stop: comms out proves nothing", "recovery.resumed || silent?.retried === true", "false"],
      ["stop: a reconciled stop looks", "gone ? Option.some<Stopped>({", "gone || true ? Option.some<Stopped>({"],
      ["stop: granted", "act: () => endConductor(watch, granted),", "act: () => endConductor(watch),"]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/steps/ExportConversation.ts`,
    [...all, "test/scenarios/TroubleScenario.test.ts"],
    [
      [
        "export: where its session stood before it was read",
        "Option.exists(now, (newer) => !sameMark(newer, mark))",
        "false"
      ]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/steps/CompactSession.ts`,
    [`${recovery}/test/StandardCompact.test.ts`, `${recovery}/test/CompactSession.test.ts`],
    [
      [
        "compact: a boundary alone is proof",
        'if (compacted !== "not yet") return yield* compactedAs(compacted)\n  return yield* new CompactFailed',
        'if (Option.isSome(waited)) return yield* compactedAs("summary")\n  return yield* new CompactFailed'
      ],
      [
        "compact: its session is proven gone",
        "if (ended === undefined) return yield* new CompactFailed",
        "if (false) return yield* new CompactFailed"
      ],
      [
        "compact: once more only when it is gone",
        "error instanceof CompactFailed && error.gone }",
        "error instanceof CompactFailed }"
      ],
      ["compact: once more, not twice", "schedule: compactOnceMore,", "times: 2,"],
      [
        "compact: one last look",
        'const compacted = yield* agent.compactedSince(mark)\n  if (compacted !== "not yet") return yield* compactedAs(compacted)\n  return',
        'const compacted = Option.isSome(waited) ? waited.value.compacted : "not yet"\n  if (compacted !== "not yet") return yield* compactedAs(compacted)\n  return'
      ],
      [
        "compact: a little for the summary",
        "if (Option.isSome(waited)) yield* wait(",
        "if (false as boolean) yield* wait("
      ],
      ["compact by hand: nobody holds the session before each attempt", "    yield* unheld(sessionId)\n", ""],
      [
        "compact by hand: where nobody holds it",
        "if (pid !== undefined) return yield* new SessionHeld",
        "if (pid !== 0) return yield* new SessionHeld"
      ],
      [
        "compact by hand: known by its marks too",
        "const pid = holder?.pid ?? tagged?.identity.pid",
        "const pid = holder?.pid ?? (tagged, undefined)"
      ],
      [
        "compact by hand: the ceiling",
        "permission: effective, prompt: compactPrompt",
        'permission: "bypassPermissions" as typeof effective, prompt: compactPrompt'
      ]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/providers/StandardCompact.ts`,
    [`${recovery}/test/StandardCompact.test.ts`, `${recovery}/test/SmallHandoff.test.ts`],
    [
      ["compact: nobody else writes", "      yield* unhindered(watch)\n", ""],
      ["compact: a late boundary counts", 'if (before !== "not yet") return yield* compactedAs(before)', ""],
      [
        "compact: an attempt whose reply was lost",
        "return Option.isNone(ran) ? Option.none() :",
        "return true ? Option.none() :"
      ],
      ["compact: the stop", "if (!alreadyKilled) yield* stopConductor(watch)", ""],
      ["compact: not what no longer fits", ' && recovery?.trigger !== "context",', ","]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/providers/ExportProvider.ts`,
    [
      `${recovery}/test/ExportProvider.test.ts`,
      `${recovery}/test/SmallHandoff.test.ts`,
      "test/scenarios/Compact.test.ts"
    ],
    [
      ["export: the stop", "if (!alreadyKilled) yield* stopConductor(watch)", ""],
      [
        "export: who escalates has stopped",
        "message: error.message, alreadyKilled: true",
        "message: error.message, alreadyKilled: false"
      ],
      ["export: the gate", "if (gate.estimated_tokens > gate.threshold)", "if (false)"],
      [
        "export: at the threshold it fits",
        "gate.estimated_tokens > gate.threshold",
        "gate.estimated_tokens >= gate.threshold"
      ],
      [
        "export: discarded when it does not fit",
        "Effect.andThen(discard, escalated(stage)(error))",
        "escalated(stage)(error)"
      ],
      [
        "export: discarded when it is not the end any more",
        '.pipe(Effect.tapErrorTag("Escalated", () => discard))',
        ""
      ],
      ["export: what cannot be trimmed is discarded", 'discarded("trim")', 'escalated("trim")'],
      ["export: where there is no estimate", 'Effect.catchTag("NoExport", discarded("estimate"))', "Effect.orDie"],
      ["export: where there is none", 'Effect.catchTag("NoExport", escalated("export"))', "Effect.orDie"],
      ["export: not one that filled its successor", 'recovery?.trigger !== "context" || provider', "true || provider"]
    ]
  ),
  ...mutantsOf(`${recovery}/src/Recovery.ts`, all, [
    [
      "retries exhausted: nothing is launched",
      'yield* purpose === "export" ? exportForPerson(watch, ref, cycle) : relaunch',
      'yield* (purpose as string) === "" ? exportForPerson(watch, ref, cycle) : relaunch'
    ],
    [
      "salvage: what could not be stopped is exported",
      'Effect.catchTag(stopConductor(watch), "FailedClosed", () => Effect.void)',
      "stopConductor(watch)"
    ],
    ["recovery: beats in the watcher's place", "Effect.raceFirst(recovering, beating)", "recovering"],
    [
      "recovery: complete after all",
      'Effect.catchTag("Completed", () => Effect.asVoid(ref.dispatch({ _tag: "CancelForCompletion", cycle }))),',
      'Effect.catchTag("Completed", () => Effect.void),'
    ],
    ["recovery: its end is told", 'yield* ref.dispatch({ _tag: "Relaunched", cycle, ...successor })', ""],
    [
      "recovery: that it failed closed is told",
      'Effect.asVoid(ref.dispatch({ _tag: "FailClosed", cycle, stage, message }))',
      "Effect.void"
    ],
    ["recovery: exhausted is told", 'yield* ref.dispatch({ _tag: "ExhaustRetries", cycle, exportPath })', ""],
    ["recovery: one provider after the other", "if (next === undefined) return", "if (true) return"],
    [
      "recovery: an escalation is told",
      'yield* ref.dispatch({ _tag: "Escalate"',
      'void ref.dispatch({ _tag: "Escalate"'
    ],
    ["recovery: who escalates has stopped", "{ ...entry, alreadyKilled }", "entry"],
    ["recovery: the ways of its kind", "of === watch.kind && applies", "applies"],
    ["recovery: the ways that apply", "&& applies?.(watch, settings) !== false)", ")"],
    [
      "recovery: an agent's words are forgotten",
      "if (watch.handoff !== undefined) yield* forgetHandoffFile(settings.stateDir, watch.handoff.request)",
      ""
    ]
  ]),
  ...mutantsOf(`${recovery}/src/steps/Request.ts`, all, [
    ["payload: newer than what was consumed", "after: baseline.lastMessageId, sessions", "after: 0, sessions"],
    [
      "payload: of that very request",
      "|| words.value.id !== request.messageId) return undefined",
      ") return undefined"
    ],
    [
      "payload: the words that were read, and no others",
      "if (words.value.digest === request.digest) return",
      "if (request.digest !== null) return"
    ],
    ["payload: one that is refused is told", "if (Option.isSome(refused)) yield* notTaken(refused.value)", ""],
    ["payload: only for a planned hand-off", 'if (watch.recovery?.trigger !== "handoff") return plainOf(watch)', ""],

    [
      "payload: the agent's own request first",
      "  if (watch.handoff !== undefined) {",
      "  if (watch.handoff !== undefined && (false as boolean)) {"
    ],
    [
      "payload: words that are lost are told",
      "return watch.handoff === undefined ? plainOf(watch) : lost(watch)",
      "return plainOf(watch)"
    ]
  ]),
  ...mutantsOf(`${recovery}/src/steps/Completion.ts`, all, [
    ["complete: cancels a stop and a launch", 'conductor.value.state === "complete") return', "false) return"]
  ]),
  ...mutantsOf(
    `${recovery}/src/providers/ContinueTurn.ts`,
    [`${recovery}/test/ContinueTurn.test.ts`],
    [
      ["continue: the stop", "if (!alreadyKilled) yield* stopConductor(watch)", ""],
      ["continue: an early end", '"turn-ended", "limit", ...EarlyEnd.literals', '"turn-ended", "limit"'],
      [
        "continue: a turn that ended, or a limit that is over",
        "recovery !== undefined && ended.has(recovery.trigger)",
        "true"
      ]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/providers/SmallHandoff.ts`,
    [`${recovery}/test/SmallHandoff.test.ts`],
    [
      ["small hand-off: the stop", "if (!alreadyKilled) yield* stopConductor(watch)", ""],
      [
        "small hand-off: only what no longer fits",
        'handedFrom !== undefined || recovery?.trigger === "context"',
        "true"
      ]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/providers/Restart.ts`,
    [`${recovery}/test/Restart.test.ts`],
    [
      ["restart: the stop", "if (!alreadyKilled) yield* stopConductor(watch)", ""],
      ["restart: nobody else", "Effect.andThen(unhindered(watch), runAgain(watch, token))", "runAgain(watch, token)"]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/providers/ProgramProvider.ts`,
    [`${recovery}/test/ProgramProvider.test.ts`],
    [
      ["program: the stop", "if (!alreadyKilled) yield* stopConductor(watch)", ""],
      ["program: what it cannot", 'if (answer._tag === "escalate") return', "if (false as boolean) return"],
      ["program: what must not be", 'if (answer._tag === "fail_closed") return', "if (false as boolean) return"]
    ]
  )
]
