import { mutantsOf } from "./Mutant.ts"

const conductor = "packages/plan"

/**
 * Mutants that are drawn, not chosen: lines of the source by chance (mulberry32, seed 20261122). Each drawn line allows
 * a mutant.
 */
export const drawnMutants = [
  ...mutantsOf(
    "packages/node/src/processes/Signals.ts",
    ["packages/node/test/Endable.test.ts", "test/cli/Signals.test.ts"],
    [
      [
        "signals: heard again after a call that did not return",
        "process.on(signal, listener as (signal: NodeJS.Signals) => void)",
        "void listener"
      ],
      ["signals: the first one is heard", "      heard(signal)\n", ""]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/keeping/Detach.ts",
    ["packages/embed/test/StartDetached.test.ts"],
    [["detach: no mark of a session", "!marks.has(entry[0]) &&", ""]]
  ),
  ...mutantsOf(
    "packages/plan/src/run/TaskEvolution.ts",
    [`${conductor}/test/RunDecider.test.ts`],
    [["answer: only what was begun goes on", "task.begun && !lost", "!lost"]]
  ),
  ...mutantsOf(
    `${conductor}/src/decide/OpenDecider.ts`,
    [`${conductor}/test/RunDecider.test.ts`],
    [["open: the project is its work tree, where nobody says another", "workTree = project", 'workTree = ""']]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/LogCommand.ts",
    ["test/nights/Poisoned.test.ts"],
    [["log: one gap ends it with 4", "if (gaps > 0) return", "if (gaps > 1) return"]]
  ),
  ...mutantsOf(
    `${conductor}/src/state/StateStore.ts`,
    [`${conductor}/test/StateFile.test.ts`],
    [["state file: nothing is written where nothing changed", "    if (before.text === text) return []\n", ""]]
  ),
  ...mutantsOf(
    "packages/supervisor/src/Validation.ts",
    ["packages/supervisor/test/Bootstrap.test.ts"],
    [["validate: who does not detach is below its ancestors", "detaching = false", "detaching = true"]]
  ),
  ...mutantsOf(
    `${conductor}/src/state/StateStore.ts`,
    [`${conductor}/test/Hindered.test.ts`],
    [["hindrance: which file is somebody else's", "return `${this.path}: ${this.problem}`", "return this.problem"]]
  ),
  ...mutantsOf(
    "packages/node/src/own/DetachEntry.ts",
    ["packages/node/test/DetachEntry.test.ts"],
    [["detach: what cannot be started is told", "process.exitCode = 1", "process.exitCode = 0"]]
  ),
  ...mutantsOf(
    "packages/recovery/src/steps/Holder.ts",
    ["packages/recovery/test/Holder.test.ts"],
    [
      [
        "elsewhere: that very process below it",
        "own.some((pid) => pid === holding.by)",
        "own.some((pid) => pid !== holding.by)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/evidence/Holding.ts",
    ["packages/watcher/test/Signs.test.ts"],
    [
      [
        "within: a folder, not the beginning of its name",
        "folder.startsWith(`${project}/`)",
        "folder.startsWith(project)"
      ]
    ]
  ),
  ...mutantsOf(
    `${conductor}/src/Conduct.ts`,
    [`${conductor}/test/Hindered.test.ts`],
    [
      [
        "state file: what was kept of it is in the log",
        '    yield* Effect.forEach(kept, (file) => ref.dispatch({ _tag: "RebuildStateFile", ...file }))\n',
        ""
      ]
    ]
  ),
  ...mutantsOf(
    "packages/plan/src/git/Obstacle.ts",
    [`${conductor}/test/History.test.ts`],
    [
      [
        "astray: not in the midst of a rebase",
        "const doing = yield* git.underWay",
        "const doing = null as string | null"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/watch/RecoveryEvolution.ts",
    ["packages/domain/test/Watch.test.ts"],
    [["launched: forced by nobody", "    forced: false,\n    lastExport", "    forced: true,\n    lastExport"]]
  ),
  ...mutantsOf(
    `${conductor}/src/tasks/Prompt.ts`,
    [`${conductor}/test/Plan.test.ts`],
    [
      ["prompt: a reviewer's is one", "`## Code Review Task", "`## Code Task"],
      ["prompt: a reviewer looks at security", "- [ ] **Security** - No obvious security issues introduced\n", ""],
      ["prompt: a reviewer runs the tests", "3. Run the tests and verify they pass\n", ""]
    ]
  ),
  ...mutantsOf(
    "packages/claude/src/command/RunsAgent.ts",
    ["packages/claude/test/RunsAgent.test.ts"],
    [
      [
        "runs agent: behind a runtime and two flags",
        "words.slice(0, 4).some(isClaude)",
        "words.slice(0, 3).some(isClaude)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/recovery/src/providers/ExportProvider.ts",
    ["packages/recovery/test/ExportProvider.test.ts"],
    [
      [
        "export: the words of the hand-off go with it",
        "prompt: resumePromptOf(watch, request).pipe(",
        'prompt: Effect.as(resumePromptOf(watch, request), "").pipe('
      ]
    ]
  ),
  ...mutantsOf(
    `${conductor}/src/run/RunOwnership.ts`,
    [`${conductor}/test/RunOwnership.test.ts`],
    [
      [
        "run: nothing is granted that was lost",
        "granted: (so) => Effect.andThen(unlessLost(lost), granted(so))",
        "granted: (so) => granted(so)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/Hashing.ts",
    ["packages/process/test/HandoffFile.test.ts"],
    [["hashing: SHA-256", "Digest.sha256", "Digest.sha512"]]
  )
]
