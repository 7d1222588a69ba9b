import { mutantsOf } from "./Mutant.ts"

/** Mutants of the rule that the words of others are text, wherever they are shown. */
export const plainMutants = [
  ...mutantsOf(
    "packages/domain/src/PlainText.ts",
    ["packages/domain/test/PlainText.test.ts"],
    [
      ["plain: controls", "[\\p{Cc}", "["],
      ["plain: halves of a pair", "\\p{Cs}", ""],
      ["plain: the bidirectional marks", "\\u061C\\u200E\\u200F", ""],
      ["plain: breaks and embeddings", "\\u2028-\\u202E", ""],
      ["plain: isolates", "\\u2066-\\u2069", ""],
      ["plain: no half of a character at the cut", '.replace(/[\\uD800-\\uDBFF]$/u, "")', ""],
      ["plain: what is too long is cut", "text.length > maxLength", "false"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/Printing.ts",
    ["packages/cli/test/Printing.test.ts"],
    [
      ["printing: what is before a colour of ours", "    plain(first) +", "    first +"],
      ["printing: what is in a colour of ours", "`\\u001B[${code}${plain(rest)}`", "`\\u001B[${code}${rest}`"],
      [
        "printing: where there are no colours",
        "if (mark === false) return plain(text)",
        "if (mark === false) return text"
      ],
      ["printing: standard error", "error(coloured(words(args), mark))", "error(words(args))"],
      ["printing: each line of a block", "lines.map((line) => coloured(line, mark))", "lines"],
      ["printing: a mark of 128 bits", ", 4),", ", 1),"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/watching/FollowOutput.ts",
    ["packages/cli/test/FollowOutput.test.ts"],
    [["following: on a terminal", "if (terminal) return onTerminal()", ""]]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/LiveSessions.ts",
    ["packages/embed/test/LiveSessions.test.ts"],
    [
      ["choice: what an agent does", "plain(status, 40)", "status"],
      ["choice: where it is", "plain(project, 200)", "project"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/ConductStatusCommand.ts",
    ["packages/cli/test/ConductStatusCommand.test.ts"],
    [
      [
        "conduct status: the name of its plan in short",
        "workflow_id: plain(run.workflowId, maxIdLength)",
        "workflow_id: run.workflowId"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/Program.ts",
    ["test/cli/PlainCli.test.ts"],
    [
      [
        "the command line: its console",
        ", Layer.succeed(Console.Console, printing(colour))",
        ", Layer.succeed(Console.Console, console)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/Program.ts",
    ["test/cli/Signals.test.ts"],
    [
      ["no reader: a command that only prints ends", "if (!full) process.exit(unreadCode)", ""],
      ["no reader: a watch goes on", "if (worksUnread) return", ""]
    ]
  ),
  ...mutantsOf(
    "packages/supervisor/src/Notifier.ts",
    ["packages/cli/test/WatchSentence.test.ts"],
    [
      [
        "described once: the sentence of a notice",
        "return { kind, state, text: own, words",
        "return { kind, state, text: event._tag, words"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/supervisor/src/CommsPublisher.ts",
    ["packages/cli/test/WatchSentence.test.ts"],
    [["described once: the sentence of a message", "text: textOf(event, description)", "text: event._tag"]]
  ),
  ...mutantsOf(
    "packages/plan/src/publish/RunNotice.ts",
    ["packages/cli/test/WatchSentence.test.ts"],
    [["described once: the sentence of a run's notice", "text: textOf(event, before, own)", "text: event._tag"]]
  ),
  ...mutantsOf(
    "packages/embed/src/explain/WatchSentence.ts",
    ["packages/cli/test/WatchSentence.test.ts"],
    [
      [
        "telling: an event is one line",
        "plain(describeFor(event, { comms, kind }, zone).text, maxLineLength)",
        "describeFor(event, { comms, kind }, zone).text"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/explain/RunSentence.ts",
    ["packages/cli/test/WatchSentence.test.ts"],
    [
      [
        "telling: an event of a run is one line",
        "plain(`${describeRunEvent(event, zone).text}${progress}`, maxLineLength)",
        "`${describeRunEvent(event).text}${progress}`"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/supervisor/src/CommsPublisher.ts",
    ["packages/supervisor/test/CommsPublisher.test.ts"],
    [
      ["commsPublisher: what comms is told", "text: plain(message.text)", "text: message.text"],
      ["commsPublisher: what stands in our row", "plain(row.lastError)", "row.lastError"]
    ]
  ),
  ...mutantsOf(
    "packages/notify/src/NoticeText.ts",
    ["packages/notify/test/ServerRequest.test.ts"],
    [
      ["page: its text", "text: plain(notice.text, maxTextUnits)", "text: notice.text"],
      ["page: its words", "plain(notice.words, maxTextUnits)", "notice.words"],
      [
        "page: its title",
        'plain(`${kind.replaceAll("_", " ")}: ${folderOf(project)}`, maxTitleUnits)',
        '`${kind.replaceAll("_", " ")}: ${folderOf(project)}`'
      ],
      ["page: its lines", "stateLine(state, plain(text, maxBodyUnits))", "stateLine(state, text)"]
    ]
  ),
  ...mutantsOf(
    "packages/plan/src/publish/RunPublisher.ts",
    ["packages/plan/test/RunPublisher.test.ts"],
    [
      [
        "run publisher: what comms is told",
        "plain(inFull(id, notice, answerTo(event)))",
        "inFull(id, notice, answerTo(event))"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/export/Conversation.ts",
    ["packages/claude/test/Conversation.test.ts", "packages/claude/test/TranscriptExport.test.ts"],
    [
      ["export: the mark of a turn", "`## ${who} ${mark}\\n\\n`", "`## ${who}\\n\\n`"],
      [
        "export: a quoted heading is content",
        "quoted(closed(withoutBlankEnds(visible(what))))",
        "closed(withoutBlankEnds(visible(what)))"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/export/TranscriptExport.ts",
    ["packages/claude/test/TranscriptExport.test.ts"],
    [["export: the mark is of the nonce", "const mark = nonce.slice(0, markDigits)", 'const mark = ""']]
  ),
  ...mutantsOf(
    "packages/recovery/src/steps/LaunchPrompt.ts",
    ["packages/recovery/test/LaunchPrompt.test.ts"],
    [
      [
        "prompt: how a turn is known",
        " Where its header says how a turn begins, only what begins so is one: all else in it is content, whatever it looks like.",
        ""
      ]
    ]
  ),
  ...mutantsOf(
    "packages/claude/src/command/ClaudeCli.ts",
    ["packages/claude/test/ClaudeCli.test.ts"],
    [
      ["prompt: on standard input", "print && prompt", "false && prompt"],
      ["prompt: in a window an argument", "=> print && prompt", "=> prompt"],
      ["prompt: no window in print mode", "order.print ? {} : { window: true }", "{ window: true }"],
      ["prompt: by its word a compaction is known", " && prompt !== compactPrompt", ""],
      ["prompt: nowhere else", 'order.prompt === "" || asInput(order) ?', 'order.prompt === "" ?']
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/keeping/Leftovers.ts",
    ["packages/embed/test/Leftovers.test.ts"],
    [
      ["leftovers: what a watch may need", ".map(({ id }) => `${id}-`)", ".map(() => `nobody-`)"],
      ["leftovers: what a run may need", "...conducted.map(", "...[].map("],
      ["leftovers: who is between file and log", "> Duration.toMillis(minAge)", "> 0"],
      ["leftovers: launch files alone", "launchFile.test(name) || isDraft(name)", "true"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/FindWatch.ts",
    ["packages/embed/test/Leftovers.test.ts"],
    [
      [
        "leftovers: of those that have ended",
        'Effect.map(livingWatches, (all) => all.filter(({ watch }) => watch.phase !== "Exited"))',
        "allWatches"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/OpenCommand.ts",
    ["test/cli/Solo.test.ts"],
    [["run: what was not opened is forgotten", "Effect.onError(opened, () => Effect.ignoreCause(unopened))", "opened"]]
  ),
  ...mutantsOf(
    "packages/embed/src/MakeSouffleur.ts",
    ["packages/embed/test/Souffleur.test.ts"],
    [
      ["embed: a watch is of its caller's scope", "Context.omit(Scope.Scope)(", "("],
      [
        "embed: the word of a guardian comes first",
        "Effect.andThen(takeRestored(found.id, options.restored, found.project), keeper.take(found))",
        "keeper.take(found)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/world/NodeWorld.ts",
    [
      "packages/embed/test/SouffleurParts.test.ts: an app's own processes, claims, launcher and comms take the place of the host's"
    ],
    [
      ["embed: an app's own processes", "given(processes, Processes.layer)", "Processes.layer"],
      ["embed: an app's own claims", "given(claims, Claims.layer())", "Claims.layer()"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/setup/NodeInstallation.ts",
    [
      "packages/embed/test/SouffleurParts.test.ts: an app's own processes, claims, launcher and comms take the place of the host's"
    ],
    [
      ["embed: an app's own launcher", "...(launcher === undefined ? {} : { launcher }),", ""],
      ["embed: an app's own comms", "...(comms === undefined ? {} : { comms })", ""]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/setup/NoticeWiring.ts",
    ["packages/embed/test/SouffleurParts.test.ts"],
    [["embed: the channels of an app come first", "if (notices !== undefined) return yield* notices(settings)", ""]]
  ),
  ...mutantsOf(
    "packages/embed/src/world/NodeParts.ts",
    ["packages/embed/test/SouffleurParts.test.ts"],
    [
      [
        "embed: a watch has the channels of its settings",
        "Layer.merge(layerWatch(settings, project, comms, overrides), layerNotices(settings))",
        "layerWatch(settings, project, comms, overrides)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/keeping/Keeper.ts",
    ["packages/embed/test/Souffleur.test.ts"],
    [["embed: what is wrong in a file is told", "yield* remarkWarnings(yield* Settings)", ""]]
  ),
  ...mutantsOf(
    "packages/embed/src/conducting/NamedPlan.ts",
    ["packages/embed/test/PlanPreview.test.ts", "packages/embed/test/SouffleurConduct.test.ts"],
    [
      [
        "embed: a state file in a folder",
        "if (!(yield* Effect.orElseSucceed(fs.exists(path.dirname(file))",
        "if (!(yield* Effect.orElseSucceed(fs.exists(path.dirname(plan))"
      ],
      ["embed: a state file is no plan", "if (file === plan)", 'if (file === "")']
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/conducting/AnswerRun.ts",
    ["packages/embed/test/SouffleurConduct.test.ts"],
    [["embed: guidance has words", 'if (text === "") return', 'if (text === "x") return']]
  ),
  ...mutantsOf(
    "packages/eventlog/src/Store.ts",
    ["packages/embed/test/SouffleurSql.test.ts"],
    [
      [
        "log: no database of another program",
        "if (mark !== applicationId && (mark !== 0 || version !== 0))",
        "if (false as boolean)"
      ],
      ["log: no database of a newer souffleur", "return version > migrations.length\n", "return (false as boolean)\n"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/setup/NodeInstallation.ts",
    ["packages/embed/test/SouffleurSql.test.ts"],
    [
      [
        "embed: no guardian of another database",
        "sql === undefined ? Effect.sync(guardianLine)",
        "true ? Effect.sync(guardianLine)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/world/NodeParts.ts",
    ["packages/embed/test/SouffleurParts.test.ts"],
    [["embed: comms that can be used", "if (file !== null && comms === undefined) yield* refuseUnsoundComms(file)", ""]]
  ),
  ...mutantsOf(
    "packages/embed/src/MakeSouffleurLog.ts",
    ["packages/embed/test/Souffleur.test.ts"],
    [
      ["embed: as it was at a revision", "revision <= at.revision", "revision > 0"],
      ["embed: as it was at a time", "event.at <= at.time", "event.at > 0"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/keeping/KeptWatch.ts",
    ["packages/embed/test/Souffleur.test.ts"],
    [["embed: what a watch holds is released with it", "Effect.onExit((exit) => Scope.close(inner, exit)),", ""]]
  ),
  ...mutantsOf(
    "packages/node/src/sqlite/OwnFile.ts",
    ["test/nights/Faults.test.ts"],
    [["full disk: a new log is whole without a -wal", "journal_mode = MEMORY", "journal_mode = WAL"]]
  ),
  ...mutantsOf(
    "packages/eventlog/src/Sqlite.ts",
    ["test/nights/Faults.test.ts"],
    [["full disk: no room beside the log", "code === noRoomBeside", "(false as boolean)"]]
  ),
  ...mutantsOf(
    "packages/embed/src/keeping/KeptWatch.ts",
    ["test/nights/Faults.test.ts"],
    [["full disk: an undecided launch is no bug", "meansFull(defect)", "(false as boolean)"]]
  ),
  ...mutantsOf(
    "packages/node/src/own/Detached.ts",
    ["packages/node/test/HostLauncher.test.ts"],
    [["input: no name is left of it", "fs.rmSync(own, { recursive: true, force: true })", ""]]
  ),
  ...mutantsOf(
    "packages/node/src/launch/HostLauncher.ts",
    ["packages/node/test/HostLauncher.test.ts"],
    [["launcher: nothing to read in a window", "launch.input !== null && launch.output === null", "false as boolean"]]
  ),
  ...mutantsOf(
    "packages/node/src/launch/LaunchFolder.ts",
    ["packages/node/test/HostLauncher.test.ts"],
    [
      ["launcher: the input is kept", "...(input === null ? {} : { input }),", ""],
      ["launcher: a window is kept", "...(output === null ? { window: true } : {})", ""]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/launch/HostLauncher.ts",
    ["packages/node/test/LauncherTmux.test.ts"],
    [
      ["launcher: the title of a window", "plain(order.title, maxTitleLength)", "order.title"],
      ["launcher: print mode takes no window", "const isWindows = window && ", "const isWindows = "],
      ["launcher: a window of the agent's own", "output === null ? asWindow(start, files) :", "false ? start :"]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/launch/Pty.ts",
    ["packages/node/test/LauncherTmux.test.ts"],
    [["launcher: the shell of a window ends last", "trap : INT TERM; ", ""]]
  )
]
