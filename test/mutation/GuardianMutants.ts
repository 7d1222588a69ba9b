import { mutantsOf } from "./Mutant.ts"

/** Mutants of the self-monitor over the watcher, of the guardian, and of souffleur over its guardian. */
export const guardianMutants = [
  ...mutantsOf(
    "packages/monitor/src/SelfMonitor.ts",
    ["packages/monitor/test/SelfMonitor.test.ts", "test/scenarios/TroubleScenario.test.ts"],
    [
      ["self-monitor: says that it runs", 'yield* ref.dispatch({ _tag: "SelfMonitorReady", monitor })', ""],
      ["self-monitor: a late round says nothing", "if (brokenOff(round.moment, moment, round.dueMillis)) return", ""],
      [
        "self-monitor: nor one after a sleep of the machine",
        "brokenOff(round.moment, moment, round.dueMillis)",
        "moment.monotonic - round.moment.monotonic > 2 * round.dueMillis"
      ],
      ["self-monitor: strictly older", "age > staleAfter", "age >= staleAfter"],
      ["self-monitor: a watcher that was only just asked for", "now - watcher.since >= staleAfter && (age", "(age"],
      ["self-monitor: one that never beat", "age === null || age > staleAfter", "age !== null && age > staleAfter"],
      ["self-monitor: a clock that was set back makes no beat young", "if (isStill || (now", "if ((now"],
      [
        "self-monitor: the watcher that is there",
        "watcher: watcher.watcher, beatAge: age }",
        "watcher: 1, beatAge: age }"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/service/Watchdog.ts",
    ["packages/cli/test/Watchdog.test.ts"],
    [
      ["watchdog: not without a beat", "if (now - heard <= oldest) return", "return"],
      ["watchdog: a machine that slept", "if (brokenOff(last, moment, dueWithin(everyMillis, oldest))) begun = now", ""]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/keeping/GuardianKeeper.ts",
    ["packages/embed/test/GuardianKeeper.test.ts"],
    [
      [
        "guardian: dismissed where souffleur is asked to leave",
        "yield* Effect.raceFirst(kept, dismissed)",
        "yield* kept"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/supervisor/src/Supervisor.ts",
    ["packages/supervisor/test/Supervisor.test.ts"],
    [
      [
        "signal: the goodbye comes first",
        'Exit.hasInterrupts(exit) ? Effect.ignore(ref.dispatch({ _tag: "Leave" })) : Effect.void',
        "Effect.void"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/own/GuardianEntry.ts",
    ["packages/node/test/GuardianEntry.test.ts", "test/cli/Guardian.test.ts"],
    [
      [
        "guardian: that very process",
        'return stat?.startTime === identity.startTime ? conditionOf(stat) : "gone"',
        'return stat === undefined ? "gone" : conditionOf(stat)'
      ],
      ["guardian: of this boot", 'if (identity.bootId !== hostSource?.bootId()) return "gone"\n', ""],
      [
        "guardian: who owns the watch by now",
        "this.#owner = { fence, process: owner.process }",
        "this.#owner ??= { fence, process: owner.process }"
      ],
      ["guardian: an owner that left", 'tag === "OwnerLeft" || tag', "tag"],
      ["guardian: one that gave up", 'tag === "GuardianGaveUp" || endTags', "endTags"],
      ["guardian: a watch that has ended", "|| endTags.has(tag)) this", ") this"],
      ["guardian: beats", "store.say(place, name, now.wall)\n        said = now.wall", "said = now.wall"],
      ["guardian: a full disk is no silence", "full = meansNoRoom(error)", "full = false"],
      [
        "guardian: another one has its place",
        "if (seen.mine !== undefined && seen.mine.role !== name) return false\n",
        ""
      ],
      ["guardian: a store that is gone", "if (!fs.existsSync(order.database)) return false\n", ""],
      ["guardian: what it has started", "started: startState()", 'started: "ended"'],
      ["guardian: a log that it waits for", 'child.exitCode === shutOutCode ? "shut out" : "ended"', '"ended"'],
      ["guardian: what was started in vain is ended", 'if (what._tag === "EndStarted") child?.kill("SIGKILL")', ""],
      ["guardian: the fence that it saw", "`${what.reason}:${what.over}`", "`${what.reason}:0`"],
      ["guardian: one event at a time", "this.#owned.iterate(", "this.#owned.all("],
      ["guardian: young garbage", 'globalThis.gc?.({ type: "minor", execution: "sync" })', ""],
      ["guardian: leaves when it has given up", ' && what._tag !== "GiveUp"', ""]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/mcp/CommsTools.ts",
    ["packages/cli/test/mcp/CommsTools.test.ts"],
    [
      [
        "mcp: an instruction to souffleur is the Conductor's",
        'const isReply = task_id === "souffleur" && message_type === "instruction"',
        "const isReply = false as boolean"
      ],
      [
        "mcp: a payload is the Conductor's",
        "if (!isReply && !message.trimStart().startsWith(payloadHeader))",
        "if (!isReply)"
      ],
      ["mcp: … however it begins", "message.trimStart().startsWith", "message.startsWith"],
      ["mcp: who is not confirmed names itself alone", " && target.success.sessionId === session", ""]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/keeping/Restored.ts",
    ["packages/cli/test/RestorationFlag.test.ts"],
    [["guarding: what a guardian saw is its word", "/^(died|silent):(\\d{1,15})$/u", "/^(\\w+):(\\d+)/u"]]
  ),
  ...mutantsOf(
    "packages/embed/src/keeping/GuardianKeeper.ts",
    ["packages/embed/test/GuardianKeeper.test.ts"],
    [
      [
        "guarding: that very guardian",
        'guardian === undefined ? "gone" : yield* processes.condition(guardian)',
        'guardian === undefined ? ("gone" as const) : ("running" as const)'
      ],
      [
        "guarding: a late look counts for nothing",
        "const sight = { now: now.wall, late,",
        "const sight = { now: now.wall, late: false,"
      ],
      [
        "guarding: a silent one is ended first",
        'act.reason === "silent" && !(yield* ended(guardian',
        'act.reason === "silent" && false && !(yield* ended(guardian'
      ],
      [
        "guarding: the intent to end it",
        'dispatch({ _tag: "EndProcess", what: "guardian", process, message }),',
        "Effect.void as ReturnType<typeof dispatch>,"
      ],
      ["guarding: of its own watch alone", '(error) => error._tag !== "Refused",', "() => true,"],
      [
        "guarding: none is started beside one that does not end",
        '(yield* ended(guardian, "it has not beaten for too long")))',
        '(yield* ended(guardian, "it has not beaten for too long")) && false)'
      ],
      ["guarding: what was started in vain is ended", 'yield* ended(started, "it was started, and never beat")', ";"],
      [
        "guarding: what is started is known",
        "started = Option.getOrUndefined(yield* processes.find(pid))?.identity",
        "yield* processes.find(pid)"
      ],
      ["guarding: no silence on a full disk", "const late = full || brokenOff(", "const late = brokenOff("],
      ["guarding: no failed start on a full disk", 'full ? ("shut out" as const) :', 'false ? ("shut out" as const) :'],
      ["guarding: told once it is given up", "      return true\n    }\n", "      return false\n    }\n"]
    ]
  )
]
