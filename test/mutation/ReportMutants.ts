import { mutantsOf } from "./Mutant.ts"

/** Mutants of all that shows watches and runs to a person: their words, their order and their history. */
export const reportMutants = [
  ...mutantsOf(
    "packages/domain/src/describe/StateWord.ts",
    ["packages/domain/test/StateWord.test.ts"],
    [
      ["jobs: what needs a person is first", "rank(a) - rank(b) || b.at - a.at", "b.at - a.at"],
      ["jobs: of the same word the newest is first", "|| b.at - a.at", ""],
      ["jobs: a word is said once", "plainly.has(standing) ?", "standing === '' ?"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/explain/StatusLine.ts",
    ["packages/embed/test/Job.test.ts"],
    [
      ["jobs: a need is more urgent than a recovery", 'if (need !== null) return "needs you"', ""],
      ["jobs: a hand-off recovers until it is taken", "undefined || isUntaken(watch) ?", "undefined ?"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/explain/RunSentence.ts",
    ["packages/embed/test/Job.test.ts"],
    [
      [
        "jobs: a run that waits for a person says so first",
        "if (needsPerson(run)) return { why",
        "if (false) return { why"
      ],
      ["jobs: a run without a conductor needs a person", "if (!owned) return", "if (false) return"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/jobs/Job.ts",
    ["packages/embed/test/Job.test.ts"],
    [
      [
        "jobs: a damaged watch needs a person",
        "unreadable === undefined ? needOf(id, watch, owned) : damaged",
        "needOf(id, watch, owned)"
      ],
      [
        "jobs: a damaged run needs a person",
        "unreadable === undefined ? runNeed(id, run, owned) : damaged",
        "runNeed(id, run, owned)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/timeline/Recoveries.ts",
    ["packages/embed/test/Timeline.test.ts"],
    [
      ["timeline: an attempt without an outcome is lost", 'closed(recovery, step, at, "lost")', "recovery"],
      ["timeline: a recovery begins at the death", "from: cause ?? at", "from: at"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/timeline/RecoveryRules.ts",
    ["packages/embed/test/Timeline.test.ts"],
    [
      ["timeline: a successor that dies ends its recovery", 'launched && isCause(event) ? "untaken" : null', "null"],
      ["timeline: a command takes no hand-off", 'kind === "command" ? "launched" : null', "null"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/metrics/Tally.ts",
    ["packages/embed/test/Tally.test.ts"],
    [
      ["tally: a recovery is counted once", "if (event.cycle === tally.cycle) return before", ""],
      ["tally: a clock that went back", "Math.max(0, to - from)", "to - from"],
      ["tally: from the death on", "tally.cause ?? event.at", "event.at"],
      ["tally: of those that have ended too", "isEnded: ({ over }) => over,", "isEnded: () => false,"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/metrics/TallyMetrics.ts",
    ["packages/embed/test/Tally.test.ts"],
    [["tally: a bucket has the smaller ones", "count += recoveries", "count = recoveries"]]
  ),
  ...mutantsOf(
    "packages/embed/src/timeline/WatchTimeline.ts",
    ["packages/embed/test/Timeline.test.ts"],
    [
      [
        "timeline: a part begins within a generation",
        "if (found.length === 0 && before.generation > 0 && before.recovery === undefined)",
        "if (false)"
      ],
      ["timeline: a wait ends with its watch", 'after.phase === "Exited" ? undefined : kindOf(after)', "kindOf(after)"],
      ["timeline: a generation ends", "{ ...running, to: event.at, ended }", "running"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/timeline/Stretch.ts",
    ["packages/embed/test/Timeline.test.ts"],
    [["timeline: a break has its own width", "place - within * perMilli +", "place +"]]
  ),
  ...mutantsOf(
    "packages/embed/src/timeline/RunTimeline.ts",
    ["packages/embed/test/Timeline.test.ts"],
    [["timeline: an agent ends by its token", "token === event.token", "token !== event.token"]]
  ),
  ...mutantsOf(
    "packages/embed/src/explain/StatusLine.ts",
    ["packages/embed/test/Report.test.ts"],
    [
      [
        "report: a watch that gave up needs a person",
        'if (end === "retries exhausted" || end === "validation exhausted")',
        "if (false as boolean)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/report/Report.ts",
    ["packages/embed/test/Report.test.ts"],
    [
      ["report: an older death is not told", "whole.deaths.filter(({ at }) => isAt(period)(at))", "whole.deaths"],
      ["report: a wait is cut at its time", "isIn(period)).map(cut(period))", "isIn(period))"],
      [
        "report: a commit counts once",
        "[...new Set(agents.flatMap(({ commits }) => commits))]",
        "agents.flatMap(({ commits }) => commits)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/report/ReportText.ts",
    ["packages/embed/test/Report.test.ts"],
    [["report: a word of others begins no form", '"\\\\$&"', '"$&"']]
  ),
  ...mutantsOf(
    "packages/embed/src/report/ReportLook.ts",
    ["packages/cli/test/ReportCommand.test.ts"],
    [["report: what ended in its time is told", "({ watch }) => watch.lastEventAt >= since", "() => false"]]
  ),
  ...mutantsOf(
    "packages/embed/src/metrics/LogMetrics.ts",
    ["packages/embed/test/LogMetrics.test.ts"],
    [["metrics: the ended ones count", '(state === "ended" ? ended[kind] : 0)', "0"]]
  ),
  ...mutantsOf(
    "packages/domain/src/describe/PrometheusText.ts",
    ["packages/embed/test/LogMetrics.test.ts"],
    [["metrics: a word of others ends no label", ".replaceAll('\"', '\\\\\"')", ""]]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/MetricsCommand.ts",
    ["packages/cli/test/MetricsCommand.test.ts"],
    [["metrics: others may read the file", "replaceDurably(file, text, mode)", "replaceDurably(file, text)"]]
  )
]
