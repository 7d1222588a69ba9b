import { mutantsOf } from "./Mutant.ts"

const cli = "packages/cli"
const embed = "packages/embed"

/** Mutants of what souffleur tells a person of things seen and things kept. */
export const toldMutants = [
  ...mutantsOf(
    `${embed}/src/explain/WatchReason.ts`,
    [`${embed}/test/WatchReason.test.ts`],
    [["why: against the evidence", 'event._tag === "ConductorAdopted" && event.forced ?', "(false as boolean) ?"]]
  ),
  ...mutantsOf(
    "packages/embed/src/explain/RecoveryReason.ts",
    [`${embed}/test/WatchReason.test.ts`],
    [
      [
        "why: what was not understood",
        "...(doubtsOf({ step: stepNames.request, outcome: outcomeOf(before, stepNames.request) })?.warnings ?? []),\n",
        ""
      ],
      ["why: which permission a launch got", "...(clamped === undefined ? [] : [clamped])", ""]
    ]
  ),
  ...mutantsOf(
    `${embed}/src/explain/SignReason.ts`,
    [`${embed}/test/WatchReason.test.ts`],
    [
      ["why: who says when a limit ends", "`the session file states that it ends at ${iso(event.resetsAt)}`", '""'],
      [
        "why: quiet hours follow from a death",
        'if (event.kind === "quiet-hours" || event.kind === "pause") return undefined\n',
        ""
      ],
      ["why: where to go to who waits", "souffleur attach goes there, and ", ""],
      ["why: since when a ceiling counts", "counted from ${iso(before.allowedSince)} on, ", ""],
      ["why: what to do at a ceiling", "souffleur retry allows as much again, ", ""]
    ]
  ),
  ...mutantsOf(
    `${embed}/src/explain/RunSentence.ts`,
    [`${embed}/test/RunSentence.test.ts`],
    [["telling: who is gone is not at work", 'agent === "gone" || agent === "zombie" ? "has ended" : ', ""]]
  ),
  ...mutantsOf(
    "packages/plan/src/publish/DescribeRun.ts",
    [`${embed}/test/RunSentence.test.ts`],
    [
      [
        "telling: what is complete and has changed",
        "changed.length === 0\n      ? described",
        "(true as boolean)\n      ? described"
      ],
      [
        "telling: the first suspect where nothing was committed",
        '${hint === null ? "" : `; ${firstSuspect(hint)}`}',
        ""
      ]
    ]
  ),
  ...mutantsOf(
    `${cli}/src/commands/ConductAnswerCommand.ts`,
    [`${cli}/test/ConductAnswerCommand.test.ts`],
    [
      ["answer: what stays of a task that is left out", "${kept}; ${how}", "; ${how}"],
      ["answer: how many of its commits", "left === 1 ?", "left > 0 ?"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/WhyCommand.ts",
    ["packages/cli/test/ConductWhy.test.ts"],
    [
      ["why of a run: where there is no watch", "log.findRun(of)", 'log.findRun("none")'],
      ["why of neither: the watch is named", "() => Effect.fail(none))", "(error) => Effect.fail(error))"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/explain/RunWhy.ts",
    ["packages/cli/test/ConductWhy.test.ts"],
    [
      ["why of a run: the last words of an agent that failed", "if (!failures.has(event._tag)) return []", "return []"],
      ["why of a run: of the agent before the failure", "revision: revision - 1", "revision"]
    ]
  ),
  ...mutantsOf(
    `${embed}/src/explain/RunReason.ts`,
    ["packages/cli/test/ConductWhy.test.ts"],
    [["why of a run: the agent that failed", "...assigned(before, at), ", ""]]
  ),
  ...mutantsOf(
    `${embed}/src/explain/RunReason.ts`,
    [`${embed}/test/RunReason.test.ts`],
    [
      [
        "why of a run: what was wrong at each rejection",
        "seen: [event.message, ...grieved(event, before)]",
        "seen: [event.message]"
      ],
      ["why of a run: the limit of who is ended", "; its limit is ${Words.duration(limit)}", ""],
      ["why of a run: what it has started", '`it has started pid ${others.join(", ")}`', '""']
    ]
  ),
  ...mutantsOf(
    `${embed}/src/explain/StatusLine.ts`,
    [`${embed}/test/StatusLine.test.ts`],
    [
      ["standing: what has ended", 'watch.phase === "Exited" ? ends', "(false as boolean) ? ends"],
      ["standing: a command takes no hand-off", 'kind === "agent" && generation > 1', "generation > 1"],
      ["standing: who waits", 'Match.when({ person: Match.defined }, () => "waits for a person"),\n', ""]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/doctor/EstimateCheck.ts",
    ["packages/embed/test/EstimateCheck.test.ts"],
    [
      ["estimates: half is worse than one and a half", "Math.abs(Math.log(ratio))", "Math.abs(1 - ratio)"],
      ["estimates: the middle", "sorted[Math.floor((sorted.length - 1) / 2)]", "sorted[0]"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/doctor/StateFolderCheck.ts",
    ["packages/embed/test/StateFolderCheck.test.ts"],
    [
      [
        "doctor: an environment that is kept for nobody",
        "const kept = readable ? yield* keptCheck(settings, watches) : []",
        "const kept: Array<Finding> = []"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/doctor/LeftoversCheck.ts",
    ["packages/embed/test/StateFolderCheck.test.ts"],
    [
      [
        "doctor: an environment that a watch needs",
        " && !unfinished.some((beginning) => name.startsWith(beginning))",
        ""
      ],
      [
        "doctor: what launches have printed",
        "return bytes > maxOutputBytes\n",
        "return bytes > 100 * maxOutputBytes\n"
      ],
      [
        "doctor: holes take nothing",
        "Option.flatMap(info, ({ blocks }) => blocks)",
        "Option.map(info, ({ size }) => Number(size) / 512)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/doctor/SetupCheck.ts",
    ["packages/embed/test/SetupCheck.test.ts"],
    [
      [
        "doctor: a config that may be somebody else's word",
        "if (refused !== null) return",
        "if (false as boolean) return"
      ],
      [
        "doctor: of an agent that is there",
        "agentOfProgram(agent, yield* usualProgram(settings))",
        "agentOfProgram(agent, agentProgram(agent, settings))"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/MakeSouffleur.ts",
    [`${cli}/test/RetryCommand.test.ts`],
    [["retry: where there is no ceiling", "[maxTime, maxTokens, maxDollars].some((one) => one !== null)", "true"]]
  ),
  ...mutantsOf(
    `${cli}/src/commands/RetryCommand.ts`,
    [`${cli}/test/ConfigTrust.test.ts`],
    [
      [
        "retry: where the file is lower, and holds",
        "if (lower(ceiling, file) !== ceiling)\n",
        "if (false as boolean)\n"
      ]
    ]
  ),
  ...mutantsOf(
    `${cli}/src/service/SystemdUnit.ts`,
    [`${cli}/test/ServiceUnits.test.ts`],
    [
      ["systemd: a percent sign is one", '.replaceAll("%", "%%")', ""],
      ["systemd: a quote is one", `.replaceAll('"', '\\\\"')`, ""]
    ]
  )
]
