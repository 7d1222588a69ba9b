import { mutantsOf } from "./Mutant.ts"

const src = "packages/domain/src"
const decider = ["packages/domain/test/WatchDecider.test.ts", "packages/domain/test/ExitDecider.test.ts"]

const exits = decider.toReversed()

export const domainMutants = [
  ...mutantsOf(
    `${src}/evidence/WorkProgress.ts`,
    ["packages/domain/test/WorkProgress.test.ts"],
    [
      ["progress: another state of the tasks", "? after !== before", "? is === was"],
      ["progress: what nobody counted is none", "if (tasks === null) return false", "if (tasks === null) return true"],
      ["progress: a commit that was not read", "was === unread || is === unread", "false"],
      ["progress: no commit is no other commit", 'is !== "" && is !== was', "is !== was"],
      ["progress: more results of tools", "is.results > was.results", "is.results !== was.results"],
      ["progress: another commit", "|| isAnotherCommit(before, after) === true", ""],
      ["progress: a command that runs long", "now - launchedAt >= longRun", "now - launchedAt > longRun"]
    ]
  ),
  ...mutantsOf(
    `${src}/port/MirroredBeat.ts`,
    ["packages/watcher/test/Watcher.test.ts", "packages/recovery/test/Recovery.test.ts"],
    [
      ["beats: in souffleur's own store first", "yield* beats.beat(watch, { by, at })", ""],
      ["beats: comms mirrors them", "return yield* comms.beat(at)", "return yield* Effect.void"]
    ]
  ),
  ...mutantsOf(
    "packages/process/src/process/RememberOffspring.ts",
    ["packages/watcher/test/Watcher.test.ts", "test/eventlog/LogTrouble.test.ts"],
    [
      [
        "offspring: nothing is learned of one that is gone",
        "  if (yield* isGone(processes, conductor)) return\n  const others",
        "  const others"
      ],
      [
        "offspring: an agent that loses its launcher",
        "  if (yield* isGone(processes, conductor)) return\n  const newest",
        "  const newest"
      ],
      ["offspring: no other agent's", "pid === conductor.pid ? [] : [pid]", "[]"],
      ["offspring: what was seen before", ", others, yield* offspring.recall(conductor))", ", others, [])"],
      ["offspring: so many", "newest.slice(0, maxOffspring)", "newest"],
      ["offspring: the newest", "second.startTime - first.startTime", "first.startTime - second.startTime"]
    ]
  ),
  ...mutantsOf(
    "packages/eventlog/src/Offspring.ts",
    ["packages/watcher/test/Watcher.test.ts", "test/eventlog/LogTrouble.test.ts"],
    [
      ["offspring: of that very Conductor", "`${bootId}/${pid}/${startTime}`", "`${bootId}/${pid}`"],
      [
        "offspring: what the file does not take",
        "last?.written === false || stored === undefined",
        "stored === undefined"
      ],
      ["offspring: for whoever comes next", "stored === undefined ? last?.text : stored.started", "last?.text"]
    ]
  ),
  ...mutantsOf(`${src}/decide/GuardDecider.ts`, decider, [
    [
      "restore: an owner that left",
      'if (watch.owner === undefined) return no("not now", "its souffleur has left")',
      ""
    ],
    ["restore: another owner meanwhile", "if (watch.fence !== command.over) return", "if (false) return"],
    ["restore: three without progress", "return restorations < attempts\n", "return true\n"],
    ["restore: long ago does not count", "at - watch.restored.at < steadyGuardMillis", "true"],
    ["end: a first launch only while validating", 'what === "first launch" && watch.phase !== "Validating"', "false"],
    ["end: said once", "Equal.equals(process, watch.ending) ? ok() : ok", "false ? ok() : ok"]
  ]),
  ...mutantsOf(
    `${src}/decide/WatchDecider.ts`,
    ["packages/recovery/test/Request.test.ts", "packages/supervisor/test/Bootstrap.test.ts"],
    [["refused words: told once of a kind", "watch.refused.includes(what) ? ok()", "(false as boolean) ? ok()"]]
  ),
  ...mutantsOf(
    `${src}/watch/Generation.ts`,
    ["packages/domain/test/Watch.test.ts"],
    [
      ["launched: also where it came back by itself", 'by === "heartbeat" ? watch.launched : undefined', "undefined"],
      [
        "launched: an operator's word leaves it alone",
        'by === "heartbeat" ? watch.launched : undefined',
        "watch.launched"
      ],
      [
        "launched: adopted, it is the launched process as before",
        "isSameProcess(conductor, watch.launched)",
        "(false as boolean)"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/port/Process.ts`,
    ["packages/domain/test/Watch.test.ts"],
    [["process: a pid alone is none", "one.startTime === other.startTime", "(true as boolean)"]]
  ),
  ...mutantsOf(`${src}/decide/WatchDecider.ts`, decider, [
    ["adopt: not beside a launch of the same moment", "launch !== undefined && launch !== settled", "false"],
    [
      "adopt: against the evidence",
      "conductor, forced = false, print, sessionId, settled } = command",
      "conductor, print, sessionId, settled } = command\n      const forced = false"
    ],
    ["the fence check of every word", "command.by.fence !== watch.fence", "false"],
    ["an end is an end", 'if (watch.phase === "Exited") return command._tag', "if (false) return command._tag"],
    ["open: a watch that exists", 'return watch.phase === "New"\n      ? ok(', "return true\n      ? ok("],
    [
      "take: a fence that is not in force any more",
      "watch.owner === undefined || watch.fence === command.over",
      "true"
    ],
    ["take: the next fence", "fence: watch.fence + 1, owner", "fence: watch.fence, owner"],
    [
      "fail validation: only while validating",
      'if (watch.phase !== "Validating") return no("not now", "the watch is validated")',
      ""
    ],
    ["validation: three attempts", "return attempt < attempts\n", "return true\n"],
    [
      "correct: only while validating",
      'return watch.phase === "Validating"\n        ? ok(Event.ArgumentsCorrected',
      "return true\n        ? ok(Event.ArgumentsCorrected"
    ],
    [
      "confirm: only while validating",
      'return watch.phase === "Validating"\n        ? ok(\n            Event.ConductorConfirmed',
      "return true\n        ? ok(\n            Event.ConductorConfirmed"
    ],
    [
      "watcher ready: only the current one",
      "command.watcher !== watch.watcher?.watcher || watch.monitor",
      "watch.monitor"
    ],
    ["watcher ready: once", "|| watch.monitor?.watcher === command.watcher ||", "||"],
    [
      "watcher ready: the old self-monitor stops",
      "...(watch.monitor === undefined\n              ? []",
      "...(true\n              ? []"
    ],
    ["monitor ready: settles once", 'watch.phase === "Settling" && ', ""],
    [
      "monitor ready: only the current one",
      " && watch.monitor?.monitor === command.monitor ? ok(Event.WatchSettled",
      " ? ok(Event.WatchSettled"
    ],
    ["deferred: only by the current watcher", "return watcher !== watch.watcher?.watcher || known ?", "return known ?"],
    ["deferred: once for a reason", "|| known ? ok()", "? ok()"],
    ["person: only by the current watcher", "if (watcher !== watch.watcher?.watcher || what ===", "if (what ==="],
    ["person: once", "|| what === (watch.person?.for ?? null)) return", ") return"],
    ["ceiling: told once", "|| watch.ceiling !== undefined ||", "||"],
    ["ceiling: of what is allowed by now", "|| since !== watch.allowedSince", ""],
    ["hand-off: of that very launch", "|| launchId !== watch.launchId ||", "||"],
    ["hand-off: told once", "|| watch.taken !== undefined) return", ") return"],
    [
      "watcher dead: by the current self-monitor",
      "command.monitor === watch.monitor?.monitor && command.watcher",
      "command.watcher"
    ],
    [
      "watcher dead: of the current watcher",
      " && command.watcher === watch.watcher?.watcher\n        ? ok(Event.WatcherLost",
      "\n        ? ok(Event.WatcherLost"
    ],
    [
      "self-monitor lost: the current one",
      'case "ReportSelfMonitorLost":\n      return command.monitor === watch.monitor?.monitor',
      'case "ReportSelfMonitorLost":\n      return watch.monitor !== undefined'
    ],
    [
      "adopt: not before validation",
      'if (watch.phase === "Validating") return no("not now", "the watch is not validated yet")',
      ""
    ]
  ]),
  ...mutantsOf(`${src}/decide/CycleDecider.ts`, decider, [
    ["a cycle: of the running one", "if (recovery?.cycle !== cycle) return", "if (recovery === undefined) return"],
    ["start step: decided is final", 'if (last !== undefined && last._tag !== "Started") return', "if (false) return"],
    ["start step: what a schedule may not grant again", "if (never !== undefined) return no", "if (false) return no"],
    ["start step: another attempt has another token", "(last?.attempt ?? 0) + 1", "1"],
    ["succeed step: with an open intent", 'if (recovery.steps[step]?._tag !== "Started") return', "if (false) return"],
    [
      "prepare launch: not when retries are exhausted",
      'return recovery.purpose === "relaunch" ? prepared',
      "return true ? prepared"
    ],
    [
      "prepare first launch: only while validating",
      'cycle === 0 && watch.phase === "Validating" && ',
      "cycle === 0 && "
    ],
    [
      "relaunched: a launch that was prepared",
      "if (recovery.launch?.launchId !== launchId) return",
      "if (false) return"
    ],
    ["exhaust: only where it was the third", 'return recovery.purpose === "export"\n', "return true\n"],
    [
      "second compaction: only after a failed first",
      'if (name === second && steps[first]?._tag !== "Failed") return',
      "if (false) return"
    ],
    ["launch: not once compaction is exhausted", 'if (steps[second]?._tag === "Failed") return', "if (false) return"],
    ["launch: one in a cycle", "return other === undefined ? undefined :", "return true ? undefined :"],
    [
      "launch: an open one counts",
      '(state._tag !== "Failed" || state.prepared)',
      '(state._tag === "Succeeded" || state.prepared)'
    ],
    ["launch: one that failed counts", " || state.prepared)", ")"],
    [
      "launch: what a provider calls it is its own affair",
      'if (kind !== "launch") return undefined',
      'if (!["6 launch", "resume"].includes(name)) return undefined'
    ]
  ]),
  ...mutantsOf(
    `${src}/watch/Watch.ts`,
    ["packages/domain/test/Watch.test.ts"],
    [["agent at work: that which a person chose", "agent ?? firstAgent", "firstAgent"]]
  ),
  ...mutantsOf(
    `${src}/watch/WatchEvolution.ts`,
    ["packages/domain/test/Watch.test.ts"],
    [["agent at work: that of the first launch", "firstAgent: event.agent ?? undefined,", ""]]
  ),
  ...mutantsOf(
    "packages/supervisor/src/Bootstrap.ts",
    ["packages/supervisor/test/FirstLaunch.test.ts"],
    [["agent at work: a command has none", 'kind === "command" ? null :', "false ? null :"]]
  ),
  ...mutantsOf(
    "packages/process/src/agent/JoinedAgents.ts",
    ["packages/process/test/AnyAgent.test.ts"],
    [["agent at work: by its session", ": joined.programOf(sessionId)", ": Effect.succeed(name)"]]
  ),
  ...mutantsOf(
    `${src}/decide/ExitDecider.ts`,
    [decider[0]!, "test/scenarios/HeartbeatOnly.test.ts"],
    [["a lost watcher: in the same mode", "mode: change.mode ?? watch.mode", 'mode: change.mode ?? "normal"']]
  ),
  ...mutantsOf(`${src}/decide/ExitDecider.ts`, exits, [
    [
      "exit: only of the current watcher",
      "if (watcher !== watch.watcher?.watcher) return ok()\n  const seen",
      "const seen"
    ],
    ["observe: nothing is done", "if (watch.observe) return withheld", "if (false) return withheld"],
    ["three deaths: no launch", "if (retries >= attempts) return", "if (false) return"],
    ["ceiling: no launch", "if (watch.ceiling !== undefined)\n    return withheld", "if (false)\n    return withheld"],
    ["quiet hours: no launch", "if (quietUntil !== null && quietUntil > at) return", "if (false as boolean) return"],
    [
      "priority: three deaths before a ceiling",
      "if (retries >= attempts) return [",
      "if (watch.ceiling === undefined && retries >= attempts) return ["
    ],
    ["retries: progress sets them to 0", "progress) ? 0 :", "progress) ? watch.retries :"],
    ["retries: without progress they go up", "0 : watch.retries + 1", "0 : watch.retries"],
    [
      "standby: a death is suppressed",
      'case "Dead": {\n      if (watch.standby !== undefined) return ok()',
      'case "Dead": {'
    ],
    [
      "standby: a hand-off is suppressed",
      'case "ContextRecovery": {\n      if (watch.standby !== undefined) return ok()',
      'case "ContextRecovery": {'
    ],
    [
      "standby: a turn's end is suppressed",
      'case "TurnEnded": {\n      if (watch.standby !== undefined) return ok()',
      'case "TurnEnded": {'
    ],
    [
      "standby: an exhausted context is suppressed",
      'case "ContextExhausted": {\n      if (watch.standby !== undefined) return ok()',
      'case "ContextExhausted": {'
    ],
    [
      "standby: a limit is suppressed",
      'case "Limited": {\n      if (watch.standby !== undefined) return ok()',
      'case "Limited": {'
    ],
    ["a wait ends once", "if (watch.wait === undefined) return ok()", ""],
    [
      "a wait is no death",
      "recoveryOf(watch, at, { trigger: watch.wait.trigger, retries: watch.retries }, {",
      "recoveryOf(watch, at, { trigger: watch.wait.trigger, retries: watch.retries + 1 }, {"
    ],
    ["one that went on is not replaced", '...(exit.how === "over" ?', "...(true ?"],
    [
      "back by itself: only from standby",
      'case "Returned": {\n      if (watch.standby === undefined) return ok()',
      'case "Returned": {'
    ],
    [
      "session found: only another one, or an awaited",
      "if (!watch.awaiting && sessionId === watch.sessionId) return ok()",
      ""
    ],
    ["resolved: only where it was not known", 'watch.mode === "heartbeat-only" && watch.standby === undefined', "true"]
  ]),
  ...mutantsOf(
    `${src}/decide/LimitWait.ts`,
    ["packages/domain/test/LimitWait.test.ts"],
    [
      ["a limit's own time is waited for", "Math.max(at, resetsAt) + margin", "at + margin"],
      ["a limit's time that is over is not in the past", "Math.max(at, resetsAt) + margin", "resetsAt + margin"],
      ["a limit's time that is over counts once", "(resetsAt > at || waits === 0)", "true"],
      ["a limit's end has a margin", "Math.max(at, resetsAt) + margin", "Math.max(at, resetsAt)"],
      ["waits in a row grow", "minute * 2 ** waits", "minute"],
      ["a limit's time that does not count is none", "{ resetsAt: null, until: at", "{ resetsAt, until: at"],
      ["no wait is longer than an hour", "Math.min(60 * minute, (kind", "Math.min(Infinity, (kind"]
    ]
  ),
  ...mutantsOf(`${src}/decide/RetryDecider.ts`, decider, [
    [
      "retry: only in standby, or at a ceiling",
      "const renewed = ceilings || watch.ceiling !== undefined ?",
      "const renewed = true ?"
    ],
    ["retry: not where only observed", "if (watch.observe) return no", "if (false as boolean) return no"]
  ]),
  ...mutantsOf(`${src}/decide/HandoffDecider.ts`, decider, [
    ["request: its own session alone", "if (sessionId !== watch.sessionId) return", "if (false) return"],
    ["request: not before validation", 'if (watch.phase === "Validating") return', "if (false) return"],
    ["request: not in standby", "if (watch.standby !== undefined)\n    return", "if (false)\n    return"],
    [
      "request: not during a recovery",
      'watch.recovery === undefined ? undefined : "a recovery runs already"',
      "undefined"
    ],
    ["request: counts once", "if (watch.handoff?.request === request) return ok()", ""],
    ["request: not asked for already", 'if (watch.wait?.trigger === "handoff")\n', "if (false)\n"],
    ["request: who asks has gone on", "    ...goneOn(watch, at, watcher),\n", ""]
  ]),
  ...mutantsOf(
    `${src}/decide/Guard.ts`,
    ["packages/domain/test/Guard.test.ts"],
    [
      ["guard: a late look counts for nothing", "if (late || now < known.notBefore)", "if (now < known.notBefore)"],
      ["guard: silence begins anew after a late look", "late ? begunAgain(before, now) : before", "before"],
      [
        "guard: a start that hangs while the clock is set back",
        "startedAt: before.startedAt === undefined ? undefined : now,",
        ""
      ],
      [
        "guard: a pause while the clock is set back",
        "Math.min(before.notBefore, now + shutOutMillis)",
        "before.notBefore"
      ],
      ["guard: who left is not guarded", 'if (owner === "left") return', 'if (owner === "left" && late) return'],
      ["guard: three starts that come to nothing", "failed >= maxFailedStarts ?", "false ?"],
      ["guard: strictly longer than the silence", "known.since) > silentAfter", "known.since) >= silentAfter"],
      ["guard: another owner, another count", "if (owner.fence !== before.fence) return", "if (false) return"]
    ]
  ),
  ...mutantsOf(
    `${src}/evidence/Heartbeat.ts`,
    ["packages/domain/test/Heartbeat.test.ts"],
    [
      ["heartbeat: a future value is unknown", "written === undefined || written > now", "written === undefined"],
      ["heartbeat: nothing is expected from before", ", notBefore))", "))"],
      ["heartbeat: one that changes is alive", "seen.changedAt ?? written", "written"]
    ]
  ),
  ...mutantsOf(
    `${src}/evidence/ClockGap.ts`,
    ["packages/domain/test/ClockGap.test.ts"],
    [
      ["late poll: what was seen does not count", "monotonic > 2 * dueMillis || ", ""],
      ["clocks apart: what was seen does not count", " || Math.abs(wall - monotonic) > Math.min(dueMillis, 2_000)", ""]
    ]
  ),
  ...mutantsOf(
    `${src}/settings/Permission.ts`,
    ["packages/domain/test/Permission.test.ts"],
    [
      ["the ceiling", ' && ceiling === "bypassPermissions" ?', " ?"],
      [
        "a permission that is none is not blamed on the ceiling",
        'return requested === "bypassPermissions"\n    ?',
        "return requested !== effective\n    ?"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/evidence/Judgement.ts`,
    ["packages/domain/test/Judgement.test.ts"],
    [
      [
        "hung: a known process",
        'if (process === undefined) return { _tag: "Unknown"',
        'if (false) return { _tag: "Unknown"'
      ],
      [
        "hung: a turn that is outstanding",
        'if (held === undefined && !background) return { _tag: "Unknown"',
        'if (false) return { _tag: "Unknown"'
      ],
      ["hung: silent for longer than a stall", "if (silentFor <= stall) return", "if (false) return"],
      [
        "hung: its pid file says that it is busy",
        'if (pidFile?.status !== "busy" && !frozen) return',
        "if (false) return"
      ],
      [
        "limited: no hang",
        'case "outage":\n      return { _tag: "Limited"',
        'case "outage":\n      return { _tag: "Idle", since: turn.at }\n      return { _tag: "Limited"'
      ],
      [
        "idle: its turn is over",
        'if (turn?._tag === "Finished") return { _tag: "Idle"',
        'if (false as boolean) return { _tag: "Idle"'
      ],
      ["waiting: an answer of a person", 'if (turn?._tag === "Question") return', "if (false as boolean) return"],
      [
        "priority: gone before everything",
        'if (isOver(process)) return { _tag: "Gone"',
        'if (false as boolean) return { _tag: "Gone"'
      ],
      ["idle: the agent itself says so", 'if (pidFile?.status === "idle") return', "if (false as boolean) return"],
      [
        "idle: not while it works in the background",
        "if (ended !== undefined && !background) return ended",
        "if (ended !== undefined) return ended"
      ],
      ["frozen: longer than a stall", "const frozen = still && silentFor > stall", "const frozen = still"],
      ["held: its time is not over", "if (held !== undefined && held.until >= now && !frozen) return held", ""],
      ["a person comes before everything else", 'if (pidFile?.status === "waiting") return', "if (false) return"],
      ["a sign of the future says nothing", "at <= now + aheadMillis ?", "true ?"]
    ]
  ),
  ...mutantsOf(
    `${src}/port/HookSigns.ts`,
    ["packages/domain/test/HookSigns.test.ts"],
    [
      [
        "hooks: a reused pid is another process",
        "holding.pid === pid && holding.startTime === startTime && holding.ended",
        "holding.pid === pid && holding.ended"
      ],
      ["hooks: what was ended is not held", " && holding.ended === null)\n  return", ")\n  return"]
    ]
  ),
  ...mutantsOf(
    "packages/eventlog/src/Aggregate.ts",
    ["packages/domain/test/WatchRef.test.ts"],
    [
      [
        "dispatch: again on a conflict",
        "if (!(appended.failure instanceof Conflict)) return",
        "if (appended.failure !== undefined) return"
      ],
      [
        "dispatch: at the revision that was decided on",
        "log.append(streamOf(id), state.revision, events)",
        "Effect.flatMap(log.read(streamOf(id), 0), (all) => log.append(streamOf(id), all.length, events))"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/eventlog/src/sql/GroupCommit.ts",
    ["packages/domain/test", "test/eventlog/EventLogSql.test.ts"],
    [
      [
        "append: the guard of its revision",
        "WHERE (SELECT coalesce(max(revision), 0) FROM events WHERE events.stream = pending.stream) = expected",
        "WHERE expected IS NOT NULL"
      ],
      ["append: who lost is told", ": Exit.fail(new Conflict({ stream, expected }))", ": Exit.succeed(expected + rows)"]
    ]
  ),
  ...mutantsOf(
    `${src}/settings/QuietHours.ts`,
    ["packages/domain/test/QuietHours.test.ts"],
    [
      ["quiet hours: over midnight", ": time >= from || time < to", ": time >= from && time < to"],
      ["quiet hours: not all day", "return from === to ? Option.none() :", "return false ? Option.none() :"],
      ["quiet hours: until their end of tomorrow", "time < to ? end : DateTime.add(end, { days: 1 })", "end"]
    ]
  ),
  ...mutantsOf(
    "packages/process/src/file/DurableFile.ts",
    [
      "packages/process/test/DurableFile.test.ts",
      "packages/process/test/HandoffFile.test.ts",
      "packages/plan/test/StateFile.test.ts",
      "packages/cli/test/ConfigTrust.test.ts"
    ],
    [
      ["words of a request: under an id that nobody else has", 'flag: "wx", mode: 0o600', 'flag: "w", mode: 0o600'],
      ["words of a request: for its user alone", 'flag: "wx", mode: 0o600', 'flag: "wx", mode: 0o644'],
      ["durable: replaced for its user alone", "mode = 0o600", "mode = 0o644"],
      [
        "state file: whole or as it was",
        "    Effect.tap(fs.rename(draft, path)),\n",
        "    Effect.tap(fs.copyFile(draft, path)),\n"
      ],
      [
        "durable: a draft that came to nothing",
        "    Effect.onError(() => Effect.ignore(fs.remove(draft, { force: true })))\n",
        ""
      ],
      ["drafts: a folder for drafts is one", "/^\\.new-|", "/"],
      ["drafts: a file whose name ends so is one", "|\\.[0-9a-f]{1,8}\\.tmp$/u", "/u"],
      ["durable: on disk before it has its name", "    Effect.tap(file.sync),\n", ""],
      ["durable: a new file is on disk", "  yield* file.sync\n", ""],
      ["durable: a new name is on disk", "  yield* file.sync\n  yield* sync(dirname(path))\n", "  yield* file.sync\n"],
      [
        "durable: a name that is replaced is on disk",
        "  yield* sync(dirname(path))\n  return made\n",
        "  return made\n"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/process/src/file/HandoffFile.ts",
    ["packages/process/test/HandoffFile.test.ts"],
    [
      [
        "words of a request: those that the log knows",
        "Option.isSome(bytes) && (yield* digestOf(bytes.value)) === digest",
        "Option.isSome(bytes)"
      ],
      [
        "words of a request: read as its user's alone",
        '{ own: true, others: "nothing", atMost: maxBytes }',
        '{ others: "write as its group", atMost: maxBytes }'
      ]
    ]
  )
]
