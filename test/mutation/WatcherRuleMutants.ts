import { mutantsOf } from "./Mutant.ts"

const [watcher, monitor] = ["packages/watcher", "packages/monitor"]
const [looks, signs] = [[`${watcher}/test/Watcher.test.ts`], [`${watcher}/test/Signs.test.ts`]]

/** Mutants that take away single rules of a watcher and of its self-monitor. */
export const watcherRuleMutants = [
  ...mutantsOf("packages/domain/src/evidence/Heartbeat.ts", looks, [
    [
      "heartbeat: what cannot be read is unknown",
      "if (written === undefined || written > now) return undefined",
      "if (written === undefined) return now"
    ],
    [
      "heartbeat: whatever it says, it was seen to change",
      "before.raw === raw ? before : { raw, changedAt: now }",
      "{ ...before, raw }"
    ]
  ]),
  ...mutantsOf(`${watcher}/src/Remember.ts`, looks, [
    [
      "trigger: a state that nobody knows is no other state",
      "=> state !== null && state !== undefined &&",
      "=> state !== undefined &&"
    ]
  ]),
  ...mutantsOf(`${watcher}/src/FoundSession.ts`, looks, [
    [
      "session: the one that the launch asked for",
      '    if (found === watch.sessionId) return { sessionId: found, holder: "the same" as const }\n',
      ""
    ],
    [
      "session: nobody who holds it is nobody who is known",
      'return { sessionId: found, holder: "unknown" as const }',
      'return { sessionId: found, holder: "the same" as const }'
    ]
  ]),
  ...mutantsOf(`${watcher}/src/SessionHolder.ts`, looks, [
    ["return: not of one that only compacts", "words.at(-1) === agent.compactPrompt || ", ""]
  ]),
  ...mutantsOf(`${watcher}/src/Observe.ts`, looks, [
    [
      "finished: a finished turn, without comms",
      "watch.comms === null && isOver(signs.process) ? yield*",
      "(false as boolean) && isOver(signs.process) ? yield*"
    ],
    [
      "look: comms is read after the process",
      `    const read = watch.conductor === undefined ? undefined : yield* readAgentProcess(watch.conductor)
    const [process, processorTime] = [read?.condition, read?.processorTime]
    const seen = yield* snapshot
`,
      `    const seen = yield* snapshot
    const read = watch.conductor === undefined ? undefined : yield* readAgentProcess(watch.conductor)
    const [process, processorTime] = [read?.condition, read?.processorTime]
`
    ]
  ]),
  ...mutantsOf(`${watcher}/src/Watcher.ts`, signs, [
    [
      "watcher: an agent without a session asks a person",
      "launchedAt > beginMillis ? firstAnswer",
      "launchedAt < 0 ? firstAnswer"
    ]
  ]),
  ...mutantsOf(`${watcher}/src/Watcher.ts`, looks, [
    [
      "watcher: the end of the process brings a poll forward",
      "Effect.andThen(processes.untilOver(watch.conductor, probeInterval), poll(",
      "Effect.andThen(Effect.never, poll("
    ],
    ["watcher: a reported session brings a poll forward", "Effect.andThen(named, Effect.never),", ""]
  ]),
  ...mutantsOf("packages/domain/src/port/Process.ts", looks, [
    ["process: a reported end is looked at", "Effect.andThen(reported(identity.pid), seen)", "Effect.never"],
    [
      "process: a reported end is only a hint",
      "Effect.andThen(reported(identity.pid), seen)",
      "Effect.asVoid(reported(identity.pid))"
    ]
  ]),
  ...mutantsOf(`${watcher}/src/Classify.ts`, looks, [
    [
      "standby: nothing that a recovery would follow",
      "if (watch.standby !== undefined) return seen.returned",
      "if (watch.standby !== undefined && seen.returned !== undefined) return seen.returned"
    ]
  ]),
  ...mutantsOf(`${watcher}/src/SessionHolder.ts`, signs, [
    [
      "return: a session file newer than the closing",
      "signs === undefined || signs.writtenAt <= since :",
      "signs === undefined :"
    ]
  ]),
  ...mutantsOf(`${watcher}/src/FoundSession.ts`, signs, [
    [
      "session: the one that its hooks say it has begun",
      "if (Option.isSome(held) && held.value !== watch.sessionId) {",
      "if (Option.isSome(held) && (false as boolean)) {"
    ]
  ]),
  ...mutantsOf(`${watcher}/src/Classify.ts`, signs, [
    [
      "wait: who asks goes on, but in the wait of that very request",
      'watch.wait?.trigger !== "handoff"',
      'watch.wait?.kind !== "usage-limit"'
    ],
    [
      "wait: one that goes on has said something since it began",
      "turn.at > wait.since && wait.kind",
      "turn.at > wait.until && wait.kind"
    ]
  ]),
  ...mutantsOf(
    `${monitor}/src/SelfMonitor.ts`,
    [`${monitor}/test/SelfMonitor.test.ts`],
    [
      ["self-monitor: older, not as old", "(age === null || age > staleAfter)", "(age === null || age >= staleAfter)"],
      [
        "self-monitor: older by a millisecond",
        "(age === null || age > staleAfter)",
        "(age === null || age > staleAfter + 1)"
      ],
      [
        "self-monitor: its rounds go on",
        "check().pipe(Effect.schedule(selfCheck(settings.monitorInitialWait, settings.monitorInterval)))",
        "check().pipe(Effect.delay(settings.monitorInitialWait))"
      ],
      [
        "self-monitor: not during a recovery",
        "    if (watcher === undefined) return\n",
        "    if (watcher === undefined) return yield* Effect.die(now)\n"
      ]
    ]
  )
]
