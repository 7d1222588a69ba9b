import { mutantsOf } from "./Mutant.ts"

const supervisor = "packages/supervisor"

export const supervisorMutants = [
  ...mutantsOf(
    `${supervisor}/src/Supervisor.ts`,
    [`${supervisor}/test/Supervisor.test.ts`],
    [
      [
        "supervise: a watcher that never settles",
        "yield* Effect.forkScoped(unlessRefused(settling(after.watcher)))",
        "{}"
      ],
      ["supervise: once it has settled, its self-monitor alone", 'if (phase !== "Settling") return\n', ""],
      [
        "supervise: starts before stops",
        "for (const role of is) if (!was.includes(role)) yield* FiberMap.run(fibers, role, run(role, after))\n    for (const role of was) if (!is.includes(role)) yield* FiberMap.remove(fibers, role)",
        "for (const role of was) if (!is.includes(role)) yield* FiberMap.remove(fibers, role)\n    for (const role of is) if (!was.includes(role)) yield* FiberMap.run(fibers, role, run(role, after))"
      ],
      ["supervise: an overtaken fence ends it", "|| watch.fence !== fence),\n", "),\n"],
      [
        "supervise: not under an old fence",
        "if (now.fence !== fence) return yield* new Fenced",
        "if (false) return yield* new Fenced"
      ],
      [
        "supervise: a recovery that dies fails closed",
        'role.startsWith("recovery/") && watch.recovery !== undefined',
        "false"
      ],
      [
        "supervise: a self-monitor that dies is told",
        'role.startsWith("monitor/") && watch.monitor !== undefined',
        "false"
      ],
      [
        "supervise: a log that fails ends it",
        'if (error.value._tag !== "Refused") yield* Deferred.fail(broken, error.value)\n',
        ""
      ],
      ["supervise: each generation is claimed", "      yield* claim([...claimed])\n", ""],
      ["supervise: what cannot be claimed is claimed later", "yield* Effect.forkScoped(claimedStill)", ""],
      [
        "supervise: a word that the log cannot take ends no watch",
        'yield* Effect.ignore(ref.dispatch({ _tag: "ReportClaim", message: failed.find((why) => why !== null) ?? null }))',
        'yield* unlessRefused(Effect.asVoid(ref.dispatch({ _tag: "ReportClaim", message: failed.find((why) => why !== null) ?? null })))'
      ],
      ["supervise: what cannot be claimed is told", "failed.find((why) => why !== null) ?? null", "null"],
      ["supervise: what was claimed is released", "Effect.forEach(all, claims.release)", "Effect.succeed(all)"]
    ]
  ),
  ...mutantsOf(
    `${supervisor}/src/Ownership.ts`,
    [`${supervisor}/test/Ownership.test.ts`, `${supervisor}/test/Restore.test.ts`],
    [
      [
        "own: a live owner is not overtaken",
        "owner !== undefined && !(yield* claims.isDead(owner))",
        "owner !== undefined && (false as boolean)"
      ],
      [
        "own: one that was left on another machine",
        "if (left !== undefined && isOfAnotherMachine(left, claims.self))",
        "if (false as boolean && left !== undefined)"
      ],
      [
        "own: … unless a person moves it",
        "if (from === undefined || !elsewhere)",
        "if (from === undefined || elsewhere)"
      ],
      [
        "own: … from an owner that cannot be seen",
        "!isSeen(owner, self) && !(yield* isDead(owner))",
        "!(yield* isDead(owner))"
      ],
      ["own: … and is not dead", "!isSeen(owner, self) && !(yield* isDead(owner))", "!isSeen(owner, self)"],
      ["own: … which is not that of a process alone", "isOfAnotherMachine(owner, self) ?", "(false as boolean) ?"],
      [
        "own: its Conductor and sessions are claimed",
        "yield* Effect.acquireRelease(claimedIfPossible(claims.claim(claimable)), () => claims.release(claimable))",
        "yield* Effect.acquireRelease(Effect.ignore(claims.claim(claimable)), () => claims.release(claimable))"
      ],
      [
        "own: a restoration that could not be counted is",
        "if (Option.isSome(intended)) yield*",
        "if (false as boolean && Option.isSome(intended)) yield*"
      ],
      ["own: what was meant is forgotten", "  yield* forgetIntent(id)\n", ""],
      [
        "own: the fence that was seen",
        "over: watch.fence }, watch).pipe(",
        "over: (yield* load(id)).fence }, watch).pipe("
      ],
      [
        "own: who was faster is said",
        '(error) => error._tag === "Refused" && error.reason === "owned",',
        '(error) => false as boolean && error._tag === "Refused",'
      ],
      [
        "release: no launch becomes anybody",
        'settledEnd(id, yield* command(id, { _tag: "Release" }))',
        'command(id, { _tag: "Release" })'
      ],
      [
        "finish: no launch becomes anybody",
        'settledEnd(id, yield* command(id, { _tag: "Finish", saidBy }))',
        'command(id, { _tag: "Finish", saidBy })'
      ],
      ["word: no launch becomes anybody", 'watch.phase === "Exited" ? yield* settledEnd(id, watch) : watch', "watch"],
      [
        "adopt: not beside who was just launched",
        "if (Option.isSome(ran) && !Equal.equals(ran.value, adopted.conductor)",
        "if (false as boolean && Option.isSome(ran)"
      ],
      ["adopt: who was just launched itself", "!Equal.equals(ran.value, adopted.conductor) && ", ""],
      ["adopt: after its end any other", " && !(yield* isGone(yield* Processes, ran.value)))\n", ")\n"],
      ["adopt: not beside an earlier launch", "recovery?.launch?.launchId ?? undecided", "recovery?.launch?.launchId"],
      ["adopt: no launch becomes anybody", "      yield* settleLast(id, said.success)\n", ""],
      [
        "adopt: a launch of the same moment is settled first",
        "launchOf(yield* load(id)) === settled) return yield* said.failure",
        "said !== null) return yield* said.failure"
      ],
      [
        "release: what was kept is forgotten",
        "  yield* settleLast(id, watch)\n  yield* forget(watch)\n  return watch",
        "  yield* settleLast(id, watch)\n  return watch"
      ]
    ].map(([name, from, to]) => [name!, from!, to!] as const)
  ),
  ...mutantsOf(
    `${supervisor}/src/Restore.ts`,
    [`${supervisor}/test/Restore.test.ts`],
    [
      [
        "restore: the owner that was seen",
        "if (watch.fence !== over) return yield* stillThere",
        "if (false) return yield* stillThere"
      ],
      [
        "restore: one that beats again",
        "if (Option.exists(beat, ({ at }) => now - heardAt(at, now, longest) <= longest)) return",
        "if (Number.isNaN(longest)) return"
      ],
      ["restore: no beat of a time to come", "now - heardAt(at, now, longest) <= longest", "now - at <= longest"],
      [
        "restore: one that acts again before the kill",
        "if ((yield* load(id)).revision !== seen.revision) return",
        "if (false as boolean) return"
      ],
      [
        "restore: one that beats again before the kill",
        "    yield* unlessBeating\n    yield* Effect.catchTag",
        "    yield* Effect.catchTag"
      ],
      ["restore: one that cannot be seen from here", "if (!near) return", "if (false) return"],
      [
        "restore: proven gone",
        'if (Option.isNone(gone)) return yield* stillThere("it was killed and does not end")',
        ""
      ],
      [
        "restore: counted first",
        "const counted = yield* Effect.catchIf(\n    say,",
        "if (!dead) yield* kill\n  const counted = yield* Effect.catchIf(\n    say,"
      ],
      ["restore: not too often", "if (counted?.restored === undefined) return false", ""],
      ["restore: one that leaves meanwhile", 'refused.reason === "owned" ? Effect.fail', "true ? Effect.fail"],
      [
        "restore: the intent is kept where the log is held",
        "Effect.andThen(Effect.andThen(keep, kill(watch)), say)",
        "Effect.andThen(kill(watch), say)"
      ],
      [
        "restore: what was meant before counts once",
        "Option.getOrElse(intended, () => ({ reason, over }))",
        "Option.getOrElse(Option.filter(intended, () => false), () => ({ reason, over }))"
      ],
      ["restore: what is counted is forgotten", "  yield* forgetIntent(id)\n", ""]
    ]
  ),
  ...mutantsOf(
    `${supervisor}/src/Notifier.ts`,
    [`${supervisor}/test/Notifier.test.ts`],
    [
      [
        "notice: a warning",
        "if (kind === undefined || !movesEpisode(event, before)) return undefined",
        'if (kind === undefined || kind === "warning" || !movesEpisode(event, before)) return undefined'
      ],
      ["notice: found at once", "return before.conductor === undefined", "return true"],
      ["notice: a wait once", "return before.wait === undefined", "return true"]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/describe/DescribeRecovery.ts",
    [`${supervisor}/test/Notifier.test.ts`],
    [
      [
        "notice: no other word of comms",
        '{ message: "system" })\n    const session',
        '{ message: "system", notice: "warning" })\n    const session'
      ],
      [
        "notice: of a request",
        'doubts.warnings.join("; ")}`, { message: "warning", notice: "warning" })',
        'doubts.warnings.join("; ")}`, { message: "warning" })'
      ],
      [
        "notice: of a permission",
        '${clamped}`, { message: "warning", notice: "warning" })',
        '${clamped}`, { message: "warning" })'
      ]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/describe/DescribeSign.ts",
    [`${supervisor}/test/Notifier.test.ts`],
    [["notice: of quiet hours nothing", '"quiet-hours": {},', '"quiet-hours": { notice: "usage_limit" },']]
  ),
  ...mutantsOf(
    "packages/domain/src/describe/StepOutcome.ts",
    [`${supervisor}/test/CommsPublisher.test.ts`, "test/scenarios/PayloadScenario.test.ts"],
    [
      ["commsPublisher: what was not understood of a payload", "({ warnings }) => warnings.length > 0", "() => false"],
      ["telling: an export that is over", "=> estimated_tokens > threshold ||", "=> estimated_tokens >= threshold ||"]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/decide/WatchDecider.ts",
    [`${supervisor}/test/Supervisor.test.ts`],
    [
      [
        "claim: told once as long as it lasts",
        "if (watch.unclaimed === (message !== null)) return ok()",
        "if (!watch.unclaimed && message === null) return ok()"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/evidence/Holding.ts",
    ["packages/watcher/test/Watcher.test.ts", "packages/watcher/test/Signs.test.ts"],
    [
      [
        "session: … by the pid file of who holds it",
        "(yield* agent.sessions).find((session) => session.sessionId === sessionId)?.project",
        "undefined"
      ],
      [
        "session: … where nobody says, its own hooks' word",
        "folder === undefined || folder === project",
        "folder === project"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/evidence/Holding.ts",
    [`${supervisor}/test/Bootstrap.test.ts`],
    [
      [
        "holding: its own word for another session",
        "if (own !== undefined) return",
        "if (own !== undefined && (false as boolean)) return"
      ],
      ["holding: hooks know better", "Option.getOrUndefined(yield* hooks.holds({ pid, startTime })) ??", ""],
      ["holding: who else holds it", "if (holder !== undefined)", "if (holder !== undefined && (false as boolean))"],
      ["holding: … by its hooks", "reported.find((held) => held.sessionId === sessionId) ??", ""],
      ["holding: … but who has moved on", " && !moved(session.pid))", ")"],
      [
        "holding: a tool is no agent",
        "return tools.some(({ identity }) => identity.pid === pid)",
        "return (false as boolean)"
      ]
    ]
  ),
  ...mutantsOf(
    `${supervisor}/src/Validation.ts`,
    [`${supervisor}/test/Bootstrap.test.ts`],
    [
      ["validate: not who has that pid by now", "if (!Equal.equals(watch.named, found.identity)) {", "if (false) {"],
      [
        "validate: not who is known to be another",
        "  yield* unlessAnother(watch, found.identity, session.sessionId)\n",
        ""
      ],
      ["validate: a reply needs evidence", '(holding._tag === "Unknown" && !replied)', 'holding._tag === "Unknown"'],
      [
        "validate: a reply names an agent",
        "(!replied || agent.isAgent(yield* processes.commandLine(process.pid)))",
        "true"
      ],
      ["validate: force is no word for a reply", "(forced && !replied)", "forced"],
      ["validate: not souffleur itself", "if (pid === processes.self.pid) return", "if (false) return"],
      ["validate: not an ancestor", "if (!detaching && (yield* processes.ancestors).includes(pid))\n", "if (false)\n"],
      [
        "validate: not another user's",
        "Option.isSome(found) && found.value.uid !== processes.host.uid",
        "false as boolean && Option.isSome(found)"
      ],
      ["validate: not a zombie", 'if (found.condition === "zombie") return', "if (false) return"],
      [
        "validate: claimed",
        '  yield* Effect.catchTag(claimedIfPossible(claims.claim(found.identity)), "AlreadyWatched", claimed("process"))\n',
        ""
      ],
      [
        "validate: its session is claimed",
        '  yield* Effect.catchTag(claimedIfPossible(claims.claim({ session: session.sessionId })), "AlreadyWatched", claimed("session-file"))\n',
        ""
      ],
      ["validate: its row", "if (watch.comms !== null && Option.isNone(snapshot.souffleur))", "if (false)"],
      [
        "validate: a process that is there",
        "if (found === undefined) return yield* new Invalid",
        "if (found === undefined) return yield* Effect.die(pid)\n  if (false as boolean) return yield* new Invalid"
      ],
      [
        "validate: a locked comms decides nothing",
        'reason === "locked" || reason === "stuck" ? new Undecided',
        'reason === "stuck" ? new Undecided'
      ]
    ]
  ),
  ...mutantsOf(
    `${supervisor}/src/FirstLaunch.ts`,
    [`${supervisor}/test/FirstLaunch.test.ts`],
    [
      [
        "first launch: the intent is in the log",
        'ref.dispatch({ _tag: "PrepareLaunch", cycle: 0, launchId, digest, sessionId, requested, effective })',
        "Effect.succeed(digest)"
      ],
      ["first launch: claimed", "  yield* claim(ref, launched)\n", ""],
      [
        "first launch: claimed elsewhere, it is ended",
        "Effect.catchTag(endConductor(launched, granted)",
        "Effect.catchTag(Effect.as(granted, endConductor)"
      ],
      [
        "first launch: the intent to end it",
        'yield* ref.dispatch({ _tag: "EndProcess", what: "first launch", process: launched.conductor, message: why })',
        ""
      ],
      [
        "first launch: ended under its own fence alone",
        'now.phase === "Validating" && now.fence === launched.fence',
        'now.phase === "Validating"'
      ],
      [
        "first launch: ended while validating alone",
        'now.phase === "Validating" && now.fence === launched.fence',
        "now.fence === launched.fence"
      ],
      [
        "first launch: not over before that is gone",
        "Effect.fail(new Undecided({ message: `${why}; ${message}` }))",
        "Effect.void"
      ],
      [
        "first launch: what outlived it is ended",
        "if (!(yield* isStopped(launched))) yield* end(ref, launched, message)",
        "yield* isStopped(launched)"
      ],
      ["first launch: a session that never began", 'if (Option.contains(seen, "ended" as const)) {', "if (false) {"],
      ["first launch: its turn among the watches", "  yield* (yield* LaunchSlots)(ref.id, launchSpacing)\n", ""],
      [
        "first launch: an attempt has an order of its own",
        "if (launchId !== first.launchId) {",
        "if (false as boolean) {"
      ],
      [
        "first launch: what was kept is forgotten",
        "yield* Effect.forEach(failures, (_, n) => launcher.forget(idOf(n + 1)))",
        ""
      ],
      ["first launch: looked at before its file", 'isOver(condition) ? "ended"', 'condition === "gone" ? "ended"']
    ]
  ),
  ...mutantsOf(
    `${supervisor}/src/CommsPublisher.ts`,
    [`${supervisor}/test/CommsPublisher.test.ts`, "test/scenarios/PayloadScenario.test.ts"],
    [
      [
        "commsPublisher: told again until it is taken",
        "yield* Effect.retry(comms.post(",
        "yield* Effect.ignore(comms.post("
      ],
      [
        "commsPublisher: not twice",
        "yield* log.changes(id, yield* positionOf(id, newest(id)))",
        "yield* log.changes(id, 0)"
      ],
      ["commsPublisher: what is told is marked", "yield* cursor.advance(id, revision)", ""]
    ]
  ),
  ...mutantsOf(
    "packages/process/src/notice/NoticeDesk.ts",
    [`${supervisor}/test/Notifier.test.ts`],
    [
      ["page: marked before it is run", "      if (!(yield* marks.advance(mark, message.revision))) return\n", ""],
      [
        "page: by who has moved the mark",
        "if (!(yield* marks.advance(mark, message.revision))) return",
        "yield* marks.advance(mark, message.revision)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/eventlog/src/Cursor.ts",
    ["test/eventlog/LogTrouble.test.ts"],
    [
      ["cursor: never backwards", " WHERE excluded.revision > cursor.revision RETURNING", " RETURNING"],
      ["cursor: who has moved it", "(moved) => moved.length > 0", "() => true"]
    ]
  ),
  ...mutantsOf(
    `${supervisor}/src/RestoreIntent.ts`,
    [`${supervisor}/test/Restore.test.ts`],
    [["restore: an intent of an owner before says nothing", "({ over }) => over === fence", "() => true"]]
  ),
  ...mutantsOf(
    `${supervisor}/src/Bootstrap.ts`,
    [`${supervisor}/test/Bootstrap.test.ts`],
    [
      [
        "bootstrap: beats",
        'yield* Effect.flatMap(Clock.currentTimeMillis, (at) => beats.beat(ref.id, { by: "bootstrap/1", at }))',
        "yield* Effect.sync(() => beats)"
      ],
      [
        "bootstrap: a locked comms counts nothing",
        'if (Result.isFailure(snapshot) && snapshot.failure.reason === "locked") return yield* ref.state',
        ""
      ],
      [
        "bootstrap: a reply after the failure",
        "const after = Math.max(failure.lastMessageId, watch.correctedBy)",
        "const after = watch.correctedBy"
      ],
      [
        "bootstrap: no reply twice",
        "const after = Math.max(failure.lastMessageId, watch.correctedBy)",
        "const after = failure.lastMessageId"
      ],
      [
        "bootstrap: a reply that fails counts at once",
        "watch.failures.length === 0 || replied || ++unchanged",
        "watch.failures.length === 0 || ++unchanged"
      ],
      [
        "bootstrap: the same failure counts later",
        "watch.failures.length === 0 || replied || ++unchanged >= unchangedPolls",
        "true"
      ],
      ["bootstrap: a new failure begins anew", "    unchanged = 0\n    const lastMessageId", "    const lastMessageId"]
    ]
  )
]
