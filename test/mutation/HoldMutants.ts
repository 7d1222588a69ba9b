import { mutantsOf } from "./Mutant.ts"

const [src, test] = ["packages/domain/src", "packages/domain/test"]
const decider = [`${test}/HoldDecider.test.ts`]

/** Mutants of a hold, of its end, and of the pause of a command. */
export const holdMutants = [
  ...mutantsOf(`${src}/decide/HoldDecider.ts`, decider, [
    ["hold: not before validation", 'if (watch.phase === "Validating") return no', "if (false as boolean) return no"],
    ["hold: not where only observed", "if (watch.observe) return no", "if (false as boolean) return no"],
    ["hold: said once", "if (watch.held !== undefined) return ok()", ""],
    ["hold: not at the end", 'if (recovery.purpose === "export") return no', "if (false as boolean) return no"],
    ["hold: not what is launched", "if (isLaunching(watch)) return no", "if (false as boolean) return no"],
    ["hold: a launch that failed runs no more", ' && _tag !== "Failed") ||', ") ||"],
    ["hold: a session that compacts runs", ' || (prepared && _tag === "Started")', ""],
    ["hold: a running recovery ends", "ok(held, withheldByHold(", "ok(withheldByHold("],
    ["go: a person's hold outlasts an agent", "if (held !== undefined && byAgent)", "if (false as boolean)"],
    ["go: an agent ends a wait", "if (held !== undefined && byAgent)", "if (byAgent)"],
    ["go: only where something is held", "if (held === undefined && wait === undefined)", "if (false as boolean)"],
    ["go: a hold is over", "const free = { ...watch, held: undefined }", "const free = watch"],
    ["go: what a hold held back", "standby?.held === true", "standby !== undefined"],
    ["go: after a role gave up", "standby?.held === true", 'standby?.stage === "hold"'],
    ["go: a wait with it", "...(wait !== undefined\n      ? endedWait(free, at, wait)\n      : standby", "...(standby"],
    [
      "go: after three deaths nothing is launched",
      "{ trigger: standby.trigger, retries: watch.retries }",
      "{ trigger: standby.trigger, retries: 0 }"
    ]
  ]),
  ...mutantsOf(`${src}/decide/ExitDecider.ts`, decider, [
    [
      "hold: each recovery",
      "if (watch.held !== undefined) return [withheldByHold(at, { cycle, trigger }), nextWatcher(watch, at)]",
      ""
    ],
    ["pause: of a command", 'watch.kind === "command" && pause > 0', "false as boolean"],
    ["pause: of no agent", 'watch.kind === "command" && pause > 0', "pause > 0"],
    ["pause: once", "{ ...command, pause: 0 }", "command"]
  ]),
  ...mutantsOf(`${src}/decide/RetryDecider.ts`, decider, [
    ["hold: a retry leaves it held", "(watch.held !== undefined || !standby.ended)", "!standby.ended"],
    ["hold: no retry", "if (watch.held !== undefined)", "if (false as boolean)"],
    ["pause: retry ends it", 'if (watch.wait?.kind === "pause") return ok', "if (false as boolean) return ok"],
    ["pause: retry renews the ceiling too", "endedWait({ ...watch, ceiling: undefined },", "endedWait(watch,"]
  ]),
  ...mutantsOf(`${src}/decide/HandoffDecider.ts`, decider, [
    ["hold: no request", "if (watch.held !== undefined) return", "if (false as boolean) return"]
  ]),
  ...mutantsOf(`${src}/watch/RecoveryEvolution.ts`, decider, [
    ["hold: a recovery that it ended", "    cycles: cycle,\n    recovery: undefined,\n", "    cycles: cycle,\n"]
  ]),
  ...mutantsOf(`${src}/watch/WatchEvolution.ts`, decider, [
    ["hold: kept where a role gave up", "held: watch.standby?.held === true", "held: false"],
    ["hold: the trigger where a role gave up", '(watch.wait ?? watch.standby)?.trigger ?? "pid"', '"pid"'],
    ["hold: it is kept", "HoldStarted: ({ at }) => ({ held: { since: at } })", "HoldStarted: () => ({})"],
    [
      "go: a silent Conductor may beat again",
      "held: undefined, silent: watch.silent && { ...watch.silent, retried: true }",
      "held: undefined"
    ],
    ["pause: it counts as no limit", '...(kind === "usage-limit" || kind === "outage" ? { waits', "...(true ? { waits"]
  ]),
  ...mutantsOf(
    `${src}/decide/LimitWait.ts`,
    [`${test}/LimitWait.test.ts`],
    [
      ["pause: it grows", "pause * 5 ** Math.max(0, retries - 1)", "pause"],
      ["pause: from the second death on", "Math.max(0, retries - 1)", "retries"],
      ["pause: five minutes at most", "Math.min(5 * minute, pause", "Math.min(Infinity, pause"]
    ]
  ),
  ...mutantsOf(
    "packages/watcher/src/Watcher.ts",
    ["packages/watcher/test/Signs.test.ts"],
    [["limit: its margin is reported", "margin: yield* jittered(settings.limitMargin),", ""]]
  ),
  ...mutantsOf(
    "packages/watcher/src/Watcher.ts",
    [
      "test/cli/Solo.test.ts: a command that died waits before it is run again, also for the next souffleur, and go ends that"
    ],
    [["pause: it is reported", "pause: yield* jittered(settings.restartPause)", "pause: 0"]]
  ),
  ...mutantsOf(
    "packages/node/src/launch/Pty.ts",
    [
      "packages/node/test/HostLauncher.test.ts: a command gets a terminal of its own, with exactly its arguments and environment, and its exit code"
    ],
    [
      ["pty: no shell reads its words", ' "$${wordName(index)}"`', " $${wordName(index)}`"],
      ["pty: its own exit code", '"--return", ', ""],
      ["pty: it has a size", "stty rows 24 cols 80; ", ""]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/launch/Pty.ts",
    [
      "packages/node/test/LauncherTmux.test.ts: a command has a window as its terminal, and tells its output and its end to a later souffleur too"
    ],
    [
      ["window: its output is kept", 'exec tee -a "$SOUFFLEUR_OUTPUT"', "exec cat"],
      ["window: private files", "(umask 077; exec tee", "(exec tee"],
      ["window: its end is told", 'ln "$SOUFFLEUR_WINDOW" "$SOUFFLEUR_EXIT"', "true"]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/launch/Pty.ts",
    ["packages/node/test/LauncherTmux.test.ts: a command whose window is closed has ended, and its end is unknown"],
    [["window: closed, it ends", 'trap "kill -TERM $!" HUP; ', ""]]
  ),
  ...mutantsOf(
    "packages/node/src/launch/LaunchEnds.ts",
    ["packages/node/test/LaunchEnds.test.ts"],
    [
      ["pty: a late launcher's end is not the command's", 'pid === "pty" ? !late', 'pid === "pty" ? true'],
      ["pty: the signal of an end", 'textOf(pid === "pty" ? endOfShell(end) : end)', "textOf(end)"],
      ["window: the signal of an end", "inWindow(id) ? Option.map(end, endOfShell) : end", "end"],
      ["launch: a code that only looks like a signal", 'pid === "pty" ? endOfShell(end) : end', "endOfShell(end)"]
    ]
  ),
  ...mutantsOf(
    "packages/recovery/src/providers/Restart.ts",
    ["packages/recovery/test/Restart.test.ts"],
    [
      ["pty: as its last lines say", "lines.some((line) =>", "lines.every((line) =>"],
      ["pty: a guess needs none", "wantsTerminal(words) && (yield* launcher.hasPty)", "wantsTerminal(words)"]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/launch/Pty.ts",
    [
      "packages/node/test/HostLauncher.test.ts: a terminal that cannot be made is known before a launch, and fails a launch that needs it"
    ],
    [["pty: known before a launch", "scriptPath() !== undefined)", "true)"]]
  ),
  ...mutantsOf(
    "packages/recovery/src/providers/Restart.ts",
    [
      "test/cli/Solo.test.ts: a command gets a terminal by --terminal, or once it says that it wants one; an agent by no flag"
    ],
    [["pty: at the next run", "first.pty || (wantsTerminal(words) && (yield* launcher.hasPty))", "first.pty"]]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/WhyCommand.ts",
    [
      "test/cli/Solo.test.ts: a command that died waits before it is run again, also for the next souffleur, and go ends that"
    ],
    [["why: the last words of a death", "words.length === 0 ? []", "words.length >= 0 ? []"]]
  ),
  ...mutantsOf(
    "packages/cli/src/explain/ScreenLine.ts",
    ["packages/cli/test/ScreenLine.test.ts"],
    [["hold: told on the screen", '"HoldStarted",\n', ""]]
  ),
  ...mutantsOf(
    "packages/plan/src/decide/Ladder.ts",
    ["packages/plan/test/RunDecider.test.ts"],
    [["limit: a run has a margin too", "waits, report, margin)", "waits, report)"]]
  ),
  ...mutantsOf(
    "packages/embed/src/MakeSouffleur.ts",
    ["packages/embed/test/Souffleur.test.ts"],
    [["hold: by the service", 'command(id, { _tag: "Hold" })', 'command(id, { _tag: "Retry" })']]
  ),
  ...mutantsOf(
    "packages/domain/src/describe/DescribeWatch.ts",
    ["packages/domain/test/DescribeEvent.test.ts"],
    [["died: a zombie by its article", '"zombie" ? "a zombie" :', '"zombie" ? "zombie" :']]
  ),
  ...mutantsOf(
    "packages/domain/src/describe/DescribeWatch.ts",
    ["packages/embed/test/WatchReason.test.ts"],
    [["died: how it ended", ": `it ended ${ended(end)}`\n    case", ": `its process is ${evidence.process}`\n    case"]]
  ),
  ...mutantsOf(
    "packages/embed/src/explain/StatusLine.ts",
    ["packages/embed/test/StatusLine.test.ts"],
    [["hold: told by status", "Match.when({ held: Match.defined }, () => 'held until \"souffleur go\"'),", ""]]
  ),
  ...mutantsOf(
    "packages/embed/src/explain/StatusLine.ts",
    ["packages/embed/test/StatusLine.test.ts"],
    [["hold: a forgotten one is named", "if (held !== undefined) return {", "if (false as boolean) return {"]]
  ),
  ...mutantsOf(
    "packages/supervisor/src/Notifier.ts",
    ["packages/supervisor/test/Notifier.test.ts"],
    [
      [
        "hold: a death under it names go",
        ' && before.watch.held !== undefined ? (["souffleur go"',
        ' && false ? (["souffleur go"'
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/RetryCommand.ts",
    ["packages/cli/test/RetryCommand.test.ts"],
    [
      [
        "pause: a retry says what it does",
        "begun === (before.recovery?.cycle ?? null) ? null : begun",
        "before.standby === undefined ? null : begun"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/GoCommand.ts",
    ["packages/cli/test/HoldCommand.test.ts"],
    [["go: a person's word at a hold", "byAgent: (yield* signOfAgent) !== undefined", "byAgent: false"]]
  )
]
