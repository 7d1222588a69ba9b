import { mutantsOf } from "./Mutant.ts"

export const commandMutants = [
  ...mutantsOf(
    "packages/embed/src/preview/Preview.ts",
    ["packages/cli/test/Preview.test.ts"],
    [
      ["preview: no window in print mode", "?.window === true : pty", " !== undefined : pty"],
      ["preview: edits of any file", " || of.editsAnywhere === true", ""]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/preview/Preview.ts",
    ["packages/cli/test/Preview.test.ts"],
    [["preview: a living souffleur", "!isOver(yield* processes.condition(owner.process))", "owner.process.pid === 0"]]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/UninstallCommand.ts",
    ["test/cli/Uninstall.test.ts"],
    [["uninstall: not while at work", "yield* dryRun ? Effect", "yield* dryRun || true ? Effect"]]
  ),
  ...mutantsOf(
    "packages/embed/src/report/Report.ts",
    ["packages/embed/test/Report.test.ts"],
    [["report: a command that died again", " && !deaths.find((death) => death.revision > revision)?.retries", ""]]
  ),
  ...mutantsOf(
    "packages/embed/src/report/DeathCause.ts",
    ["packages/embed/test/Report.test.ts"],
    [["report: the end of a process", "end !== null", "false"]]
  ),
  ...mutantsOf(
    "packages/cli/src/uninstall/AtWork.ts",
    ["packages/cli/test/AtWork.test.ts"],
    [
      ["uninstall: not while a watch is alive", "(yield* isAlive(one.watch.owner)) || ", ""],
      ["uninstall: not while its guardian is", " || (yield* isGuarded(one))", ""],
      ["uninstall: not while a run is at work", "({ run }) => isAlive(run.owner)", "() => Effect.succeed(false)"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/uninstall/Trace.ts",
    ["test/cli/Uninstall.test.ts"],
    [
      [
        "uninstall: no link",
        'if (link) return yield* new NotRemoved({ message: "it is a link, and souffleur makes none" })',
        ""
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/setup/SetupQuestions.ts",
    ["packages/cli/test/SetupCommand.test.ts"],
    [
      ["setup: an installed agent comes next", "agent === settings.agentCommand ? usual : program", "program"],
      [
        "setup: an answer is one line",
        "if ([agent, ...Option.toArray(given.notify)].some((text) => /[\\0\\n\\r]/u.test(text)))",
        "if (agent === project)"
      ],
      ["setup: no trust in what nothing showed", "rest.length === 0 || trust", "true"],
      ["setup: a person accepts the rest", "if (!accepted)", "if (false as boolean)"],
      ["setup: the rest as a terminal may show it", "plain(`${key}=", "String(`${key}="],
      ["setup: an answer that was not given shows nothing", "yes && Option.isNone(flag) ? [] : [key]", "[key]"],
      ["setup: a missing agent is told", "yield* warnOfMissing(program)", "void program"],
      ["setup: a menu begins at what holds", "Number(other === now) - Number(one === now)", "0"],
      ["setup: the environment is told", '(variables[`SOUFFLEUR_${key}`] ?? "") !== ""', "key.length === 0"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/SetupCommand.ts",
    ["packages/cli/test/SetupCommand.test.ts"],
    [
      [
        "setup: a file is told once it is written",
        "flags.json ? Effect.void : Console.log",
        "flags.json || service ? Effect.void : Console.log"
      ],
      [
        "setup: none takes hooks out",
        'hooks === "none"\n        ? yield* Effect.forEach(yield* removeHooks(',
        "false\n        ? yield* Effect.forEach(yield* removeHooks("
      ],
      ["setup: a person's word", 'personOnly("a setup")', "Effect.void"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/completions/CompletionFile.ts",
    ["packages/cli/test/CompletionsCommand.test.ts"],
    [["completion: no foreign file", "return text.includes(mark)", 'return text.includes("")']]
  ),
  ...mutantsOf(
    "packages/cli/src/uninstall/Trace.ts",
    ["packages/cli/test/UninstallOthers.test.ts"],
    [
      [
        "uninstall: nothing of another user",
        "yield* orNotRemoved(lookTrusted(path, { own: true, ...(folder ? { folder } : {}) }))",
        ""
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/uninstall/Traces.ts",
    ["packages/cli/test/UninstallOthers.test.ts"],
    [["uninstall: the token of a person", ', "fleet-login.json"', ""]]
  ),
  ...mutantsOf(
    "packages/cli/src/uninstall/Traces.ts",
    ["test/cli/Uninstall.test.ts"],
    [["uninstall: hooks of every folder that got them", "...recorded, ", ""]]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/UninstallCommand.ts",
    ["test/cli/Uninstall.test.ts"],
    [["uninstall: the log only when asked", 'flags.state || kind !== "state"', 'kind !== "trust" || flags.state']]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/UninstallCommand.ts",
    ["test/nights/Faults.test.ts"],
    [
      [
        "uninstall: no damaged log",
        "dryRun ? layerStoreReading : layerStore",
        "dryRun ? layerStore : layerStoreReading"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/InitCommand.ts",
    ["packages/cli/test/InitCommand.test.ts"],
    [["init: a lock is waited for", "CommsErrand.patiently(makeIn(file))", "makeIn(file)"]]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/InitCommand.ts",
    ["test/nights/Comms.test.ts"],
    [
      [
        "init: a second process writes to a foreign file",
        "yield* CommsErrand.init(file)",
        "yield* CommsSchema.init(file)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/comms/src/CommsSchema.ts",
    ["packages/comms/test/CommsSchema.test.ts"],
    [
      ["init: a missing row", "found.every(", "found.some("],
      ["init: a missing table", "lacking(yield* inspect(sql)) !== undefined", "false"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/uninstall/Traces.ts",
    ["packages/cli/test/HooksCommand.test.ts"],
    [
      [
        "uninstall: the hooks of each agent",
        "Effect.forEach(agentsWithHooks, ",
        "Effect.forEach(agentsWithHooks.slice(0, 1), "
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/KnownWatch.ts",
    ["packages/embed/test/KnownWatch.test.ts"],
    [
      ["run: another command is told apart", "JSON.stringify(first) === JSON.stringify(words)", "words.length > 0"],
      [
        "run: … by whole words",
        "JSON.stringify(first) === JSON.stringify(words)",
        'first.join(" ") === words.join(" ")'
      ],
      ["run: … where its words are kept", "first === undefined || JSON", "JSON"],
      [
        "run: … and a watch that began without a command",
        "if (watch.firstLaunch !== undefined) {",
        "if (watch.firstLaunch === undefined) return\n  {"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/launch/LaunchFolder.ts",
    ["packages/node/test/HostLauncher.test.ts"],
    [["launch: the words that a person typed are kept", "...(words === undefined ? {} : { words })", "...{}"]]
  ),
  ...mutantsOf(
    "packages/embed/src/conducting/RoleAgent.ts",
    ["packages/cli/test/ConductRoles.test.ts"],
    [
      ["roles: a reviewer's own command line", 'yield* lineOf(role === "reviewer")', "yield* lineOf(false)"],
      ["roles: the flag that holds a reviewer", "at === -1 ? null : args", "true ? null : args"],
      ["roles: an implementer commits", 'if (role === "implementer" && lower', 'if ((role as string) === "" && lower'],
      ["roles: … and a reviewer need not", 'role === "implementer" && lower', "lower"],
      [
        "roles: none for tasks that are complete",
        'run === undefined || tasks.some(({ id }) => taskOf(run, id)?.status !== "completed")',
        "true as boolean",
        "packages/embed/test/RoleAgent.test.ts"
      ],
      [
        "roles: a task that the plan has got since",
        'taskOf(run, id)?.status !== "completed"',
        'taskOf(run, id)?.status === "in_progress"',
        "packages/embed/test/RoleAgent.test.ts"
      ],
      [
        "roles: a finishing step that was asked for",
        'isOpen || run.finishing === "not begun"',
        "true as boolean",
        "packages/embed/test/RoleAgent.test.ts"
      ],
      [
        "roles: a run keeps its agents",
        "agents.implementer ?? run?.chosen?.implementer",
        "agents.implementer",
        "packages/embed/test/RoleAgent.test.ts"
      ],
      [
        "roles: a run keeps its permission",
        "permission ?? run?.chosen?.permission",
        "permission",
        "packages/embed/test/RoleAgent.test.ts"
      ],
      ["roles: no flag that was said", "lower(needed, asked) === needed ?", "(false as boolean) ?"],
      [
        "roles: its own program is there",
        "launchable(settings, permission, looks).pipe(",
        'Effect.succeed({ program: "", args: [], environment: {} }).pipe('
      ],
      [
        "roles: the finishing step needs an agent where it asks one",
        'finish._tag === "Prompt"',
        'finish._tag === "None"'
      ],
      [
        "roles: the flag, where the ceiling allows it",
        "lower(needed, ceiling) === needed",
        "needed === ceiling && false"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/conducting/ConductPlan.ts",
    ["packages/cli/test/ConductRoles.test.ts"],
    [
      [
        "roles: a run keeps what a person chose",
        "chosen: { implementer, reviewer, permission },",
        "chosen: { implementer, reviewer: null, permission },",
        "packages/embed/test/SouffleurConduct.test.ts: a reviewer may be another agent"
      ],
      ["roles: a refused start trusts nothing", "if (known === undefined) {", "if (known !== undefined) {"],
      [
        "conduct: a start without a work tree trusts nothing",
        "    yield* gitOf(project, yield* ownFilesOf(loaded, statePath, project))\n",
        ""
      ],
      [
        "conduct: … nor one without its finishing command",
        "settings(project))\n    yield* finishingOf(loaded, { project, variables: parts.variables })",
        "settings(project))"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/preview/PlanPreview.ts",
    ["packages/embed/test/PlanPreview.test.ts"],
    [
      ["plan preview: the order of the tasks", "orderOf(plan)", "plan.tasks"],
      [
        "plan preview: its finishing command is there",
        "  yield* finishingOf(loaded, { project, variables: parts.variables })\n",
        ""
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/world/NodeParts.ts",
    ["packages/embed/test/PlanPreview.test.ts"],
    [
      ["plan preview: no file is trusted", "? wouldOpen(project, limits)", "? opening(project, limits)"],
      ["plan preview: the pin of a run", ": wouldGoOn(project, known.run.pin, limits)", ": wouldOpen(project, limits)"],
      [
        "plan preview: no folder is made",
        "Layer.provide(layerAgent(settings), built)",
        "Layer.provide(layerRun(settings, ''), built)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/ConductCommand.ts",
    ["packages/cli/test/ConductRoles.test.ts"],
    [["roles: the flag as it was typed", "typed === undefined\n", "typed !== undefined\n"]]
  ),
  ...mutantsOf(
    "packages/embed/src/doctor/HooksCheck.ts",
    ["packages/cli/test/HooksCommand.test.ts"],
    [["doctor: on what condition hooks run", "onlyIf === undefined ||", "onlyIf !== undefined ||"]]
  ),
  ...mutantsOf(
    "packages/embed/src/setup/HooksHere.ts",
    ["packages/embed/test/SouffleurSetup.test.ts", "packages/cli/test/HooksCommand.test.ts"],
    [
      ["hooks: none in files for git", "places.find((one) => one.place === place)", "places[0]"],
      ["hooks: of the folder's agent", "agentOfProgram(agent, yield* usualProgram(settings))", "agent"],
      ["hooks: of an agent that is known", "program === undefined ? agentOfProgram", "true ? agentOfProgram"],
      ["hooks: recorded for an uninstall", "  yield* addHooked(stateDir, file)\n", ""]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/setup/NodeInstallation.ts",
    ["packages/embed/test/SouffleurSetup.test.ts"],
    [["hooks: a program of the app's own", '"../hookSign"', '"../notice"']]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/UninstallCommand.ts",
    ["test/cli/Uninstall.test.ts"],
    [
      ["uninstall: a person's yes", "if (!flags.yes && !(yield* confirmed(found.length))) return", ""],
      ["uninstall: a dry run removes nothing", "if (flags.dryRun)", "if (flags.dryRun && flags.state === flags.yes)"],
      ["uninstall: what stays is told", "if (left.length > 0) return yield* new Ended({ code: 1 })", ""]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/Cli.ts",
    ["packages/cli/test/Completions.test.ts"],
    [["completions: line by line", "printLines(Completions.generate(", "Console.log(Completions.generate("]]
  ),
  ...mutantsOf(
    "packages/cli/src/CommandTable.ts",
    ["packages/cli/test/CommandTable.test.ts"],
    [
      ["table: the first name alone", 'known.slice(0, first === "help" ? 2 : 1)', "known"],
      ["table: by an alias too", "names: [name, alias ?? name]", "names: [name]"],
      ["table: completions read every command", "all || asked", "asked"],
      ["help: it reads what it is asked for", 'first === "help" ? 2 : 1', "1"],
      ["folder: before a command", "...moved, ...rest.slice(end)", "...rest.slice(end), ...moved"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/main.ts",
    ["test/cli/Bundle.test.ts"],
    [["broken: the last word is the last", "process.exit(70)", "throw error"]]
  ),
  ...mutantsOf(
    "packages/cli/src/SmallEntry.ts",
    ["test/cli/Bundle.test.ts"],
    [
      ["errand: by its own file", "published === undefined", "published !== undefined"],
      ["errand: a small guardian", '...(errand === "guardian" ? guardianFlags() : []), ', ""]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/own/OwnProgram.ts",
    ["test/cli/Bundle.test.ts"],
    [
      [
        "errand: beside the command, not beside a link to it",
        'realpathSync.native(ownWords[1] ?? "")',
        'ownWords[1] ?? ""'
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/WithheldKeys.ts",
    ["packages/embed/test/WithheldKeys.test.ts"],
    [
      ["withheld: keys alone", "looksLikeKey.test(name) &&", ""],
      ["withheld: keys that the agent gets", "&& given[name] === undefined", ""],
      ["withheld: few names", ".slice(0, most)", ""],
      ["withheld: it or them", "names.length === 1 ?", "names.length === 0 ?"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/KnownWatch.ts",
    ["packages/embed/test/KnownWatch.test.ts"],
    [
      [
        "known: a live process of another session is another Conductor",
        "held !== undefined && !watch",
        "false && !watch"
      ],
      ["known: a session of its own is its own", " && !watch.sessions.includes(held)", ""],
      [
        "known: its Conductor is who it was",
        "!Equal.equals(identity, watch.conductor)",
        "identity.pid !== watch.conductor?.pid"
      ],
      ["known: its Conductor may begin another session", "!Equal.equals(identity, watch.conductor)", "true"],
      ["known: a zombie holds nothing", 'condition !== "zombie"', 'condition !== "stopped"']
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/KnownWatch.ts",
    ["packages/embed/test/Souffleur.test.ts"],
    [
      ["watch: goes on with its comms", "comms !== undefined && comms !== watch.comms", "false as boolean"],
      ["watch: goes on without force", "if (force)", "if (false as boolean)"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/service/Service.ts",
    ["packages/cli/test/ServiceUnits.test.ts"],
    [
      ["service: one of every watch", "id === everyWatch ?", 'id === "every" ?'],
      ["service: one of the shipper", 'if (id === shipper) return ["fleet", "ship"]', ""],
      ["service: an authority of one's own", "NODE_EXTRA_CA_CERTS|", ""]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/ServiceCommand.ts",
    ["test/nights/Service.test.ts"],
    [["service: the shipper of a fleet alone", "const { url } = yield* joinedFleet", 'const url = "its hub"']]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/FleetCommand.ts",
    ["test/nights/Service.test.ts"],
    [["service: its shipper tells that it runs", "    yield* ready\n", ""]]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/ResumeCommand.ts",
    ["test/cli/ResumeAll.test.ts"],
    [["resume: all of them, or one", '(all && name._tag === "Some") || (keep && !all)', "keep && !all"]]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/OpenCommand.ts",
    ["packages/embed/test/Souffleur.test.ts"],
    [["run: a watch that ended meanwhile", 'error instanceof Refused && error.reason === "ended"', "false as boolean"]]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/OpenCommand.ts",
    ["packages/embed/test/SouffleurNode.test.ts"],
    [["run: a relative program is of the project", '"", project)', '"")']]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/OpenCommand.ts",
    ["packages/cli/test/Preview.test.ts"],
    [["run: no session of another folder", "if (!isWithin(project, folder))", "if (false as boolean)"]]
  ),
  ...mutantsOf(
    "packages/cli/src/watching/KeepWatches.ts",
    [
      "test/cli/ResumeAll.test.ts: resume --all --keep gives a watch up after three restorations without progress, and a person tries again"
    ],
    [["keep: each start is counted", "dead ? watch.fence : undefined", "undefined"]]
  ),
  ...mutantsOf(
    "packages/cli/src/watching/KeepWatches.ts",
    ["packages/cli/test/KeepWatches.test.ts"],
    [
      [
        "keep: a passing trouble of the log is no end",
        '_tag === "LogUnusable" && error.isPassing',
        '_tag === "UnreadableEvent"'
      ],
      ["keep: one look decides", "owner !== undefined && !dead", "false as boolean"],
      ["keep: a trouble is told once", "trouble, message)) === message", 'trouble, message)) === ""'],
      ["keep: a trouble that is over is told again", "yield* Ref.set(trouble, undefined)", ""]
    ]
  ),
  ...mutantsOf(
    "packages/eventlog/src/Log.ts",
    ["packages/cli/test/KeepWatches.test.ts"],
    [
      ["keep: a newer log does not pass", 'this.reason === "failed"', "true"],
      ["keep: a full disk passes", '|| this.reason === "full"', ""]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/decide/LeftAlone.ts",
    ["packages/domain/test/LeftAlone.test.ts"],
    [
      ["keep: one that was given up is left", "dead && fence === gaveUp", "false as boolean"],
      ["keep: a guardian does it by itself", "dead && guarded", "false as boolean"],
      ["keep: a person ended it", "left !== undefined && !isOfEarlierBoot(left, self)", "false as boolean"],
      ["keep: a reboot starts it again", "&& !isOfEarlierBoot(left, self)", ""],
      ["keep: the reboot of this machine", "owner.machine === self.machine &&", ""],
      ["keep: the reboot of a machine of this name", "owner.host === self.host &&", ""],
      ["keep: a machine without an identity", "self.machine !== null &&", ""],
      ["keep: starts that never came", 'failedStarts >= attempts ? "never came" : undefined', "undefined"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/keeping/Detach.ts",
    ["packages/embed/test/StartDetached.test.ts"],
    [
      [
        "detach: a start without an owner ends",
        "Effect.timeoutOption(looks, startTimeout)",
        'Effect.timeoutOption(looks, "1 day")'
      ],
      [
        "detach: the late start itself",
        "endProcess(started, stopGrace, Effect.void)",
        'Effect.succeed("gone" as const)'
      ]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/watch/WatchEvolution.ts",
    ["packages/domain/test/WatchDecider.test.ts"],
    [["keep: the fence of one that was given up", "gaveUp: fence }", "gaveUp: undefined }"]]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/Overview.ts",
    ["packages/cli/test/HereCommand.test.ts"],
    [
      ["here: a followed session is watched", "!followed.has(sessionId)", "sessionId !== undefined"],
      ["here: a watch of the agent itself outlives it", 'ancestors.includes(pid) ? ["--detach"] : []', "[]"],
      [
        "here: what ended since a look",
        "return { agents, ended, jobs",
        "return { agents, ended: [] as typeof ended, jobs"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/explain/StatusLine.ts",
    ["packages/embed/test/StatusLine.test.ts"],
    [
      ["here: a watch without a souffleur needs one", "if (!owned) return", "if (owned) return"],
      ["here: a ceiling is lifted by retry", 'standby.stage !== "ceiling" || ceiling === undefined', "true"],
      ["here: a failed night needs a look", 'end === "retries exhausted" ||', "false ||"],
      ["standing: unwatched without a souffleur", "owned ||", "true ||"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/BeginWatch.ts",
    [
      "test/cli/Commands.test.ts: a Conductor has one souffleur in any state folder; its log can be followed and replayed; release leaves the Conductor alive"
    ],
    [
      [
        "run: nothing goes on that another souffleur has",
        "Effect.catchTag(refuseOwned(id, watch)",
        "Effect.catchTag(Effect.void as ReturnType<typeof refuseOwned>"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/BeginWatch.ts",
    [
      "packages/embed/test/SouffleurParts.test.ts: an app hands a command to a process of its own, which owns its watch, and neither has marks of an agent",
      "test/cli/Detach.test.ts"
    ],
    [["detach: a command without the agent's marks", "keeper.detaching ? withoutMarks(agent, own) : own", "own"]]
  ),
  ...mutantsOf(
    "packages/embed/src/watching/BeginWatch.ts",
    [
      "packages/embed/test/Souffleur.test.ts: a run whose folder's watch ends in the same moment looks at the folder again, and begins its command"
    ],
    [["run: an ended watch refuses no command", "goesOn ? refusal : new Refused", "true ? refusal : new Refused"]]
  ),
  ...mutantsOf(
    "packages/embed/src/preview/PreviewSubject.ts",
    ["packages/cli/test/Preview.test.ts"],
    [
      [
        "preview: another command is refused",
        "yield* refuseOther(known.value, words,",
        "void refuseOther(known.value, words,"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/preview/PreviewText.ts",
    ["packages/cli/test/Preview.test.ts"],
    [["preview: the terminal in words", 'tmux: "a window of its own in this tmux"', 'tmux: "tmux"']]
  ),
  ...mutantsOf(
    "packages/embed/src/preview/ForeseenEnds.ts",
    ["packages/cli/test/Preview.test.ts"],
    [
      ["preview: the third death is the last", "retries: attempts - 1", "retries: 0"],
      ["preview: a command shows no limit", 'watched.kind === "command" ? ofCommand : ofAgent', "ofAgent"],
      [
        "preview: a limit is waited out",
        'resetsAt: null },\n    { _tag: "WaitOver", how: "over" }',
        'resetsAt: null },\n    { _tag: "WaitOver", how: "went on" }'
      ],
      ["preview: a command has a pause", "          pause\n        },", "          pause: 0\n        },"],
      [
        "preview: a command runs after its pause",
        'kind === "command" ? [{ _tag: "WaitOver"',
        'kind === "agent" ? [{ _tag: "WaitOver"'
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/preview/ForeseenLine.ts",
    ["packages/cli/test/Preview.test.ts"],
    [["preview: ids that are made then have names", "all.replaceAll(id, name)", "all"]]
  ),
  ...mutantsOf(
    "packages/embed/src/world/StoreLayers.ts",
    ["packages/cli/test/Preview.test.ts"],
    [["preview: no log is made", "return layerNoLogs", "return layerStore({ stateDir } as ResolvedSettings)"]]
  ),
  ...mutantsOf(
    "packages/node/src/sqlite/SqliteClient.ts",
    ["packages/cli/test/Preview.test.ts"],
    [["preview: no file beside the log", '"mode=ro&immutable=1"', '"mode=ro"']]
  ),
  ...mutantsOf(
    "packages/embed/src/world/NodeParts.ts",
    ["test/cli/Detach.test.ts"],
    [
      [
        "detach: without the agent's marks",
        "environment: withoutMarks(agent, variables)",
        "environment: variables as Record<string, string>"
      ],
      ["detach: a process in between", "[...args, encodeDetachOrder(order)]", "order.line.slice(1)"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/keeping/Detach.ts",
    ["packages/embed/test/StartDetached.test.ts"],
    [
      ["detach: no mark of a launch", 'entry[0] !== "SOUFFLEUR_LAUNCH_ID"', "true"],
      ["detach: no word to a service manager", "!ofManager.has(entry[0]) &&", ""]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/doctor/PidCheck.ts",
    ["packages/embed/test/PidCheck.test.ts"],
    [
      ["candidate: a zombie cannot be watched", 'found.condition === "zombie"', "false"],
      [
        "candidate: nor who may not be",
        "if (Result.isFailure(refused))",
        "if (false as boolean && Result.isFailure(refused))"
      ],
      ["candidate: what is no agent is told", "agent.isAgent(yield* processes.commandLine(pid))", "true"],
      ["candidate: its session needs a file", "Result.isSuccess(file)", "true"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/doctor/LogCheck.ts",
    ["packages/embed/test/StateFolderCheck.test.ts"],
    [["doctor: the error of past estimates", "...estimateCheck(ratios), ", ""]]
  ),
  ...mutantsOf(
    "packages/comms/src/CommsErrand.ts",
    ["packages/embed/test/CommsCheck.test.ts"],
    [
      ["comms: a lock is waited for", 'error.reason === "locked"', 'error.reason === "missing"'],
      ["comms: a lock is not waited for without an end", 'Schedule.upTo({ duration: "5 seconds" })', "(same) => same"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/doctor/CommsCheck.ts",
    ["packages/cli/test/LogCheck.test.ts"],
    [["comms: a row that is still to be written", "if (!told)", "if (false as boolean)"]]
  ),
  ...mutantsOf(
    "packages/node/src/sqlite/SqliteClient.ts",
    ["packages/node/test/SqliteClient.test.ts"],
    [
      [
        "store: a reader waits for a lock",
        "Effect.fail(sqliteTrouble(path)(error))),\n      untilUnlocked(lockTimeout)",
        "Effect.fail(sqliteTrouble(path)(error)))"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/own/GuardianEntry.ts",
    ["packages/node/test/GuardianEntry.test.ts"],
    [
      [
        "guardian: it begins while the store is held",
        "attempt(() => store.say(place, name, last.wall))",
        "store.say(place, name, last.wall)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/doctor/DiskCheck.ts",
    ["packages/embed/test/DiskCheck.test.ts"],
    [
      ["disk: room for the event log", "free >= enough", "free >= 0"],
      ["disk: a network file system is wrong", "return network.test(kind)", "return false"],
      ["disk: what is mounted last", "a.at.length - b.at.length).at(-1)", "b.at.length - a.at.length).at(0)"],
      ["disk: a folder is no beginning of another's name", "`${path}/`.startsWith(`${at}/`)", "path.startsWith(at)"],
      [
        "disk: a folder that is not there yet",
        "if (Option.isSome(real)) return real.value",
        'if (Option.isSome(real)) return real.value\n    return "/"'
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/setup/InstalledAgents.ts",
    ["packages/embed/test/SetupCheck.test.ts", "packages/cli/test/SetupCommand.test.ts"],
    [
      ["agents: the words of another one", "...typed, prompt", "prompt"],
      ["agents: one that is installed", "(yield* installedAgents)[0]?.program ?? agent.program", "agent.program"],
      ["agents: the configured one first", "settings.agentCommand !== agent.program || ", ""]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/setup/ProjectSettings.ts",
    ["packages/embed/test/SouffleurSetup.test.ts"],
    [
      ["settings: the source of each", "from: sources[name] ?? null", "from: null"],
      ["settings: what is not trusted", 'keys.length === 0 ? ("yes" as const) : ("no" as const)', '("yes" as const)']
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/setup/NoticeTrial.ts",
    ["packages/embed/test/SouffleurSetup.test.ts"],
    [["notices: a trial tells what did not take it", "Effect.succeed(message)", "Effect.succeed(null)"]]
  ),
  ...mutantsOf(
    "packages/embed/src/doctor/Findings.ts",
    ["packages/embed/test/SouffleurSetup.test.ts"],
    [["doctor: a process that is asked for", "pid === undefined ? []", "true ? []"]]
  ),
  ...mutantsOf(
    "packages/embed/src/setup/Quarantine.ts",
    ["packages/embed/test/SouffleurSetup.test.ts"],
    [["damaged log: not while a process has it open", "if (holders.length > 0)", "if (holders.length < 0)"]]
  ),
  ...mutantsOf(
    "packages/node/src/processes/Proc.ts",
    ["packages/embed/test/SouffleurSetup.test.ts"],
    [
      [
        "damaged log: … this one too",
        "pids().filter((pid) => opens(pid, files))",
        "pids().filter((pid) => pid !== process.pid && opens(pid, files))"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/preview/ForeseenLine.ts",
    ["packages/cli/test/SetupCommand.test.ts"],
    [
      [
        "preview: no name of an empty id",
        "(isSessionKnown(id) ? all.replaceAll(id, name) : all)",
        "all.replaceAll(id, name)"
      ]
    ]
  )
]
