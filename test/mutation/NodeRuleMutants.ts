import { mutantsOf } from "./Mutant.ts"

const [src, test] = ["packages/node/src", "packages/node/test"]
const log = "test/eventlog"

/** Mutants that take away single rules of this host, of its log and of the lines themselves. */
export const nodeRuleMutants = [
  ...mutantsOf(
    `${src}/processes/Processes.ts`,
    [`${test}/Processes.test.ts`],
    [
      ["tree: other agents are left out", "others: new Set(others),", "others: new Set(),"],
      [
        "tree: another user's tag marks nobody",
        "const marked = carriers(tags)",
        "const marked = new Set([...table.keys()].filter((pid) => carries(pid, tags.map(({ environment }) => environment))))"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/files/SystemError.ts`,
    [`${test}/Processes.test.ts`],
    [
      [
        "gone: to have no descriptor left is no death",
        '=> hasCode(error, "ENOENT", "ESRCH")',
        '=> hasCode(error, "ENOENT", "ESRCH", "EMFILE")'
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/processes/Ps.ts`,
    [`${test}/Ps.test.ts`, `${test}/Processes.test.ts`],
    [
      ["ps: a complaint is no answer", '|| (status === 0 ? stdout === "" : stderr !== "")', ""],
      ["ps: a program that does not run is no answer", "  if (error !== undefined) throw error\n", ""],
      ["ps: that very process", "return found?.startTime === startTime ? found : undefined", "return found"],
      ["ps: words are no environment", "`${whole.slice(before.length)} `", "`${whole} `"],
      ["ps: a lock on the whole file", "/^l[RWUX]$/u", "/^l/u"],
      ["ps: the hours of a processor time", "Number(days) * 24 + Number(hours)", "Number(hours)"]
    ]
  ),
  ...mutantsOf(
    `${src}/launch/LaunchFolder.ts`,
    [`${test}/HostLauncher.test.ts`],
    [
      [
        "prepare: the same order again is that order",
        "createWhole(path, text) || readWhole(path) === text",
        "createWhole(path, text)"
      ],
      ["settle: claims the name", '        claimReceipt(receiptOf(id), { _tag: "Cancelled" })\n', ""],
      ["launch file: removed once it is decided", "    remove(pathOf(id))\n  }\n", "  }\n"],
      [
        "settle: who took the receipt",
        'return receipt._tag === "Taken" ? Option.some(receipt.process) : Option.none()',
        "return Option.none()"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/launch/ReceiptClaim.ts`,
    [`${test}/HostLauncher.test.ts`],
    [
      [
        "receipt: whose name is taken launches nothing",
        "createWhole(path, JSON.stringify(receipt))",
        'createWhole(path, JSON.stringify(receipt)) || receipt._tag === "Taken"'
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/launch/LaunchEnds.ts`,
    [`${test}/HostLauncher.test.ts`],
    [
      [
        "exit code: kept for who comes after",
        'createWhole(fileOf(id), textOf(pid === "pty" ? endOfShell(end) : end))',
        "fileOf(id)"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/own/Detached.ts`,
    [`${test}/HostLauncher.test.ts`],
    [["input: in no file once it is read", "    fs.rmSync(own, { recursive: true, force: true })\n", ""]]
  ),
  ...mutantsOf(
    `${src}/launch/LaunchEntry.ts`,
    [`${test}/LauncherTmux.test.ts`],
    [
      [
        "launch: its own pid, never who started it",
        '"Taken", process: own }',
        '"Taken", process: { ...own, pid: process.ppid } }'
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/files/HostTrustedFiles.ts`,
    [`${test}/HostTrustedFiles.test.ts`],
    [["trusted file: the one that was judged", "files.open(`/dev/fd/${file}`, ", "files.open(path, "]]
  ),
  ...mutantsOf(
    `${src}/processes/Machine.ts`,
    [`${test}/Machine.test.ts`],
    [["machine: by its hardware too", 'textOf(join(root, "sys/class/dmi/id/product_uuid")) ?? ""', '""']]
  ),
  ...mutantsOf(
    `${src}/own/ErrandEntry.ts`,
    [`${test}/ErrandProcess.test.ts`],
    [
      [
        "errand: ended by what no call holds up",
        'process.kill(process.pid, "SIGKILL")',
        'process.kill(process.pid, "SIGTERM")'
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/files/HookFiles.ts`,
    [`${test}/HookFiles.test.ts`],
    [
      ["hook file: of its own session", ".filter((sign) => sign.sessionId === sessionId)", ""],
      ["hook file: the older one too", "...(yield* linesIn(olderSigns(file))), ", ""],
      ["hook file: a session whose newer file is not begun", "(?:\\.1)?$/u", "$/u"],
      [
        "lineage: all that its processes held",
        "return held.filter((one) => processes.has(key(one)))",
        "return held.filter((one) => one.sessionId === sessionId)"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/files/SignFile.ts`,
    [`${test}/SignFile.test.ts`],
    [
      ["signs: said again where the file was removed", "if (nlink > 0) return size", "return size"],
      ["signs: a large file alone is replaced", "?? 0) > maxBytes", "?? 0) >= 0"],
      ["signs: one replaces at a time", 'fs.openSync(lock, "wx", 0o600)', 'fs.openSync(lock, "w", 0o600)']
    ]
  ),
  ...mutantsOf(
    `${src}/launch/HostPrograms.ts`,
    [`${test}/HostPrograms.test.ts`],
    [["programs: none of a relative part of PATH", "        .filter((folder) => isAbsolute(folder))\n", ""]]
  ),
  ...mutantsOf(
    "packages/eventlog/src/LaunchSlots.ts",
    [`${log}/LaunchSlots.test.ts`],
    [
      ["turns: one after the other", "ELSE max(${now}, turns.next) END", "ELSE ${now} END"],
      [
        "turns: a watch never waits for itself",
        "WHEN turns.watch = excluded.watch THEN max(${now}, turns.next - ${spacingMillis})",
        ""
      ],
      ["turns: a clock that was set back", "WHEN turns.next > ${now + spacingMillis * maxSlotsAhead} THEN ${now}", ""]
    ]
  ),
  ...mutantsOf(
    "packages/eventlog/src/sql/EventLogSql.ts",
    [`${log}/FollowedLog.test.ts`],
    [
      [
        "follow: neighbours wake no follower",
        "now === known ? Effect.succeed(end) :",
        "now === known ? Effect.succeed(end) : true ? Effect.sync(() => (known = now)) :"
      ],
      [
        "follow: an event of a neighbour does",
        "end = now\n",
        "end = now\n      if (true as boolean) return Effect.void\n"
      ],
      ["follow: no look without a follower", "Effect.andThen(Deferred.await(followed), looks)", "looks"],
      [
        "follow: looks with the first follower",
        "Effect.as(Deferred.succeed(followed, undefined), ",
        "Effect.as(Effect.void, "
      ]
    ]
  ),
  ...mutantsOf(
    "packages/eventlog/src/sql/GroupCommit.ts",
    [`${log}/LogWriters.test.ts`],
    [
      [
        "append: acknowledged once it is written",
        "return Deferred.await(outcome)",
        "return Effect.succeed(expected + events.length)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/eventlog/src/sql/GroupCommit.ts",
    [`${log}/LogTrouble.test.ts`],
    [
      ["append: a close waits for a commit that has not begun", "scope, { uninterruptible: true })", "scope)"],
      ["append: to a log that is closed", 'scope.state._tag === "Closed" ? commits : ', ""]
    ]
  ),
  ...mutantsOf(
    `${src}/launch/Tmux.ts`,
    ["test/boundaries.test.ts"],
    [["lines: no shell", "...args], { signal },", "...args], { signal, shell: true },"]]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/RetryCommand.ts",
    ["test/boundaries.test.ts"],
    [
      [
        "lines: printed by the console of the command line",
        'yield* personOnly("a ceiling")',
        'console.log(yield* personOnly("a ceiling"))'
      ]
    ]
  )
]
