import { mutantsOf } from "./Mutant.ts"

const [src, test] = ["packages/domain/src", "packages/domain/test"]
const [decider, watch] = [[`${test}/WatchDecider.test.ts`], [`${test}/Watch.test.ts`]]

/** Mutants that take away single rules of a watch, of its settings and of its signs. */
export const domainRuleMutants = [
  ...mutantsOf(`${src}/watch/WatchEvolution.ts`, watch, [
    [
      "life: a watch that has settled is watched",
      'WatchSettled: () => ({ phase: "Watching" })',
      "WatchSettled: () => ({})"
    ],
    [
      "life: no watcher is left at its end",
      'phase: "Exited",\n  end,\n  watcher: undefined,',
      'phase: "Exited",\n  end,'
    ],
    [
      "life: nor anything else",
      "  monitor: undefined,\n  recovery: undefined,\n  standby: undefined\n})",
      "  standby: undefined\n})"
    ]
  ]),
  ...mutantsOf(`${src}/watch/RecoveryEvolution.ts`, watch, [
    ["launched: a word against the evidence was of another", "    forced: false,\n    lastExport", "    lastExport"]
  ]),
  ...mutantsOf(`${src}/watch/Generation.ts`, decider, [
    ["launched: it is measured from then on", "  baseline: pickBaseline(event),\n  lastTasks", "  lastTasks"],
    [
      "launched: found by each session it had",
      "  sessions: withSession(watch, event.sessionId),\n  generation: event",
      "  generation: event"
    ]
  ]),
  ...mutantsOf(
    `${src}/watch/RecoveryEvolution.ts`,
    [...decider, "packages/supervisor/test/Supervisor.test.ts"],
    [
      ["launch: the step that wrote its file", "steps: prepared(watch.recovery.steps)", "steps: watch.recovery.steps"],
      [
        "launch: an earlier step wrote none",
        'state._tag === "Started" ? { ...state, prepared',
        "true ? { ...state, prepared"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/watch/WatchEvolution.ts`,
    [...decider, "packages/supervisor/test/Supervisor.test.ts"],
    [
      [
        "always: the self-monitor of a lost watcher stays",
        "WatcherLost: ({ at }) => ({ watcher: undefined,",
        "WatcherLost: ({ at }) => ({ watcher: undefined, monitor: undefined,"
      ]
    ]
  ),
  ...mutantsOf(`${src}/decide/WatchDecider.ts`, decider, [
    [
      "always: another self-monitor follows one that stops",
      "            Event.SelfMonitorStarted.make({ at, monitor: watch.monitorsStarted + 1, watcher: command.watcher })\n",
      ""
    ],
    [
      "finish: in any state",
      'case "Finish":\n',
      'case "Finish":\n      if (watch.phase !== "Watching") return no("not now", "")\n'
    ],
    [
      "open: with its first launch, in one append",
      ": [Event.LaunchPrepared.make({ at, cycle: 0, sessionId: command.sessionId, ...command.run.launch })]",
      ": []"
    ]
  ]),
  ...mutantsOf(`${src}/decide/CycleDecider.ts`, decider, [
    [
      "always: a recovery that failed closed is watched",
      "RecoveryFailedClosed.make({ at, cycle, stage, message }), nextWatcher(watch, at))",
      "RecoveryFailedClosed.make({ at, cycle, stage, message }))"
    ],
    ["escalated: told once in its cycle", "if (recovery.escalated.includes(from)) return ok()", ""]
  ]),
  ...mutantsOf(
    `${src}/decide/WatchDecider.ts`,
    [`${test}/WatchRef.test.ts`, ...decider],
    [["the fence: an older one too", "command.by.fence !== watch.fence", "command.by.fence > watch.fence"]]
  ),
  ...mutantsOf(`${src}/decide/ExitDecider.ts`, decider, [
    ["complete: by what it was, without comms", 'comms !== null ? "watcher"', 'comms !== undefined ? "watcher"']
  ]),
  ...mutantsOf(`${src}/decide/RetryDecider.ts`, decider, [
    [
      "retry: allows as much again before a ceiling is reached",
      "const renewed = ceilings || watch.ceiling",
      "const renewed = watch.ceiling"
    ]
  ]),
  ...mutantsOf(
    `${src}/watch/WatchEvolution.ts`,
    [`${test}/Pin.test.ts`],
    [["pin: what it was opened with", "    kind,\n    pin,\n", "    kind,\n"]]
  ),
  ...mutantsOf(
    `${src}/watch/Target.ts`,
    [`${test}/Target.test.ts`],
    [
      ["target: anywhere in a text", String.raw`text.split(/\s+/u)`, 'text.split(" ")'],
      [
        "target: not the machine's first process",
        'if (pid === 1) return Result.fail(new BadTarget({ message: "pid 1 is the machine\'s first process, never a Conductor" }))',
        "if (pid === 1) return Result.succeed(pid)"
      ],
      ["target: no session id that is a path or a flag", "/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/u", "/^[^ ]{1,128}$/u"]
    ]
  ),
  ...mutantsOf(
    `${src}/evidence/Judgement.ts`,
    [`${test}/Judgement.test.ts`],
    [
      ["stall: a call may stall three times in a row", "const stallsInARow = 3", "const stallsInARow = 1"],
      [
        "tool: its own limit, or two hours",
        "until: from + (turn.limit ?? maxToolMillis) + stall",
        "until: from + stall"
      ],
      [
        "retry: the time until it is made",
        "until: from + wait + stallsInARow * stall",
        "until: from + stallsInARow * stall"
      ],
      ["signs: a beat is one", '    [beat, "it sent a beat"],\n', ""],
      [
        "limit: an outage is one too",
        '    case "outage":\n      return { _tag: "Limited"',
        '      return { _tag: "Limited"'
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/watch/Payload.ts`,
    [`${test}/Payload.test.ts`],
    [["payload: a prompt to its last white space", 'text.slice(text[from] === " " ? from + 1 : from)', "value.trim()"]]
  ),
  ...mutantsOf(
    "packages/process/src/settings/FindConfig.ts",
    ["packages/process/test/ConfigFile.test.ts"],
    [
      [
        "config: the project's before its parent's",
        "new Set([project, path.dirname(project)])",
        "new Set([path.dirname(project), project])"
      ],
      [
        "config: no file is no warning",
        "return { values: new Map(), warnings: [], source: null, refused: null }",
        'return { values: new Map(), warnings: ["there is no file"], source: null, refused: null }'
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/settings/ConfigFile.ts`,
    ["packages/process/test/ConfigFile.test.ts"],
    [
      ["config: any line end", String.raw`text.split(/\r\n|\r|\n/)`, 'text.split("\\n")'],
      [
        "config: case-sensitive",
        "content.slice(0, Math.max(equals, 0)).trim()",
        "content.slice(0, Math.max(equals, 0)).trim().toUpperCase()"
      ],
      [
        "config: a repeated key is told",
        "if (earlier !== undefined) warnings.push(",
        "if (false as boolean) warnings.push("
      ],
      [
        "config: the last of a key wins",
        "      values.set(key, { value, line })",
        "      if (earlier === undefined) values.set(key, { value, line })"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/settings/ResolveSettings.ts`,
    ["packages/process/test/ReadSettings.test.ts"],
    [
      [
        "settings: a value that is wrong is told",
        "    warnings.push(`line ${inside.line}: ${one.key} ${read.failure}, its default is used`)\n",
        ""
      ],
      ["settings: threshold and ceiling by the file alone", "    if (!outside) return undefined\n", ""],
      ["settings: a variable that is not read", 'if (!outside && value !== "")', "if (false)"]
    ]
  ),
  ...mutantsOf(
    `${src}/evidence/Heartbeat.ts`,
    [`${test}/Heartbeat.test.ts`],
    [["heartbeat: written to the second", "iso(at).slice(0, 19)", "iso(at).slice(0, 16)"]]
  ),
  ...mutantsOf(
    `${src}/decide/Guard.ts`,
    [`${test}/Guard.test.ts`],
    [
      ["guard: three starts, not four", "const maxFailedStarts = 3", "const maxFailedStarts = 4"],
      ["guard: a log that cannot be used ends no guardian", 'if (started === "shut out")', "if (false as boolean)"],
      ["guard: each pause is twice as long", "pauseMillis * 2 ** (failed - 1)", "pauseMillis"],
      [
        "guard: who beats is not silent",
        "now - Math.max(heard, known.since) > silentAfter",
        "now - known.since > silentAfter"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/settings/Permission.ts`,
    [`${test}/Permission.test.ts`],
    [
      [
        "the ceiling: who asks for more gets no less",
        '? "bypassPermissions" : "acceptEdits")',
        '? "acceptEdits" : "bypassPermissions")'
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/PlainText.ts`,
    [`${test}/PlainText.test.ts`],
    [["plain: as JSON writes it", '.padStart(4, "0")', ""]]
  ),
  ...mutantsOf(`${src}/decide/ExitDecider.ts`, decider, [
    [
      "lost: another watcher awaits as well",
      "awaiting: change.awaiting ?? watch.awaiting",
      "awaiting: change.awaiting ?? false"
    ]
  ])
]
