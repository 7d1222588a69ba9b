import { mutantsOf } from "./Mutant.ts"

const watcher = "packages/watcher"
const look = [`${watcher}/test/Classify.test.ts`]
const polls = [`${watcher}/test/Watcher.test.ts`, `${watcher}/test/Signs.test.ts`]
export const watcherMutants = [
  ...mutantsOf(
    `${watcher}/src/Watcher.ts`,
    [`${watcher}/test/Signs.test.ts`],
    [
      ["prompt: a person is awaited", "now - verdict.since > promptMillis ? nextPrompt", "false ? nextPrompt"],
      ["prompt: not right after the turn", " && now - verdict.since > promptMillis", ""],
      ["prompt: a failed turn at once", "if (failedAtPrompt(watch, signs.session?.turn)) return failedTurn", ""],
      ["prompt: not before the hand-off", '"Idle" || !taken)', '"Idle")'],
      ["wait: by the wall clock", "sleepUntil(watch.wait)", "Effect.sleep(watch.wait.until - watch.wait.since)"],
      ["taken: told before the first poll", "[mirror, observeState, tellTaken]", "[mirror, observeState]"]
    ]
  ),
  ...mutantsOf("packages/domain/src/watch/Generation.ts", look, [
    ["failure: also before a launch is confirmed", "preparedAt === 0 ? launchedAt : preparedAt", "launchedAt"]
  ]),
  ...mutantsOf(
    "packages/domain/src/evidence/AtPrompt.ts",
    [`${watcher}/test/Signs.test.ts`],
    [
      ["prompt: not with comms", "comms === null && kind", "kind"],
      ["prompt: not in print mode", " && !print && launchId", " && launchId"],
      ["prompt: not of an agent run by hand", " && launchId !== undefined", ""],
      ["prompt: no failure of a generation before", " && turn.at >= turnsSince(watch)", ""]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/explain/StatusLine.ts",
    ["packages/embed/test/StatusLine.test.ts"],
    [
      ["prompt: one sentence", "what === nextPrompt ?", "false ?"],
      ["prompt: a sentence for a failed turn", "what === failedTurn ?", "false ?"],
      ["prompt: status sees a failed turn first", "return failedAtPrompt(watch, turn) ?", "return false ?"],
      [
        "prompt: no failure before a hand-off is taken",
        "turn === undefined || isUntaken(watch) ||",
        "turn === undefined ||"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/WatchStatus.ts",
    ["packages/embed/test/Souffleur.test.ts"],
    [["taken: status sees it first", "launchId !== undefined && isUntaken(watch)", "false"]]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/Overview.ts",
    ["packages/embed/test/Souffleur.test.ts"],
    [
      ["overview: a Conductor is watched", "isSameProcess(identity, one)", "false"],
      [
        "overview: so is an agent of a run",
        "run.assignment?.launch?.process ?? []",
        "run.assignment === null ? [] : []"
      ],
      ["overview: so is a launch of it", "value.startsWith(`${id}-g`)", "false && value === id"],
      ["overview: so is an agent that it started", "yield* processes.find(parent)", "Option.none()"]
    ]
  ),
  ...mutantsOf(`${watcher}/src/Classify.ts`, look, [
    [
      "priority: complete first",
      'if (state === "complete" || (seen.ending === "complete" && !hasEndedEarly(watch))) return { _tag: "Complete" }\n  if (watch.standby !== undefined) return seen.returned',
      "if (watch.standby !== undefined) return seen.returned"
    ],
    ["standby: only completion and a return", "if (watch.standby !== undefined) return seen.returned", ""],
    [
      "wait: nothing else counts meanwhile",
      "if (watch.wait !== undefined) return waitingOut(watch, watch.wait, seen)",
      ""
    ],
    ["handoff: raised in this generation", " && (seen.otherStateSeen || seen.newPayload)\n", "\n"],
    [
      "handoff: not ended by itself in its own wait",
      'if (asks && watch.wait?.trigger !== "handoff") return',
      "if (asks) return"
    ],
    [
      "priority: handoff before death",
      'const asks = state === "context_recovery" && (',
      'const asks = seen.process === "running" && state === "context_recovery" && ('
    ],
    ["priority: a turn's end before death", 'if (seen.turnEnded) return { _tag: "TurnEnded" }', ""],
    [
      "priority: a limit before death",
      'if (failure?.reason === "usage-limit" || failure?.reason === "outage")',
      "if (false)"
    ],
    ["failure: of this generation", " && session.turn.at >= turnsSince(watch) ?", " ?"],
    ["dead: a zombie too", "isOver(seen.process)", 'seen.process === "gone"'],
    ["stale: an excuse puts it off", "if (isStale(seen) && seen.excuse === undefined)", "if (isStale(seen))"],
    ["stale: strictly older", "age > seen.staleAfter", "age >= seen.staleAfter"],
    ["stale: comms out says nothing", "seen.comms === undefined ? undefined : heartbeatAge", "heartbeatAge"],
    ["wait: its time has come", "if (!isWaitOver(wait, seen.now)) return undefined", ""],
    ["wait: not before a clock that was set back", "!isWaitOver(wait, seen.now)", "seen.now < wait.until"],
    [
      "wait: one that went on",
      'if (newer && turn._tag !== "Failed" && process === "running") return',
      "if (false) return"
    ],
    ["hang: only without comms", "if (watch.comms === null && verdict", "if (verdict"],
    [
      "priority: who is resolved before what a recovery follows",
      'if (seen.resolved !== undefined) return { _tag: "Resolved"',
      'if (false as boolean) return { _tag: "Resolved"'
    ],
    [
      "priority: the session that the dead held last",
      'if (gone && (!watch.awaiting || !isSessionKnown(watch.sessionId)) && found?.holder === "the same")',
      "if (false as boolean)"
    ],
    [
      "exhausted: what no longer fits",
      'if (failure?.reason === "prompt-too-long") return',
      "if (false as boolean) return"
    ],
    [
      "untaken: a hand-off that nobody took",
      'if (seen.handoffTimedOut) return { _tag: "Dead"',
      'if (false as boolean) return { _tag: "Dead"'
    ],
    ["wait: one whose end was moved", "newer && later", "false && later"],
    ["wait: the quiet hours end for nobody", ' && wait.kind !== "quiet-hours"', ""]
  ]),
  ...mutantsOf(`${watcher}/src/Excuse.ts`, look, [
    ["excuse: only of a live process", 'if (process !== "running") return undefined\n  if (verdict', "if (verdict"],
    [
      "excuse: not longer than the tool has",
      "Math.min(verdict.until, Math.max(turn.at, answeredAt) + (turn.limit ?? Infinity))",
      "verdict.until"
    ],
    [
      "excuse: whom a person is awaited by",
      'if (verdict._tag === "Waiting") return { because',
      "if (false as boolean) return { because"
    ],
    ["excuse: a tool that a person allowed begins then", "Math.max(turn.at, answeredAt)", "turn.at"],
    ["excuse: a tool without a process", "!(turn.spawns && children === 0)", "true"],
    ["excuse: a retry has its time", "turn.nextAt + stallAfter", "now"],
    [
      "excuse: a retry no longer than its sign lasts",
      "Math.min(verdict.until, turn.nextAt + stallAfter)",
      "turn.nextAt + stallAfter"
    ]
  ]),
  ...mutantsOf(`${watcher}/src/SessionHolder.ts`, polls, [
    ["holder: a process that is an agent", " || !agent.isAgent(words)", ""],
    ["return: newer than the closing, and seen to change", "changedAt !== undefined && Option.exists", "Option.exists"],
    [
      "return: a live holder",
      'return holder === undefined ? undefined : { _tag: "Returned"',
      'return { _tag: "Returned"'
    ]
  ]),
  ...mutantsOf(
    "packages/domain/src/watch/WatchEvolution.ts",
    [`${watcher}/test/EarlyEnding.test.ts`],
    [["end: not by the turn before the first launch", "preparedAt: watch.firstLaunch?.at ?? 0", "preparedAt: 0"]]
  ),
  ...mutantsOf(
    `${watcher}/src/Observe.ts`,
    [`${watcher}/test/EarlyEnding.test.ts`],
    [
      ["look: what stood still is read once more", "isInterrupted(one) ? {", "(false as boolean) ? {"],
      [
        "end: not by the turn before the launch",
        "(signs.session?.turn?.at ?? watch.preparedAt) >= watch.preparedAt",
        "true"
      ]
    ]
  ),
  ...mutantsOf(
    `${watcher}/src/Remember.ts`,
    [`${watcher}/test/Remember.test.ts`, ...polls],
    [
      [
        "look: late, it begins anew",
        "isInterrupted(read) || brokenOff(before.last, begun, due) || (",
        "isInterrupted(read) || ("
      ],
      ["look: what stood still in its midst begins anew", "const broken = isInterrupted(read) || ", "const broken = "],
      ["look: after an outage of comms it begins anew", " || (before.commsOut && comms !== undefined)", ""],
      ["look: nothing from before the launch", "Math.max(watch.launchedAt, watch.brokenOffAt, ", "Math.max("],
      ["goes on: the whole time to beat again", "notBefore: goesOn ? now : since", "notBefore: since"]
    ]
  ),
  ...mutantsOf(`${watcher}/src/FoundSession.ts`, polls, [
    [
      "session: not one of an earlier generation",
      "if (found === undefined || (found !== watch.sessionId && watch.sessions.includes(found))) return undefined",
      "if (found === undefined) return undefined"
    ],
    [
      "session: only where it is awaited",
      "if (!watch.awaiting || !sessionId) return undefined",
      "if (!sessionId) return undefined"
    ],
    [
      "session: that very process",
      "isSameProcess(holder.conductor, watch.conductor)",
      "holder.conductor.pid === watch.conductor?.pid"
    ],
    [
      "session: another project's is never taken",
      'if (folder !== watch.project) return yield* refuse(found, "which task-00 names", folder)',
      ""
    ],
    ["session: … nor by its hooks", "if (isWithin(watch.project, folder)) return", "if (folder !== null) return"],
    ["session: its file exists", "if (found === undefined || (found", "if (found !== undefined && (found"]
  ]),
  ...mutantsOf(`${watcher}/src/Observe.ts`, polls, [
    ["untaken: one that beats is not judged", "!taken && !beating && (signs", "!taken && (signs"],
    [
      "payload: read only against a known state",
      "|| watch.baseline.conductorState === null) return false",
      ") return false"
    ],
    [
      "payload: newer than the last consumed one",
      "comms.payload({ after: watch.baseline.lastMessageId,",
      "comms.payload({ after: 0,"
    ],
    ["untaken: one that has taken it is not judged", "!taken && !beating && (signs", "!beating && (signs"],
    ["untaken: comms is read", "(seen !== undefined && foundSession === undefined)", "foundSession === undefined"],
    [
      "turn ended: in print mode alone",
      "watch.comms !== null && watch.print && signs",
      "watch.comms !== null && signs"
    ],
    [
      "trigger: another state was seen, before or after the launch",
      "otherStateSeen: before.otherStateSeen,\n",
      "otherStateSeen: true,\n"
    ]
  ]),
  ...mutantsOf(
    `${watcher}/src/HandoffTimeout.ts`,
    [`${watcher}/test/Signs.test.ts`],
    [
      ["untaken: in its time", "if (signs.now - signs.since <= timeout) return false", ""],
      ["untaken: at work on nothing", 'return verdict._tag === "Idle" || verdict._tag === "Hung"', "return true"],
      ["mute: an agent", 'kind !== "agent" || !lives', "!lives"],
      ["mute: waits for nobody", '|| verdict._tag === "Waiting" ||', "||"],
      ["mute: no hook", "|| hook !== undefined ||", "||"],
      ["mute: no beat", "|| (beat !== undefined && beat >= since)) return", ") return"],
      ["mute: of no other session", "if (held !== undefined && held.sessionId !== sessionId) return false", ""],
      ["mute: without a session file", "onSuccess: () => false", "onSuccess: () => true"]
    ]
  ),
  ...mutantsOf(
    `${watcher}/src/Watcher.ts`,
    [`${watcher}/test/Watcher.test.ts`, `${watcher}/test/Signs.test.ts`],
    [
      ["watcher: beats before its first poll", "  yield* beat\n  const { noteOutage", "  const { noteOutage"],
      ["watcher: remembers what it has started", "Effect.andThen(remembering, look)", "look"],
      ["watcher: beats each minute", "Effect.andThen(beating, Effect.never),\n", ""],
      ["watcher: says that it runs", 'yield* ref.dispatch({ _tag: "WatcherReady", watcher: me })', ""],
      [
        "watcher: no probe in standby",
        "|| watch.standby !== undefined || watch.wait !== undefined\n      ? Effect.never\n      : Effect.andThen(processes",
        "|| watch.wait !== undefined\n      ? Effect.never\n      : Effect.andThen(processes"
      ],
      ["watcher: a wait's end is looked at then", "Effect.andThen(waiting, Effect.never)\n", ""],
      ["watcher: a hand-off is told once", "if (yield* Ref.get(taken)) return\n", ""],
      ["watcher: the ceiling is told", "    yield* tellCeiling\n    if (Option", "    if (Option"],
      ["watcher: an outage of comms between polls", "(mirrored ? Effect.void : noteOutage)", "Effect.void"],
      [
        "watcher: a hand-off is told before the end",
        'if (Option.isSome(found) && found.value._tag === "Complete") yield* tellTaken',
        ""
      ],
      ["watcher: a hand-off is told", "    yield* tellTaken\n    const seen", "    const seen"],
      [
        "watcher: no probe in a wait",
        "watch.standby !== undefined || watch.wait !== undefined\n      ? Effect.never\n      : Effect.andThen(processes",
        "watch.standby !== undefined\n      ? Effect.never\n      : Effect.andThen(processes"
      ],
      [
        "watcher: the ceiling of time",
        "if (maxTime !== null && used >= Duration",
        "if (maxTime !== null && used > Infinity && used >= Duration"
      ],
      ["watcher: the ceiling of tokens", "maxTokens !== null && tokens >= maxTokens", "false as boolean"],
      ["watcher: the ceiling of dollars", "if (spent >= limit) yield*", "if (false as boolean) yield*"],
      ["watcher: the ceiling is told once", "if (ceiling !== undefined) return\n", ""],
      ["watcher: why nobody is killed", "    yield* tellDeferred(seen)\n", ""],
      ["watcher: who is awaited", "    yield* tellPerson(seen)\n", ""]
    ]
  ),
  ...mutantsOf(
    "packages/claude/src/session/Spend.ts",
    ["packages/claude/test/Spend.test.ts"],
    [
      ["dollars: from a moment on", "if (counted.at >= since) counted.dollars +=", "counted.dollars +="],
      ["dollars: what was there before", "total < cost ? total : total - cost", "total"],
      ["dollars: a count that begins again", "total < cost ? total : total - cost", "total - cost"],
      ["dollars: an amount", 'typeof cost === "number" && cost >= 0 && cost <= maxDollars', 'typeof cost === "number"']
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/preview/IdleSettings.ts",
    ["packages/embed/test/IdleSettings.test.ts"],
    [
      ["idle: an agent without a cost", '(kind === "command" || !recordsDollars)', '(kind === "command")'],
      ["idle: a command", '(kind === "command" || !recordsDollars)', "(!recordsDollars)"]
    ]
  ),
  ...mutantsOf(
    "packages/process/src/process/LastSeen.ts",
    ["packages/watcher/test/Watcher.test.ts"],
    [
      ["last seen: by the watcher before", "onSome: ({ at }) => at", "onSome: () => 0"],
      ["last seen: not as a long run", "now - seen > 2 * interval ? seen : now", "Math.max(now, seen)"],
      ["last seen: up to its end", "now - seen > 2 * interval ? seen : now", "seen"],
      ["last seen: with each beat", "yield* Ref.set(last, yield* Clock.currentTimeMillis)", "yield* Ref.get(last)"]
    ]
  )
]
