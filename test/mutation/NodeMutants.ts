import { mutantsOf } from "./Mutant.ts"

const src = "packages/node/src"

/**
 * Mutants of the host, no two at once. Each guard of a signal that is taken away leaves the others. So no test signals
 * a process that is not its own.
 */
export const nodeMutants = [
  ...mutantsOf(
    "packages/node/src/processes/Machine.ts",
    ["packages/node/test/Machine.test.ts"],
    [
      ["machine: its own id", "souffleur ${id} ${hardware}", "souffleur ${hardware}"],
      ["machine: its hardware", "souffleur ${id} ${hardware}", "souffleur ${id}"],
      ["machine: none is none", "if (id === undefined) return null", 'if (id === undefined) return "none"'],
      ["machine: an id that is one", "/^[0-9a-f]{32}$/u.test(text)", 'text !== ""']
    ]
  ),
  ...mutantsOf(
    "packages/node/src/processes/Memory.ts",
    ["packages/node/test/Memory.test.ts"],
    [
      ["memory: the compiled code of a start", "untilOld = 3", "untilOld = 1"],
      ["memory: each hour", 'Schedule.spaced("1 hour")', 'Schedule.spaced("1 day")'],
      ["memory: nothing for speed at rest", "Effect.andThen(collect(gc), optimizing(false))", "collect(gc)"],
      ["memory: no quick compiler either", '["opt", "maglev"]', '["opt"]'],
      ["memory: young garbage", 'Effect.repeat(collectYoung(gc), Schedule.spaced("1 minute"))', "Effect.never"],
      [
        "memory: work for speed",
        "Effect.andThen(optimizing(true), Effect.asVoid(Queue",
        "Effect.andThen(Effect.void, Effect.asVoid(Queue"
      ],
      [
        "memory: after the last work",
        "Effect.raceFirst(rest, Queue.take(work))",
        "Effect.andThen(rest, Queue.take(work))"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/launch/HostPrograms.ts",
    ["packages/node/test/HostPrograms.test.ts"],
    [
      ["program: no relative part of PATH", ".filter((folder) => isAbsolute(folder))", ""],
      ["program: one that can be executed", "    fs.accessSync(file, fs.constants.X_OK)\n", ""],
      ["program: a file", "if (!fs.statSync(file).isFile()) return false\n", ""]
    ]
  ),
  ...mutantsOf(
    `${src}/processes/ProcessTree.ts`,
    ["packages/node/test/ProcessTree.test.ts"],
    [
      [
        "tree: a root that died has no children",
        "table.get(root.pid)?.startTime === root.startTime ? root.pid : undefined",
        "root.pid"
      ],
      ["tree: what is above the root", "if (aboveRoot.has(process.pid)) return false", ""],
      [
        "tree: souffleur's own children are not the Conductor's",
        "if (one.pid === self) return ofLaunch",
        "if (one.pid === self) return started"
      ],
      ["tree: what souffleur launched", "if (one.pid === self) return ofLaunch", "if (one.pid === self) return false"],
      ["tree: other sessions with their subtree", "others.has(one.pid) || terminal(one)", "terminal(one)"],
      ["tree: terminal servers", " || terminal(one)) return false", ") return false"],
      [
        "tree: souffleur's own company",
        "if (one.pid === living) return !company",
        "if (one.pid === living) return true"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/processes/Tags.ts`,
    ["packages/node/test/ProcessTree.test.ts"],
    [
      ["tags: on our own user's processes alone", " && uid(one) === ours)", ")"],
      ["known: on our own user's processes alone", " && uid(found) === ours", ""],
      ["known: that very process", "found?.startTime === one.startTime &&", "found !== undefined &&"],
      ["known: of this boot", "one.bootId === bootId ? table.get(one.pid) : undefined", "table.get(one.pid)"]
    ]
  ),
  ...mutantsOf(
    `${src}/processes/Processes.ts`,
    ["packages/node/test/Processes.test.ts"],
    [["tree: what was seen before", "marked.has(pid) || seen.has(pid)", "marked.has(pid)"]]
  ),
  ...mutantsOf(
    `${src}/processes/TerminalServer.ts`,
    ["packages/node/test/ProcessTree.test.ts", "packages/node/test/Processes.test.ts"],
    [
      ["terminal: by the program's own name", "program.test(basename(path)) && (", "("],
      ["terminal: by whose program it is", " && ((runs.uid === 0 && ours !== 0) || isInstalled(path))", ""],
      ["terminal: root's agent makes root's files", "(runs.uid === 0 && ours !== 0)", "runs.uid === 0"],
      [
        "terminal: what cannot be seen is spared",
        "if (runs === undefined) return true",
        "if (runs === undefined) return false"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/processes/AgentAbove.ts`,
    ["packages/node/test/AgentAbove.test.ts"],
    [
      ["hook: its shell is no agent", "!one.words.some((word) => word.includes(` hook ${program} `))", "true"],
      [
        "hook: the launcher is named",
        "agent !== undefined && !launches(program, one.words, agent.words)",
        "agent !== undefined"
      ],
      ["hook: no agent above the agent", "=== program && ends(args)", "=== program"],
      ["hook: an agent that launches itself again", "isAgain || ", ""]
    ]
  ),
  ...mutantsOf(
    `${src}/files/HookFiles.ts`,
    ["packages/node/test/HookFiles.test.ts"],
    [
      ["hook file: no line longer than a sign", " && line.length <= maxLineLength", ""],
      ["hook file: no more lines than signs", ".slice(-maxLines)", ""]
    ]
  ),
  ...mutantsOf(
    `${src}/launch/Outputs.ts`,
    ["packages/node/test/Outputs.test.ts"],
    [
      ["outputs: of this watch alone", "name.startsWith(prefix) && ", ""],
      ["outputs: not the newest bytes", "String(size - keptBytes)", "String(size)"],
      ["outputs: a change of the folder ends a rest", '.once("change", stir)', ""],
      ["outputs: no watch of a folder outlives its rest", "Effect.sync(() => watcher.close())", "Effect.void"],
      ["outputs: a rest while nothing is printed", "printed === last", "printed !== printed"]
    ]
  ),
  ...mutantsOf(
    `${src}/sqlite/SqliteClient.ts`,
    ["test/eventlog/Cut.test.ts"],
    [
      [
        "log: another file under its name",
        "if (nodeOf(path) === opened) return Effect.void",
        "if (opened !== null) return Effect.void"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/processes/Signals.ts`,
    ["test/cli/Signals.test.ts"],
    [
      [
        "signals: a deadline that needs no main thread",
        'new Worker(deadline, { eval: true, workerData: { graceMillis, signal } }).on("error", () => process.kill(process.pid, signal)).unref()',
        "setTimeout(() => process.kill(process.pid, signal), graceMillis)"
      ],
      [
        "signals: the second one ends it",
        "for (const one of all) process.removeAllListeners(one)",
        "for (const one of all) process.on(one, () => {})"
      ],
      ["signals: in a call that does not return", "        process.removeAllListeners(signal)\n", ""]
    ]
  ),
  ...mutantsOf(
    `${src}/own/ErrandProcess.ts`,
    ["packages/node/test/ErrandProcess.test.ts"],
    [
      [
        "errand: what was silent is left alone for a while",
        "if ((yield* Clock.monotonicTimeNanos) < (spared.get(about) ?? 0n)) return yield* silent",
        ""
      ],
      [
        "errand: one that failed is ended",
        'Effect.onExit((exit) => (exit._tag === "Success" ? Effect.void : end)),',
        ""
      ],
      ["errand: it ends with who asks", "yield* Effect.addFinalizer(() => end)", ""],
      ["errand: one that is idle is ended", "resting = yield* rest", ""]
    ]
  ),
  ...mutantsOf(
    `${src}/launch/Receipt.ts`,
    ["packages/node/test/HostLauncher.test.ts"],
    [
      [
        "receipt: one that is damaged is neither",
        "if (Option.isNone(receipt)) throw",
        "if (Option.isNone(receipt)) return Option.none()\n  if (false as boolean) throw"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/files/WholeFile.ts`,
    ["packages/node/test/HostLauncher.test.ts", "packages/node/test/FileClaims.test.ts"],
    [["whole file: exclusive", "fs.linkSync(draft, path)", "fs.renameSync(draft, path)"]]
  ),
  ...mutantsOf(
    `${src}/launch/LaunchEntry.ts`,
    ["packages/node/test/HostLauncher.test.ts"],
    [
      [
        "launcher: the receipt before it becomes the agent",
        'if (!claimReceipt(receiptBeside(path), { _tag: "Taken", process: own })) return lateCode',
        'claimReceipt(receiptBeside(path), { _tag: "Taken", process: own })'
      ],
      [
        "launcher: of a decided launch nothing is said",
        "if (launch === undefined && existsSync(receiptBeside(path))) return lateCode",
        ""
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/launch/LaunchFile.ts`,
    ["packages/node/test/HostLauncher.test.ts"],
    [
      ["launch file: no other field", "Object.keys(rest).length === Object.keys(fields).length", "true"],
      ["launch file: a text of the kernel", ' && !value.includes("\\0")', ""],
      ["launch file: an absolute path", 'isText(value) && value.startsWith("/")', "isText(value)"],
      ["launch file: ours alone", '{ own: true, others: "nothing", atMost: maxBytes }', "{ atMost: maxBytes }"],
      ["launch file: the launch that its name says", "launch?.id === id ? launch : undefined", "launch"]
    ]
  ),
  ...mutantsOf(
    `${src}/launch/HostLauncher.ts`,
    ["packages/node/test/HostLauncher.test.ts"],
    [
      [
        "launch: a tombstone where it failed",
        "Effect.flatMap(close(id), Option.match({ onNone: () => exit, onSome: Effect.succeed }))",
        "exit"
      ],
      [
        "launch: who took the receipt first wins",
        "Option.match({ onNone: () => exit, onSome: Effect.succeed })",
        "() => exit"
      ],
      ["launch: not a second time", "if (Option.isSome(earlierTaker)) return earlierTaker.value", ""],
      [
        "launch: a launcher that is gone",
        "if (gone) return yield* new LaunchFailed",
        "if (false as boolean) return yield* new LaunchFailed"
      ],
      ["launch: in time", "restore(inTime(attempt(id)))", "restore(attempt(id))"]
    ]
  ),
  ...mutantsOf(
    `${src}/launch/LaunchFolder.ts`,
    ["packages/node/test/HostLauncher.test.ts"],
    [
      [
        "prepare: one order under an id",
        'if (!made) return yield* new LaunchFailed({ message: "another launch was prepared with this id" })',
        ""
      ],
      [
        "launch: what was prepared, unchanged",
        "digest !== undefined && digest !== sha256(encodeLaunch(launch))",
        "false as boolean"
      ],
      ["kept: what the log has the digest of", " || sha256(encodeLaunch(launch)) !== digest", ""],
      ["launch id: safe as a name", "isLaunchId(id) ? Effect.void :", "true ? Effect.void :"]
    ]
  ),
  ...mutantsOf(
    `${src}/files/FileClaims.ts`,
    ["packages/node/test/FileClaims.test.ts"],
    [
      ["claims: a session is no project", 'return "session" in one ? `session-', 'return "session" in one ? `project-'],
      ["claims: a live owner's stands", "if (held !== undefined) return yield* heldBy(held, what)", ""],
      ["claims: another pid namespace is not dead", "if (owner.pidNamespace !== self.pidNamespace) return false", ""],
      [
        "claims: an earlier boot of this host is",
        "return self.machine !== null && owner.machine",
        "return false && owner.machine"
      ],
      ["claims: … and of no other of its name", "owner.machine === self.machine && owner.host", "owner.host"],
      ["claims: … nor where neither is known", "return self.machine !== null && owner", "return owner"],
      ["claims: … nor a copy under another name", " && owner.host === self.host", ""],
      [
        "claims: one that cannot be read stands",
        "onNone: () => Effect.succeed(false)",
        "onNone: () => Effect.succeed(true)"
      ],
      ["claims: released by its owner alone", "if (isOwn(one)) fs.rmSync", "fs.rmSync"],
      ["claims: an own one that cannot be read", ' || (text === "" && own.has(name))', ""],
      ["claims: … and no unreadable one of another", "&& own.has(name)", ""],
      [
        "claims: an uninstall takes those of dead ones",
        "abandoned: { paths, remove: sweep }",
        "abandoned: { paths, remove: Effect.void }"
      ],
      ["claims: a second look", "if ((yield* readClaims).every(isAmong([...known, mine]))) return", "return"],
      [
        "claims: what lost is taken back",
        "yield* attempt(() => fs.rmSync(join(folder, mine.name), { force: true }))",
        ""
      ],
      [
        "claims: a folder of ours",
        "if (refusal !== undefined) return yield* new ClaimFailed",
        "if (false as boolean) return yield* new ClaimFailed"
      ],
      ["claims: a folder that is gone is made again", "yield* attempt(() => makeFolder(folder))", ""],
      [
        "claims: nothing is written before the first",
        "const swept = yield* Effect.cached(Effect.ignore(Effect.andThen(usable, sweep)))",
        "yield* Effect.ignore(Effect.andThen(usable, sweep))\n      const swept = Effect.void"
      ],
      ["claims: one removes what the dead left", 'yield* claimKey(sweeping, "the sweep")', ""],
      ["claims: the home of the password database", "return os.userInfo().homedir", 'return process.env["HOME"]'],
      [
        "claims: a home of ours",
        'refusalAt(home, { folder: true, own: true, others: "write as its group" }) !== undefined',
        "false as boolean"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/processes/Processes.ts`,
    ["packages/node/test/Processes.test.ts", "packages/node/test/ProcessTree.test.ts"],
    [
      [
        "signal: not the first process of the machine",
        "identity.pid <= 1 || identity.pid === self.pid",
        "identity.pid === self.pid"
      ],
      [
        "signal: that very process",
        "if (source.stat(identity.pid)?.startTime !== identity.startTime) return Effect.void",
        ""
      ],
      ["signal: nobody of an earlier boot", "    if (identity.bootId !== bootId) return\n", ""],
      ["condition: of this boot", "identity.bootId === bootId && identity.pid > 0 ? kept", "identity.pid > 0 ? kept"],
      [
        "tree: a root of an earlier boot has no children",
        "root.bootId === bootId ? root : { ...root, pid: 0 }",
        "root"
      ],
      ["tree: without zombies", '.filter((info) => info.condition !== "zombie")', ""]
    ]
  ),
  ...mutantsOf(
    `${src}/processes/StatCache.ts`,
    ["packages/node/test/Processes.test.ts"],
    [["condition: that very process", "if (stat.startTime === identity.startTime) return stat", "return stat"]]
  ),
  ...mutantsOf(
    `${src}/launch/Headless.ts`,
    ["packages/node/test/HostLauncher.test.ts"],
    [["launch: a reported end is heard", "      follow(child)\n", ""]]
  ),
  ...mutantsOf(
    `${src}/launch/LaunchEnds.ts`,
    ["packages/node/test/LaunchEnds.test.ts"],
    [["exit code: of who took the receipt", ": taker === pid)", ": true)"]]
  )
]
