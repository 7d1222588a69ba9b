import { mutantsOf } from "./Mutant.ts"

const recovery = "packages/recovery"
const watcher = "packages/watcher"
const supervisor = "packages/supervisor"
const all = [`${recovery}/test`]

const recoveryMutants = [
  ...mutantsOf(
    `${recovery}/src/Step.ts`,
    [`${recovery}/test/Step.test.ts`],
    [
      [
        "step: the intent is in the log before the act",
        'const intent = (yield* watch.tell({ _tag: "StartStep", ...key })).recovery?.steps[name]',
        'const intent = { _tag: "Started" as const, token: name.replaceAll(/[^A-Za-z0-9]+/gu, "-") }'
      ],
      ["step: the outcome is recorded", 'watch.tell({ _tag: "SucceedStep", ...key, outcome })', "Effect.void"],
      ["step: the failure is recorded", 'watch.tell({ _tag: "FailStep", ...key, failure })', "Effect.void"],
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
    "packages/domain/src/EndProcess.ts",
    [`${recovery}/test/Stop.test.ts`],
    [
      ["stop: proven gone", "if (ended === undefined) return yield* new StopFailed", "if (false) return yield* new StopFailed"],
      ["stop: its tree is proven gone", "if (stubborn.length > 0)\n", "if (false)\n"],
      ["stop: the tree before the first signal", "for (const info of [...before, ...(yield* tree)])", "for (const info of yield* tree)"],
      ["stop: the tree after it", "[...before, ...(yield* tree)]", "[...before]"],
      [
        "stop: asked before each signal",
        "const signal = (name: Signal) => Effect.andThen(granted, ",
        "const signal = (name: Signal) => Effect.andThen(Effect.void, "
      ],
      ["stop: nothing is sent to what is gone", 'if (yield* gone) return "already gone" as const', ""],
      ["stop: SIGKILL after the grace", 'yield* signal("SIGKILL")', ""],
      ["stop: SIGTERM first", 'yield* signal("SIGTERM")', ""],
      ["stop: a zombie is gone", ' || condition === "zombie")', ")"]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/Stop.ts`,
    [`${recovery}/test/Stop.test.ts`],
    [
      [
        "stop: an unknown process is not stopped",
        "if (conductor === undefined) return yield* new StopFailed",
        'if (conductor === undefined) return { ended: "already gone" as const, others: 0 }\n  if (false) return yield* new StopFailed'
      ],
      ["stop: other sessions are spared", "sessions.map((session) => session.pid).filter((pid) => reused || pid !== conductor.pid)", "[]"],
      [
        "stop: a reused pid and session",
        "const reused = sessions.some(({ pid }) => pid === conductor.pid) && (yield* isGone(processes, conductor))",
        "const reused = false"
      ],
      ["stop: known by its launch", "watch.launchId === undefined ? [] :", "true ? [] :"],
      ["stopped: with all of its tree", "return (yield* treeOf(watch, watch.conductor)).length === 0", "return true"],
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
      ["one writer: also of an earlier session", "watch.sessions.includes(session.sessionId))", "session.sessionId === watch.sessionId)"],
      ["one writer: what is left of the old tree", "return left.length === 0 ? undefined :", "return true ? undefined :"]
    ]
  ),
  ...mutantsOf(`${recovery}/src/Launch.ts`, all, [
    ["launch: the intent is in the log", 'yield* ref.tell({ _tag: "PrepareLaunch", cycle, launchId, digest, ...prepared })', ""],
    ["launch: the ceiling", "permission: effective,\n", "permission: request.requested as typeof effective,\n"],
    ["launch: complete cancels it", "  yield* unlessComplete\n  yield* oneWriter(watch)", "  yield* oneWriter(watch)"],
    ["launch: one writer", "  yield* unlessComplete\n  yield* oneWriter(watch)", "  yield* unlessComplete"],
    [
      "launch: a lost reply is settled",
      "const launchId = launchIdOf(watch.id, token)\n  return Option.map(yield* launcher.settle(launchId)",
      "const launchId = launchIdOf(watch.id, token)\n  return Option.map(Option.none<ProcessIdentity>()"
    ],
    ["launch: its turn among the watches", "yield* (yield* LaunchTurns)(ref.id, launchSpacing)", ""],
    [
      "launch: measured before it",
      "onNone: () => unreadBaseline({ ...watch.baseline, ...watch.lastTasks }, messageId ?? 0)",
      "onNone: () => unreadBaseline(watch.baseline)"
    ],
    ["launch: signed", "prompt: (launchId) => signed(prompt, launchId)", "prompt: () => prompt"],
    ["launch: from no stale export", "if (from !== undefined) yield* unlessStale(watch, from)", ""]
  ]),
  ...mutantsOf(`${recovery}/src/Salvage.ts`, all, [
    ["stop: not one that beats again", "yield* unlessBeating(watch, yield* unlessComplete)", "yield* unlessComplete"],
    ["stop: not one that goes on", "  yield* unlessMoving(watch)\n  const granted", "  const granted"],
    [
      "stop: complete cancels it",
      "yield* unlessBeating(watch, yield* unlessComplete)",
      "yield* unlessBeating(watch, yield* Effect.option((yield* Comms).snapshot))"
    ],
    ["stop: comms out proves nothing", "recovery.resumed || silent?.retried === true", "false"],
    [
      "stop: a reconciled stop looks",
      "Effect.map(isStopped(watch), (gone) => (gone ?",
      "Effect.map(isStopped(watch), (gone) => (gone || true ?"
    ],
    ["stop: granted", "act: () => stopConductor(watch, granted),", "act: () => stopConductor(watch),"]
  ]),
  ...mutantsOf(
    `${recovery}/src/Compaction.ts`,
    [`${recovery}/test/StandardCompact.test.ts`, `${recovery}/test/Compaction.test.ts`],
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
      ["compact: once more only when it is gone", " && (error as CompactFailed).gone })", " })"],
      ["compact: once more, not twice", "schedule: compactOnceMore,", "times: 2,"],
      [
        "compact: one last look",
        'const compacted = yield* agent.compactedSince(mark)\n  if (compacted !== "not yet") return yield* compactedAs(compacted)\n  return',
        'const compacted = Option.isSome(waited) ? waited.value.compacted : "not yet"\n  if (compacted !== "not yet") return yield* compactedAs(compacted)\n  return'
      ],
      ["compact: a little for the summary", "if (Option.isSome(waited)) yield* wait(", "if (false as boolean) yield* wait("],
      ["compact by hand: nobody holds the session", "  yield* unheld(sessionId)\n  const mark", "  const mark"]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/providers/StandardCompact.ts`,
    [`${recovery}/test/StandardCompact.test.ts`],
    [
      ["compact: nobody else writes", "      yield* unhindered(watch)\n", ""],
      ["compact: a late boundary counts", 'if (before !== "not yet") return yield* compactedAs(before)', ""],
      ["compact: an attempt whose reply was lost", "return Option.isNone(ran) ? Option.none() :", "return true ? Option.none() :"],
      ["compact: the stop", "if (!alreadyKilled) yield* stop(watch)", ""],
      ["compact: not what no longer fits", 'applies: (watch) => watch.recovery?.trigger !== "context",', ""]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/providers/ClaudeExport.ts`,
    [`${recovery}/test/ClaudeExport.test.ts`],
    [
      ["export: the stop", "if (!alreadyKilled) yield* stop(watch)", ""],
      ["export: the gate", "if (gate.estimated_tokens > gate.threshold)", "if (false)"],
      ["export: at the threshold it fits", "gate.estimated_tokens > gate.threshold", "gate.estimated_tokens >= gate.threshold"],
      ["export: discarded when it does not fit", "Effect.andThen(discard, escalated(stage)(error))", "escalated(stage)(error)"],
      ["export: its successor awaits its id", "awaiting: watch.comms !== null", "awaiting: false"]
    ]
  ),
  ...mutantsOf(`${recovery}/src/Recovery.ts`, all, [
    [
      "retries exhausted: nothing is launched",
      'yield* purpose === "salvage" ? salvage(watch, ref, cycle) : relaunch',
      'yield* (purpose as string) === "" ? salvage(watch, ref, cycle) : relaunch'
    ],
    ["recovery: beats in the watcher's place", "Effect.raceFirst(recovering, beating)", "recovering"],
    [
      "recovery: complete after all",
      'Effect.catchTag("Completed", () => Effect.asVoid(ref.tell({ _tag: "CancelForCompletion", cycle }))),',
      'Effect.catchTag("Completed", () => Effect.void),'
    ],
    ["recovery: its end is told", 'yield* ref.tell({ _tag: "Relaunched", cycle, ...successor })', ""]
  ]),
  ...mutantsOf(`${recovery}/src/Request.ts`, all, [
    ["payload: newer than what was consumed", "id !== null && id > watch.baseline.lastMessageId", "id !== null"],
    ["payload: of that very request", "words.value.id === request.messageId ?", "true ?"],
    ["payload: only for a planned handoff", 'if (watch.recovery?.trigger !== "handoff") return plainOf(watch)', ""]
  ])
]

const look = [`${watcher}/test/Classify.test.ts`, `${watcher}/test/Watcher.test.ts`]
const watcherMutants = [
  ...mutantsOf(`${watcher}/src/Classify.ts`, look, [
    [
      "priority: complete first",
      'if (state === "complete" || seen.finished) return { _tag: "Complete" }\n  if (watch.standby !== undefined) return seen.returned',
      "if (watch.standby !== undefined) return seen.returned"
    ],
    ["standby: only completion and a return", "if (watch.standby !== undefined) return seen.returned", ""],
    ["wait: nothing else counts meanwhile", "if (watch.wait !== undefined) return waitingOut(watch, watch.wait, seen)", ""],
    ["handoff: raised in this generation", " && (seen.otherStateSeen || seen.newPayload)) return", ") return"],
    [
      "priority: handoff before death",
      'if (state === "context_recovery" && (',
      'if (seen.process === "running" && state === "context_recovery" && ('
    ],
    ["priority: a turn's end before death", 'if (seen.turnEnded) return { _tag: "TurnEnded" }', ""],
    ["priority: a limit before death", 'if (failure?.why === "usage-limit" || failure?.why === "outage")', "if (false)"],
    ["failure: of this generation", " && session.turn.at >= launchedAt ?", " ?"],
    ["dead: a zombie too", 'seen.process === "gone" || seen.process === "zombie"', 'seen.process === "gone"'],
    ["stale: an excuse puts it off", "if (isStale(seen) && excuseOf(seen) === undefined)", "if (isStale(seen))"],
    ["stale: strictly older", "age > seen.staleAfter", "age >= seen.staleAfter"],
    ["stale: comms out says nothing", "seen.comms === undefined ? undefined : heartbeatAge", "heartbeatAge"],
    ["excuse: only of a live process", 'if (process !== "running") return undefined\n  if (verdict', "if (verdict"],
    [
      "excuse: not longer than the tool has",
      "Math.min(verdict.until, Math.max(turn.at, answeredAt) + (turn.limit ?? Infinity))",
      "verdict.until"
    ],
    ["wait: its time has come", "if (seen.now < wait.until) return undefined", ""],
    ["wait: one that went on", 'if (newer && turn._tag !== "Failed" && process === "running") return', "if (false) return"],
    ["hang: only without comms", "if (watch.comms === null && verdict", "if (verdict"]
  ]),
  ...mutantsOf(
    `${watcher}/src/Look.ts`,
    [`${watcher}/test/Watcher.test.ts`, `${watcher}/test/Signs.test.ts`],
    [
      ["look: late, it begins anew", "const anew = brokenOff(before.last, now, due) || (", "const anew = ("],
      ["look: after an outage of comms it begins anew", " || (before.commsOut && seen !== undefined)", ""],
      ["look: nothing from before the launch", "Math.max(watch.launchedAt, watch.brokenOffAt, ", "Math.max("],
      [
        "session: not one of an earlier generation",
        "if (found === undefined || (found !== watch.sessionId && watch.sessions.includes(found))) return undefined",
        "if (found === undefined) return undefined"
      ],
      ["session: only where it is awaited", "if (!watch.awaiting || !sessionId) return undefined", "if (!sessionId) return undefined"],
      [
        "session: that very process",
        "holder.conductor.pid === known?.pid && holder.conductor.startTime === known.startTime",
        "holder.conductor.pid === known?.pid"
      ],
      ["return: newer than the closing, and seen to change", "changedAt !== undefined && Option.exists", "Option.exists"],
      ["return: a live holder", 'return holder === undefined ? undefined : { _tag: "Returned"', 'return { _tag: "Returned"'],
      ["untaken: one that beats is not judged", "!taken && !beating && isUntaken", "!taken && isUntaken"],
      ["payload: read only against a known state", "watch.baseline.conductorState !== null &&\n", "true &&\n"]
    ]
  ),
  ...mutantsOf(
    `${watcher}/src/Watcher.ts`,
    [`${watcher}/test/Watcher.test.ts`, `${watcher}/test/Signs.test.ts`],
    [
      ["watcher: in its own store first", "yield* beats.beat(ref.id, { by: `watcher/${me}`, at })", ""],
      ["watcher: beats before its first poll", "  yield* beat\n  const { glance", "  const { glance"],
      ["watcher: beats each minute", "Effect.andThen(beating, Effect.never),\n", ""],
      ["watcher: says that it runs", 'yield* ref.tell({ _tag: "WatcherReady", watcher: me })', ""],
      [
        "watcher: no probe in standby",
        "|| watch.standby !== undefined || watch.wait !== undefined\n      ? Effect.never\n      : Effect.repeat(gone",
        "|| watch.wait !== undefined\n      ? Effect.never\n      : Effect.repeat(gone"
      ],
      ["watcher: a wait's end is looked at then", "Effect.andThen(waiting, Effect.never)\n", ""],
      ["watcher: a hand-off is told once", "if (yield* Ref.get(taken)) return\n", ""],
      ["watcher: the ceiling is told", "    yield* tellCeiling\n    if (Option", "    if (Option"],
      ["watcher: an outage of comms between polls", "(mirrored ? Effect.void : missed)", "Effect.void"]
    ]
  )
]

const supervisorMutants = [
  ...mutantsOf(
    `${supervisor}/src/Supervisor.ts`,
    [`${supervisor}/test/Supervisor.test.ts`],
    [
      [
        "supervise: starts before stops",
        "for (const role of is) if (!was.includes(role)) yield* FiberMap.run(fibers, role, run(role, after))\n    for (const role of was) if (!is.includes(role)) yield* FiberMap.remove(fibers, role)",
        "for (const role of was) if (!is.includes(role)) yield* FiberMap.remove(fibers, role)\n    for (const role of is) if (!was.includes(role)) yield* FiberMap.run(fibers, role, run(role, after))"
      ],
      ["supervise: an overtaken fence ends it", "|| watch.fence !== fence),\n", "),\n"],
      ["supervise: not under an old fence", "if (now.fence !== fence) return yield* new Fenced", "if (false) return yield* new Fenced"],
      ["supervise: a recovery that dies fails closed", 'role.startsWith("recovery/") && watch.recovery !== undefined', "false"],
      ["supervise: a self-monitor that dies is told", 'role.startsWith("monitor/") && watch.monitor !== undefined', "false"],
      ["supervise: a log that fails ends it", 'if (error.value._tag !== "Refused") yield* Deferred.fail(broken, error.value)\n', ""],
      [
        "supervise: each generation is claimed",
        "yield* Effect.catchTag(claims.claim(after.conductor)",
        "yield* Effect.catchTag(Effect.void as ReturnType<typeof claims.claim>"
      ]
    ]
  ),
  ...mutantsOf(
    `${supervisor}/src/Ownership.ts`,
    [`${supervisor}/test/Ownership.test.ts`],
    [
      ["own: a live owner is not overtaken", "watch.owner !== undefined && !(yield* claims.isDead(watch.owner))", "false"],
      [
        "own: the Conductor is claimed",
        "if (guarded !== undefined) yield* Effect.acquireRelease",
        "if (false as boolean) yield* Effect.acquireRelease"
      ],
      ["own: the fence that was seen", "over: watch.fence }).pipe(", "over: (yield* load(id)).fence }).pipe("],
      [
        "own: who was faster is said",
        '(error) => error._tag === "Refused" && error.why === "owned",',
        '(error) => false as boolean && error._tag === "Refused",'
      ],
      [
        "release: no launch becomes anybody",
        'const watch = yield* command(id, { _tag: "Release" })\n  yield* settleLast(id)',
        'const watch = yield* command(id, { _tag: "Release" })'
      ],
      ["finish: no launch becomes anybody", "saidBy })\n  yield* settleLast(id)", "saidBy })"],
      ["adopt: no launch becomes anybody", "...adopted })\n  yield* settleLast(id)", "...adopted })"],
      [
        "release: what was kept is forgotten",
        '{ _tag: "Release" })\n  yield* settleLast(id)\n  yield* forget(watch)',
        '{ _tag: "Release" })\n  yield* settleLast(id)'
      ]
    ].map(([name, from, to]) => [name!, from!, to!] as const)
  ),
  ...mutantsOf(
    `${supervisor}/src/Restore.ts`,
    [`${supervisor}/test/Restore.test.ts`],
    [
      ["restore: the owner that was seen", "if (watch.fence !== over) return yield* stillThere", "if (false) return yield* stillThere"],
      [
        "restore: one that beats again",
        "if (Option.exists(beat, ({ at }) => now - at <= silentAfter(settings))) return",
        "if (false) return"
      ],
      ["restore: one that cannot be seen from here", "if (!near) return", "if (false) return"],
      ["restore: kept before the kill", "Effect.andThen(Effect.andThen(keep, kill), say)", "Effect.andThen(kill, say)"],
      ["restore: the cause that was kept", "Option.getOrElse(intended, () => ({ cause, over }))", "{ cause, over }"],
      ["restore: proven gone", 'if (Option.isNone(gone)) return yield* stillThere("it was killed and does not end")', ""],
      [
        "restore: counted first",
        "const counted = yield* Effect.catchIf(\n    say,",
        "if (!dead) yield* kill\n  const counted = yield* Effect.catchIf(\n    say,"
      ],
      ["restore: not too often", "if (counted.restored === undefined) return false", ""]
    ]
  ),
  ...mutantsOf(
    `${supervisor}/src/Validation.ts`,
    [`${supervisor}/test/Bootstrap.test.ts`],
    [
      ["validate: not souffleur itself", "if (pid === processes.self.pid) return", "if (false) return"],
      ["validate: not an ancestor", "if ((yield* processes.ancestors).includes(pid))\n", "if (false)\n"],
      [
        "validate: not another user's",
        "Option.isSome(found) && found.value.uid !== processes.host.uid",
        "false as boolean && Option.isSome(found)"
      ],
      ["validate: not a zombie", 'if (found.condition === "zombie") return', "if (false) return"],
      ["validate: claimed", '  yield* Effect.catchTag(claims.claim(found.identity), "AlreadyWatched", claimed)\n', ""],
      ["validate: its row", "if (watch.comms !== null && Option.isNone(snapshot.souffleur))", "if (false)"]
    ]
  ),
  ...mutantsOf(
    `${supervisor}/src/FirstLaunch.ts`,
    [`${supervisor}/test/FirstLaunch.test.ts`],
    [
      [
        "first launch: the intent is in the log",
        'yield* ref.tell({ _tag: "PrepareLaunch", cycle: 0, launchId, digest, sessionId, requested, effective })',
        ""
      ],
      ["first launch: claimed", "  yield* claim(ref, watch, launchId, conductor)\n", ""],
      ["first launch: ended where another claims it", "stopConductor({ ...watch, conductor, launchId }, granted)", "Effect.void"],
      ["first launch: a session that never began", 'if (Option.contains(seen, "ended" as const)) {', "if (false) {"]
    ]
  ),
  ...mutantsOf(
    `${supervisor}/src/Herald.ts`,
    [`${supervisor}/test/Herald.test.ts`],
    [
      ["herald: told again until it is taken", "yield* Effect.retry(comms.post(", "yield* Effect.ignore(comms.post("],
      ["herald: not twice", "yield* log.changes(id, yield* outbox.told(id))", "yield* log.changes(id, 0)"],
      ["herald: what is told is marked", "yield* outbox.tell(id, revision)", ""]
    ]
  )
]

export const roleMutants = [...recoveryMutants, ...watcherMutants, ...supervisorMutants]
