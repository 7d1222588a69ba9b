import { mutantsOf } from "./Mutant.ts"

const domain = "packages/domain"
const recovery = "packages/recovery"
const decider = [`${domain}/test/HandoverDecider.test.ts`]
const resumed = [`${recovery}/test/ResumeSession.test.ts`]
const exported = [`${recovery}/test/ExportHandover.test.ts`]
const service = ["packages/embed/test/Souffleur.test.ts"]

/** Mutants of the hand-over of a conversation to another agent, and of what each agent has of its own. */
export const handoverMutants = [
  ...mutantsOf(`${domain}/src/decide/HandoverDecider.ts`, decider, [
    ["hand-over: of no command", 'if (kind === "command") return', "if (false as boolean) return"],
    ["hand-over: not under a hold", "if (held !== undefined)", "if (false as boolean)"],
    ["hand-over: not in a recovery", "if (recovery !== undefined) return", "if (false as boolean) return"],
    ["hand-over: not before the watch runs", 'if (phase !== "Watching") return', "if (false as boolean) return"],
    ["hand-over: not to the same agent", "if (from === agent)\n", "if (from === agent && standby !== undefined)\n"],
    ["hand-over: an end before it stays the cause", 'standby?.trigger ?? "handover"', '"handover"'],
    ["hand-over: an agent that lives goes on", 'trigger === "handover" ? lives', 'trigger === "handover" ? false'],
    ["hand-over: an agent that was given up is recovered", ": !ended)", ": true)"],
    ["hand-over: a wait is over", "...(wait === undefined ? [] :", "...(wait !== undefined ? [] :"],
    ["hand-over: as much again is allowed", "ceiling !== undefined ? [", "ceiling === undefined ? ["],
    ["hand-over: a standby is over", "const retried = standby === undefined ?", "const retried = standby !== null ?"]
  ]),
  ...mutantsOf(`${domain}/src/decide/RetryDecider.ts`, decider, [
    ["hand-over: a person's word alone", 'return by._tag === "Operator"\n', "return true\n"],
    ["hand-over: an impossible one is not tried again", "failed?.unfit === true", "failed?.unfit === undefined"],
    ["hand-over: with a ceiling", "(events) => [...granted, ...events]", "(events) => events"]
  ]),
  ...mutantsOf(`${domain}/src/watch/WatchEvolution.ts`, decider, [
    ["hand-over: whose conversation it is", "handedFrom: from === agent ? undefined : from", "handedFrom: from"]
  ]),
  ...mutantsOf(`${domain}/src/watch/Generation.ts`, decider, [
    ["hand-over: over with its launch", "  handedFrom: undefined,\n", ""],
    ["hand-over: an adoption takes it back", "const before = handedFrom ?? agent", "const before = agent"],
    ["adopt: another agent goes on as itself", "? before : adopted.agent", "? before : before"]
  ]),
  ...mutantsOf("packages/embed/src/watching/AdoptProcess.ts", service, [
    ["adopt: its session tells the agent", "    agent: program,\n", ""]
  ]),
  ...mutantsOf(
    `${domain}/src/describe/ForPerson.ts`,
    [`${domain}/test/ForPerson.test.ts`],
    [
      ["hand-over: the agent by its own name", "(known.handedFrom ?? known.agent)", "undefined"],
      ["hand-over: the agent before by its own", "known.handedFrom ?? known.agent", "known.agent"]
    ]
  ),
  ...mutantsOf(`${recovery}/src/providers/ExportProvider.ts`, exported, [
    ["hand-over: by its own way", "applies: ({ handedFrom }) => handedFrom !== undefined", "applies: () => false"],
    [
      "hand-over: looked at before the stop",
      "Effect.andThen(unlessUnfit(entry.request), byExport.recover(watch, entry))",
      "byExport.recover(watch, entry)"
    ],
    ["hand-over: not told as an export", "handedFrom === undefined && (recovery", "(recovery"]
  ]),
  ...mutantsOf(`${recovery}/src/providers/ResumeSession.ts`, resumed, [
    ["hand-over: a stopped agent is resumed", '"hang", "handover"', '"hang"']
  ]),
  ...mutantsOf(`${recovery}/src/steps/LaunchPrompt.ts`, resumed, [
    ["hand-over: a stopped agent is told so", 'watch.recovery?.trigger === "handover"\n', "(false as boolean)\n"]
  ]),
  ...mutantsOf(
    `${domain}/src/decide/HandoverDecider.ts`,
    ["packages/embed/test/StatusLine.test.ts"],
    [["hand-over: a way on where it failed", "|| handedFrom === undefined", "|| agent === undefined"]]
  ),
  ...mutantsOf(
    "packages/embed/src/explain/StatusLine.ts",
    ["packages/embed/test/StatusLine.test.ts"],
    [["hand-over: status names the way on", "next: failed.back", "next: failed.again"]]
  ),
  ...mutantsOf(
    "packages/embed/src/explain/RecoveryReason.ts",
    ["packages/embed/test/WatchReason.test.ts"],
    [
      ["hand-over: why names the ways on", "failed === undefined\n", "true\n"],
      ["hand-over: why of one after an end", "handedFrom !== undefined\n", "false\n"],
      ["hand-over: why of one that was taken back", ': trigger === "handover"\n', ": false\n"]
    ]
  ),
  ...mutantsOf(`${recovery}/src/providers/SmallHandoff.ts`, exported, [
    ["hand-over: cut where it is too large", "handedFrom !== undefined || ", ""]
  ]),
  ...mutantsOf(`${recovery}/src/providers/StandardCompact.ts`, exported, [
    ["hand-over: no compaction", "handedFrom === undefined && recovery", "recovery"]
  ]),
  ...mutantsOf(`${recovery}/src/steps/Launch.ts`, exported, [
    ["launch: a recovery knows its window", 'print: terminal === "headless"', "print: true"]
  ]),
  ...mutantsOf(
    `${recovery}/src/steps/Launch.ts`,
    [...exported, ...service],
    [
      [
        "launch: a successor in print mode",
        "print: !(yield* launcher.inWindow(launched.launchId))",
        'print: launcher.terminal === "headless"'
      ]
    ]
  ),
  ...mutantsOf(`${recovery}/src/steps/LaunchPrompt.ts`, exported, [
    ["hand-over: no command of another agent", " || agent !== undefined", ""],
    ["hand-over: the successor is told", "handedFrom === undefined\n", "true\n"]
  ]),
  ...mutantsOf("packages/supervisor/src/Roles.ts", service, [
    [
      "hand-over: the chosen agent is launched",
      "Effect.provideService(Agent, chosenAgent(agent, watch.agent))",
      "Effect.provideService(Agent, agent)"
    ]
  ]),
  ...mutantsOf("packages/embed/src/watching/BeginWatch.ts", service, [
    ["hand-over: it goes on without the first agent", "chosenAgent(agent, watch.agent)", "agent"]
  ]),
  ...mutantsOf("packages/embed/src/watching/HandOver.ts", service, [
    ["hand-over: it holds its own session", "sessionId === watch.sessionId", "sessionId !== watch.sessionId"],
    ["hand-over: it lives", "lives: holds && !(yield*", "lives: holds && (yield*"],
    ["hand-over: an agent that can be launched", "yield* led\n      .command(", "yield* agent\n      .command("],
    [
      "hand-over: a conversation that can be read",
      "if (Option.isNone(yield* agent.signs(sessionId)))",
      "if (false as boolean)"
    ]
  ]),
  ...mutantsOf(
    "packages/cli/src/commands/RetryCommand.ts",
    ["packages/cli/test/RetryCommand.test.ts"],
    [["hand-over: not in an agent's session", 'if (agent !== undefined) yield* personOnly("retry --agent")', ""]]
  ),
  ...mutantsOf(
    "packages/plan/src/agent/Assignment.ts",
    ["packages/plan/test/Assignment.test.ts"],
    [["role agent: it is launched", "chosenAgent(yield* Agent, agent ?? undefined)", "yield* Agent"]]
  ),
  ...mutantsOf(
    "packages/embed/src/conducting/RoleAgent.ts",
    ["packages/cli/test/ConductRoles.test.ts"],
    [["role agent: of the reviewer", ', ["reviewer", reviewer] as const', ""]]
  ),
  ...mutantsOf(
    "packages/watcher/src/Observe.ts",
    ["packages/watcher/test/Signs.test.ts"],
    [
      ["stall: each agent has its own", "settings.stallAfter ?? agent.stall", "settings.stallAfter ?? 361_000"],
      ["stall: a setting replaces it", "settings.stallAfter ?? agent.stall", "agent.stall"]
    ]
  ),
  ...mutantsOf(
    "packages/process/src/agent/JoinedAgents.ts",
    ["packages/process/test/AnyAgent.test.ts"],
    [
      ["hand-over: the agent that has the session", "agent === owner)!.program", "agent === first)!.program"],
      ["hand-over: the agent that is named", "named.find((one) => one.program === program)", "named[0]"]
    ]
  )
]
