import { mutantsOf } from "./Mutant.ts"

const [claude, domain] = ["packages/claude", "packages/domain"]

/** Mutants of the bounds of others' numbers and times, and of the end of souffleur's own defects. */
export const boundsMutants = [
  ...mutantsOf(
    "packages/domain/src/Time.ts",
    ["packages/domain/test/Time.test.ts"],
    [
      ["time: in UTC where it names no zone", "DateTime.make(text)", 'DateTime.make(text.replace(/Z$/u, "+01:00"))'],
      ["time: by the wall clock, not by a timer", "yield* Effect.sleep(Math", "return yield* Effect.sleep(Math"],
      ["time: a machine that slept", "Math.min(wait.until - now, lookMillis)", "wait.until - now"],
      ["time: a clock that was set back", "isWaitOver(wait, now)", "now >= wait.until"]
    ]
  ),
  ...mutantsOf(
    `${domain}/src/Bounds.ts`,
    [`${domain}/test/Bounds.test.ts`, `${claude}/test/OddNumbers.test.ts`],
    [
      ["bounds: a count is whole and safe", "return Number.isSafeInteger(whole) && whole >= 0", "return whole >= 0"],
      ["bounds: a count is not negative", " && whole >= 0 ? whole", " ? whole"],
      ["bounds: a moment that a calendar has", "at !== undefined && at <= latest ?", "at !== undefined ?"],
      [
        "bounds: a wait of eight days at most",
        "millis !== undefined && millis <= maxWaitMillis ?",
        "millis !== undefined ?"
      ],
      ["bounds: a tool's own limit", "Math.min(millis, maxToolMillis)", "millis"],
      ["bounds: counts together stay a count", "    Number.MAX_SAFE_INTEGER,\n    counts", "    Infinity,\n    counts"],
      ["bounds: a wait in a log ends", "Math.min(until, at + maxWaitMillis)", "until"]
    ]
  ),
  ...mutantsOf(
    "packages/eventlog/src/EventSchema.ts",
    [`${domain}/test/Bounds.test.ts`],
    [
      [
        "bounds: any number of a log is read",
        "decode: (number) => nearest(number, minimum, maximum)",
        "decode: (number) => number"
      ],
      [
        "bounds: who is acted upon is exact",
        "export const Count = isBetween(0, Number.MAX_SAFE_INTEGER)",
        "export const Count = Schema.Number"
      ]
    ]
  ),
  ...mutantsOf(
    `${domain}/src/Defect.ts`,
    [`${domain}/test/Defect.test.ts`],
    [
      ["defect: is no goodbye", "if (Cause.hasDies(exit.cause)) return false", ""],
      ["defect: nor is a log that cannot be used", 'error._tag !== "LogUnusable" && ', ""]
    ]
  ),
  ...mutantsOf(
    `${domain}/src/DefectName.ts`,
    [`${domain}/test/Defect.test.ts`],
    [
      ["defect: its message is no place", "stack.slice(message + error.message.length)", "stack"],
      ["defect: its kind is a word", '    .replaceAll(/[^\\w.]/gu, "")\n', ""]
    ]
  ),
  ...mutantsOf(
    "packages/supervisor/src/Ownership.ts",
    ["packages/supervisor/test/Ownership.test.ts"],
    [["owner: a defect does not leave", "isMeant(exit) ? Effect.ignore", "isMeant(exit) || true ? Effect.ignore"]]
  ),
  ...mutantsOf(
    "packages/cli/src/service/SystemdUnit.ts",
    ["packages/cli/test/ServiceUnits.test.ts"],
    [
      ["unit: a defect is started anew", "RestartPreventExitStatus=1 2 3 4", "RestartPreventExitStatus=1 2 3 4 70"],
      ["unit: a shipper after a passing trouble", 'RestartPreventExitStatus=2 3"', 'RestartPreventExitStatus=1 2 3 4"'],
      ["unit: … as often as it takes", "StartLimitIntervalSec=0", "StartLimitIntervalSec=600"]
    ]
  ),
  ...mutantsOf(
    "packages/eventlog/src/sql/LogRows.ts",
    ["test/eventlog/Cut.test.ts"],
    [
      ["log: one that was cut", "if (after > 0 && lastRead?.[2] !== after) return yield* shortened(stream, after)", ""],
      [
        "log: another in its place",
        "known?.[2] === after && (known[0] !== lastRead?.[0]",
        "false && (known?.[0] !== lastRead?.[0]"
      ],
      ["log: no gap", "if (gap !== -1) return yield* missing(stream, after + gap + 1)", ""],
      [
        "log: integers beyond numbers",
        "max(-${Number.MAX_SAFE_INTEGER}, min(${Number.MAX_SAFE_INTEGER}, ${column}))",
        "${column}"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/eventlog/src/sql/EventLogSql.ts",
    ["test/eventlog/Cut.test.ts"],
    [["log: up to a revision", "Math.min(pageRows, upTo - from)", "pageRows"]]
  ),
  ...mutantsOf(
    "packages/eventlog/src/Aggregate.ts",
    [`${domain}/test/WatchRef.test.ts`],
    [
      [
        "dispatch: a conflict with nobody",
        "if (state.revision === decidedOn.revision) return",
        "if (false as boolean) return"
      ]
    ]
  ),
  ...mutantsOf(
    `${domain}/src/decide/Guard.ts`,
    [`${domain}/test/Guard.test.ts`],
    [["guardian: no beat of a time to come", "beatAt <= now + silentAfter ? beatAt : 0", "beatAt"]]
  ),
  ...mutantsOf(
    "packages/eventlog/src/snapshot/Listing.ts",
    ["packages/plan/test/RunLog.test.ts", "test/nights/Poisoned.test.ts"],
    [
      [
        "all: one that cannot be read hides no other",
        "Effect.catch(() => Effect.flatMap(each(log), (now) => from(log, now))),",
        ""
      ]
    ]
  ),
  ...mutantsOf(
    `${domain}/src/decide/RoleDecider.ts`,
    [`${domain}/test/RoleDecider.test.ts`],
    [
      [
        "role: the third death is the last",
        "if (failures < attempts) return ok(failed)",
        "if (failures < 1000) return ok(failed)"
      ],
      ["role: of that very watcher", "watcher?.watcher === number ? watcher?.since : undefined", "watcher?.since"],
      ["role: health begins the count anew", "at - since >= steadyRoleMillis ? 0 :", ""]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/watch/WatchRole.ts",
    [`${domain}/test/RoleDecider.test.ts`],
    [["role: somebody beats in its standby", "? [`standby/${watch.watchersStarted}` as const]", "? []"]]
  ),
  ...mutantsOf(
    `${domain}/src/decide/RetryDecider.ts`,
    [`${domain}/test/RoleDecider.test.ts`],
    [
      ["role: tried again without a recovery", "isUnwatched(watch) && (", "(false as boolean) && ("],
      ["role: a death is counted once after it gave up", "|| !standby.ended)", "|| true)"]
    ]
  ),
  ...mutantsOf(
    "packages/supervisor/src/Supervisor.ts",
    ["packages/supervisor/test/Supervisor.test.ts"],
    [
      [
        "role: a watcher's death is counted",
        'yield* ref.dispatch({ _tag: "ReportRoleFailed", role: "watcher", number: watch.watcher.watcher, defect })',
        ""
      ]
    ]
  ),
  ...mutantsOf(
    "packages/supervisor/src/Supervisor.ts",
    ["packages/supervisor/test/WatchMetrics.test.ts"],
    [
      [
        "metrics: each event of an owned watch",
        "Stream.tap(({ before, event }) => WatchMetrics.count(event, before)),",
        ""
      ],
      ["metrics: a watch is live", "  yield* WatchMetrics.live\n", ""]
    ]
  ),
  ...mutantsOf(
    "packages/supervisor/src/WatchMetrics.ts",
    ["packages/supervisor/test/WatchMetrics.test.ts"],
    [
      ["metrics: a death by its cause", "{ cause: event.reason }", '{ cause: "pid" }'],
      ["metrics: a process that ran already", "before.firstLaunch === undefined", "(false as boolean)"],
      ["metrics: the provider that launched", 'ended("relaunched", event.provider)', 'ended("relaunched")'],
      ["metrics: the provider that escalated", "event.from", "event.to"],
      ["metrics: a watch that is left", "() => Metric.modify(liveWatches, -1)", "() => Effect.void"]
    ]
  ),
  ...mutantsOf(
    "packages/supervisor/src/Attendance.ts",
    ["packages/supervisor/test/Attendance.test.ts"],
    [
      ["attended: until its third death", "if (failures >= maxDeaths) return", "if (failures >= 1000) return"],
      [
        "attended: started again",
        "|| Cause.hasInterruptsOnly(exit.cause)) return",
        "|| exit.cause !== undefined) return"
      ],
      ["attended here: its deaths are counted", "? 1 : failures + 1", "? 1 : failures"],
      ["attended here: hours of life begin the count anew", "now - began >= steadyRoleMillis ? 1 :", ""]
    ]
  ),
  ...mutantsOf(
    "packages/eventlog/src/Cursor.ts",
    [
      "packages/supervisor/test/CommsPublisher.test.ts",
      "packages/supervisor/test/Notifier.test.ts",
      "test/eventlog/Cut.test.ts"
    ],
    [
      ["cursor: no further than the log", "if (marked <= last) return marked", "if (marked >= 0) return marked"],
      ["cursor: back from where it stands", " AND revision = ${from}`", "`"]
    ]
  ),
  ...mutantsOf(
    "packages/plan/src/publish/CommsProjection.ts",
    ["packages/plan/test/CommsProjection.test.ts"],
    [
      [
        "bulletin: a heart that stops is told",
        "Effect.raceFirst(beating, telling)",
        "Effect.andThen(Effect.forkChild(beating), telling)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/plan/src/run/RunLog.ts",
    ["packages/plan/test/RunLog.test.ts"],
    [
      [
        "runs: nothing is decided on a torn one",
        "torn?.unreadable === undefined ? runs : yield* torn.unreadable",
        "runs"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/keeping/Undelivered.ts",
    ["test/nights/Defects.test.ts"],
    [
      [
        "late words: a defect ends no watch, and is told",
        "attendedHere(`publisher of ${one.id}`, late(one))",
        "late(one)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/conducting/KeptRun.ts",
    ["test/cli/ConductCli.test.ts"],
    [
      [
        "conduct: who tells and dies is told",
        'attendedHere("publisher", publishRun(id, from, audience))',
        "publishRun(id, from, audience)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/claude/src/session/RunningSessions.ts",
    ["packages/claude/test/RunningSessions.test.ts"],
    [
      ["pid file: a session id is no longer than one", "Bounds.words(Bounds.sessionIdLength)", "Schema.NonEmptyString"],
      ["pid file: a process id that there can be", "pid: Bounds.Pid", "pid: Schema.Number"],
      ["pid file: what is only told is cut", "text.slice(0, 200)", "text"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/service/LaunchdPlist.ts",
    ["packages/cli/test/ServiceUnits.test.ts", "test/nights/Defects.test.ts"],
    [
      ["launchd: a defect is started again", "code === defectCode ? code : 0", "0"],
      ["launchd: what another start would meet again is not", "code === defectCode ? code : 0", "code"],
      ["launchd: started again when it fails", '${key("SuccessfulExit")}<false/>', '${key("Crashed")}<true/>']
    ]
  ),
  ...mutantsOf(
    "packages/node/src/launch/launch.ts",
    ["packages/node/test/HostLauncher.test.ts"],
    [["launch: a defect is one sentence", "${defectName(error)}", "${String(error)}"]]
  ),
  ...mutantsOf(
    "packages/cli/src/main.ts",
    ["test/nights/Defects.test.ts"],
    [["uncaught: a sentence, wherever it is thrown", 'process.on("uncaughtException", uncaught)', ""]]
  ),
  ...mutantsOf(
    "packages/cli/src/hook.ts",
    ["test/nights/Defects.test.ts"],
    [["uncaught: of the hook too", 'process.on("uncaughtException", (error)', 'process.on("exit", (error: never)']]
  ),
  ...mutantsOf(
    `${domain}/src/Time.ts`,
    [`${domain}/test/Bounds.test.ts`],
    [["time: told whatever it is", "Math.min(most, Math.max(-most, at)) || 0", "at"]]
  ),
  ...mutantsOf(
    `${domain}/src/decide/LimitWait.ts`,
    [`${claude}/test/OddNumbers.test.ts`],
    [
      [
        "limit: what is beyond eight days is a guess",
        "resetsAt !== null && resetsAt - at <= maxWaitMillis",
        "resetsAt !== null"
      ]
    ]
  ),
  ...mutantsOf(
    `${claude}/src/session/ApiFailure.ts`,
    [`${claude}/test/OddNumbers.test.ts`],
    [["failure: a limit's end in milliseconds", "stated < secondsAtMost ? stated * 1000 : stated", "stated * 1000"]]
  ),
  ...mutantsOf(
    `${claude}/src/session/Context.ts`,
    [`${claude}/test/OddNumbers.test.ts`],
    [
      [
        "context: a window is of a model that is known",
        'windows.get(model.replace(/-\\d{8}$/u, ""))',
        "(Object.fromEntries(windows) as Record<string, number>)[model]"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/lines/JsonRecord.ts",
    [`${claude}/test/OddNumbers.test.ts`],
    [
      [
        "records: a time that a calendar has",
        'Bounds.time(typeof timestamp === "string" ? epochOf(timestamp) : time)',
        '(typeof timestamp === "string" ? epochOf(timestamp) : undefined)'
      ]
    ]
  ),
  ...mutantsOf(
    `${claude}/src/session/TurnState.ts`,
    [`${claude}/test/OddNumbers.test.ts`],
    [
      ["turn: a tool's limit is no more than its allowance", "Bounds.toolLimit(isJson(input)", "Number(isJson(input)"],
      [
        "turn: a retry that is no wait is at once",
        'Bounds.wait(record["retryInMs"])',
        'Bounds.count(record["retryInMs"])'
      ]
    ]
  )
]
