import { execFileSync } from "node:child_process"
import { lstatSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { TrustedFiles } from "@souffleur/process"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Result } from "effect"
import {
  foldRun,
  lookAtState,
  progressOf,
  readState,
  type Run,
  runNoticeOf,
  stateJson,
  stateText,
  writeState
} from "../src/index.ts"
import { examples } from "./fixtures/events/RunExamples.ts"

const seed = {
  workflow_id: "feature-auth-system",
  phase: "implementation",
  current_task: "task-002",
  tasks: [
    {
      id: "task-001",
      title: "Create user model",
      status: "completed",
      attempts: 1,
      implementer_commits: ["abc1234"],
      files_changed: ["src/models/user.ts"],
      test_file: "tests/models/user.test.ts"
    },
    { id: "task-002", title: "Implement authentication service", status: "in_progress", attempts: 1, feedback: [] },
    { id: "task-003", title: "Add login endpoint", status: "pending", attempts: 0 }
  ],
  created_at: "2026-01-25T10:00:00Z",
  updated_at: "2026-01-25T14:30:00Z"
}

const foreign = (path: string, run: Run) =>
  Effect.map(Effect.flip(writeState(path, run)), (error) =>
    error._tag === "StateForeign" ? error.problem : error._tag
  )

describe("behaviour#state-file", () => {
  it("the state file has its shape at every stage", () => {
    const { ReviewRejected, RunOpened, RunVerified, TaskCompleted, TaskStarted } = examples
    const at = (event: Parameters<typeof foldRun>[0][number], minutes: number) => ({
      ...event,
      at: event.at + minutes * 60_000
    })
    const begun = foldRun([
      RunOpened,
      at(TaskStarted, 1),
      examples.AgentAsked,
      examples.ImplementationCompleted,
      at(ReviewRejected, 2)
    ])
    assert.deepStrictEqual(stateJson(begun), {
      workflow_id: "auth",
      phase: "implementation",
      current_task: "task-001",
      tasks: [
        {
          id: "task-001",
          title: "Create the model",
          status: "in_progress",
          attempts: 1,
          feedback: [
            {
              attempt: 1,
              summary: "tests are missing",
              issues: ["no test of an empty input"],
              suggestions: ["add one"]
            }
          ],
          minor: ["a long name"],
          started_at: "2026-01-25T10:01:00.000Z"
        }
      ],
      created_at: "2026-01-25T10:00:00.000Z",
      updated_at: "2026-01-25T10:02:00.000Z"
    })
    const done = stateJson(foldRun([at(TaskCompleted, 3), at(RunVerified, 4)], begun))
    assert.deepInclude(done, {
      phase: "completion",
      current_task: null,
      implementation_completed_at: "2026-01-25T10:04:00.000Z"
    })
    assert.deepInclude(done.tasks[0], {
      status: "completed",
      implementer_commits: ["3f2a9c1d"],
      files_changed: ["src/a.ts"],
      test_file: "test/a.test.ts",
      completed_at: "2026-01-25T10:03:00.000Z"
    })
    const finished = { ...examples.RunFinished, finishing: "failed" as const, message: "exit code 2" }
    const failed = foldRun([RunOpened, TaskCompleted, RunVerified, finished])
    assert.deepInclude(stateJson(failed), {
      phase: "completion",
      finishing: "failed",
      finishing_failure: "exit code 2"
    })
  })

  it("a file of this format is read, and its progress with it", () => {
    const progress = progressOf(Result.getOrThrow(readState(JSON.stringify(seed))))
    assert.deepStrictEqual(
      progress.map(({ attempts, id, status }) => `${id} ${status} ${attempts}`),
      ["task-001 completed 1", "task-002 in_progress 1", "task-003 pending 0"]
    )
    assert.deepStrictEqual(progress[0]?.work, {
      commits: ["abc1234"],
      files: ["src/models/user.ts"],
      testFile: "tests/models/user.test.ts"
    })
  })

  it("a file of this format is read while that is being planned, without a task or a time", () => {
    const read = readState('{"workflow_id": "w", "phase": "planning", "tasks": []}')
    assert.deepInclude(Result.getOrThrow(read), { workflow_id: "w", phase: "planning", current_task: null, tasks: [] })
    assert.isTrue(Result.isFailure(readState('{"workflow_id": "w", "tasks": []}')), "a phase is the least")
  })

  it("the text of a state file is bounded as a reviewer's is, and controls no terminal", () => {
    const feedback = [
      { attempt: 1, summary: "\u001B]0;mine\u0007", issues: Array.from({ length: 30 }, () => "x".repeat(900)) }
    ]
    const tasks = [{ id: "t", status: "pending", feedback }]
    const [task] = progressOf(Result.getOrThrow(readState(JSON.stringify({ ...seed, tasks }))))
    const [found] = task!.feedback
    assert.deepStrictEqual([found?.summary, found?.issues.length, found?.issues[0]?.length], ["]0;mine", 20, 500])
  })

  it("a written state file is read back", () => {
    const run = foldRun([examples.RunOpened, examples.TaskStarted, examples.TaskCompleted])
    assert.deepStrictEqual(Result.getOrThrow(readState(stateText(run))), stateJson(run))
  })
  it("an escalation is read back with its cause and reason, for a plan under another name, and told; an unknown cause is none", () => {
    const escalated = { ...examples.TaskEscalated, taskId: "task-001", reason: "blocked" as const, message: "no key" }
    const text = stateText(foldRun([examples.RunOpened, examples.TaskStarted, escalated]))
    const renamed = (file: string) => ({
      ...examples.ProgressImported,
      tasks: progressOf(Result.getOrThrow(readState(file))),
      finishing: null
    })
    const [task] = foldRun([examples.RunOpened, renamed(text)]).tasks
    assert.deepStrictEqual(task?.escalation, { reason: "blocked", message: "no key" })
    const notice = runNoticeOf(renamed(text), foldRun([examples.RunOpened]))
    assert.include(`${notice?.text} ${notice?.words}`, "Task task-001 needs a person (blocked). no key.")
    const told = (change: object) => {
      const json = JSON.parse(text) as { tasks: ReadonlyArray<object> }
      return progressOf(
        Result.getOrThrow(
          readState(JSON.stringify({ ...json, tasks: json.tasks.map((one) => ({ ...one, ...change })) }))
        )
      )[0]
    }
    assert.strictEqual(told({ escalation_reason: `\u001B${"x".repeat(9000)}` })?.escalation?.message.length, 2000)
    for (const none of [{ escalation_cause: "mine" }, { escalation_reason: undefined }, { status: "pending" }])
      assert.notProperty(told(none), "escalation")
    const seen = runNoticeOf(
      { ...renamed(text), tasks: [told({ escalation_cause: undefined })!] },
      foldRun([examples.RunOpened])
    )
    assert.include(seen?.text, "Task task-001 needs a person.")
  })

  it("a piece of a file is corrupt, and JSON of another shape is foreign, as is a text that nothing shows to be ours", () => {
    const judged = (text: string, ours?: boolean) => Result.getOrThrow(Result.flip(readState(text, ours)))
    for (const piece of [JSON.stringify(seed).slice(0, 200), "", "\0\0", "{", '{\n  "workf'])
      assert.strictEqual(judged(piece), "corrupt", piece)
    for (const text of ["# Read me\n", '// my app\n{"a":1}', "\u0000\u0001", "workflow_id", '{"tasks": [', "{}{}"])
      assert.deepStrictEqual([judged(text), judged(text, true)], ["foreign", "corrupt"], text)
    const counted = (attempts: number, attempt: number) => {
      const feedback = [{ attempt, summary: "no", issues: [] }]
      return JSON.stringify({ ...seed, tasks: [{ id: "t", status: "pending", attempts, feedback }] })
    }
    for (const text of [
      "{}",
      "[]",
      JSON.stringify({ ...seed, tasks: {} }),
      counted(-1, 1),
      counted(1, -1),
      counted(2 ** 53, 1)
    ])
      assert.strictEqual(judged(text, true), "foreign")
  })
  it.effect("an empty state file is written again, and nothing is kept of it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* fs.makeTempDirectoryScoped()}/state.json`
      yield* fs.writeFileString(path, "")
      assert.deepStrictEqual(yield* writeState(path, foldRun([examples.RunOpened])), [])
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.effect("whatever is no JSON in the state file of a run is kept under a name that says when, and told", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const path = `${folder}/state.json`
      const run = foldRun([examples.RunOpened])
      const spoiled = [
        stateText(run).slice(0, 60),
        `<<<<<<< HEAD\n${stateText(run)}=======\n>>>>>>> side\n`,
        "{",
        '{"tasks": [',
        "# Progress\n"
      ]
      for (const text of spoiled) {
        yield* fs.writeFileString(path, text)
        const [kept, ...more] = yield* writeState(path, run)
        assert.deepStrictEqual([kept?.found, more], ["corrupt", []])
        assert.match(kept!.kept, /state\.json\.kept-\d{4}-\d\d-\d\dT\d{9}Z/u)
        assert.strictEqual(yield* fs.readFileString(kept!.kept), text)
      }
      assert.strictEqual(yield* fs.readFileString(path), stateText(run))
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.effect.each(["another plan's", "an earlier run's"])(
    "fields that souffleur does not know are carried through, and the file that had them is kept when its backup is replaced: %s",
    (whose) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const path = `${folder}/state.json`
        const [task, ...others] = seed.tasks
        const theirs = JSON.stringify({
          ...seed,
          ...(whose === "an earlier run's" ? { workflow_id: examples.RunOpened.workflowId } : {}),
          branch: "b",
          plan_path: "p",
          tasks: [{ ...task, owner: "anna" }, ...others]
        })
        yield* fs.writeFileString(path, theirs)
        const opened = foldRun([{ ...examples.RunOpened, tasks: [{ id: "task-001", title: "T", dependsOn: [] }] }])
        const runs = [opened, ...[1, 2, 3].map((n) => ({ ...opened, lastEventAt: opened.lastEventAt + n * 1000 }))]
        const kept = yield* Effect.forEach(runs, (run) => writeState(path, run))
        for (const file of [path, `${path}.backup`]) {
          const json = JSON.parse(yield* fs.readFileString(file))
          assert.deepInclude(json, { branch: "b", plan_path: "p" })
          assert.deepInclude(json.tasks[0], { id: "task-001", status: "pending", owner: "anna" })
          assert.notProperty(json.tasks[0], "test_file", "what is known is said by the log alone")
        }
        assert.deepStrictEqual(
          kept.map((all) => all.map(({ found }) => found)),
          [[], ["backup"], [], []]
        )
        assert.strictEqual(yield* fs.readFileString(kept[1]![0]!.kept), theirs)
        yield* fs.writeFileString(path, stateText(opened).slice(0, 60))
        yield* writeState(path, opened)
        assert.deepInclude(
          JSON.parse(yield* fs.readFileString(path)),
          { branch: "b" },
          "from its backup, where it was spoiled"
        )
      }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.effect("an unchanged state file is not written: it would be a backup of itself", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const path = `${folder}/state.json`
      const run = foldRun([examples.RunOpened])
      yield* writeState(path, run)
      const { ino } = yield* fs.stat(path)
      yield* writeState(path, run)
      assert.deepStrictEqual([(yield* fs.stat(path)).ino, yield* fs.readDirectory(folder)], [ino, ["state.json"]])
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.effect("a foreign backup is not written over, and one that is no JSON is kept aside", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const path = `${folder}/state.json`
      const run = foldRun([examples.RunOpened])
      yield* writeState(path, run)
      yield* fs.writeFileString(`${path}.backup`, '"precious"')
      const later = { ...run, lastEventAt: run.lastEventAt + 1000 }
      assert.match(yield* foreign(path, later), /no state file of this kind.*name another/u)
      assert.strictEqual(yield* fs.readFileString(`${path}.backup`), '"precious"')
      yield* fs.writeFileString(`${path}.backup`, "{")
      const [kept] = yield* writeState(path, later)
      assert.deepStrictEqual([kept?.found, yield* fs.readFileString(kept!.kept)], ["backup", "{"])
      assert.strictEqual(yield* fs.readFileString(`${path}.backup`), stateText(run))
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.effect("the state file's draft is not written through a file in its place", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const [path, other] = [`${folder}/state.json`, `${folder}/other`]
      yield* fs.writeFileString(other, "mine")
      yield* fs.symlink(other, `${path}.new`)
      yield* fs.makeDirectory(`${folder}/work.new`)
      yield* fs.writeFileString(`${folder}/work.new/file`, "precious")
      for (const one of [path, `${folder}/work`]) yield* writeState(one, foldRun([examples.RunOpened]))
      assert.strictEqual(yield* fs.readFileString(other), "mine")
      assert.strictEqual(yield* fs.readFileString(`${folder}/work.new/file`), "precious")
      assert.deepStrictEqual((yield* fs.readDirectory(folder)).toSorted(), [
        "other",
        "state.json",
        "state.json.new",
        "work",
        "work.new"
      ])
      assert.strictEqual(readState(yield* fs.readFileString(path))._tag, "Success")
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.effect("a state file that is foreign by now is not written over", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* fs.makeTempDirectoryScoped()}/state.json`
      const run = foldRun([examples.RunOpened])
      yield* writeState(path, run)
      yield* fs.writeFileString(path, '{"mine": true}')
      assert.deepInclude(yield* Effect.flip(writeState(path, run)), { _tag: "StateForeign", path })
      assert.strictEqual(yield* fs.readFileString(path), '{"mine": true}')
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.effect("a device, or a file that another user may write, is left as it is, and told", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const run = foldRun([examples.RunOpened])
      yield* fs.writeFileString(`${folder}/file`, "")
      yield* fs.symlink(`${folder}/file`, `${folder}/link`)
      yield* fs.symlink("/dev/zero", `${folder}/zero`)
      execFileSync("mkfifo", [`${folder}/pipe`])
      yield* fs.makeDirectory(`${folder}/folder`)
      yield* fs.writeFileString(`${folder}/open`, stateText(run))
      yield* fs.chmod(`${folder}/open`, 0o666)
      for (const [name, why] of [
        ["link", /a link/],
        ["zero", /a link/],
        ["pipe", /no regular file/],
        ["folder", /no regular file/],
        ["open", /others may write .*name another/]
      ] as const) {
        const path = `${folder}/${name}`
        const before = lstatSync(path)
        assert.match(yield* foreign(path, foldRun([examples.RunOpened, examples.TaskStarted])), why)
        assert.strictEqual(lstatSync(path).ino, before.ino)
      }
      // A project may be its group's.
      yield* fs.chmod(`${folder}/open`, 0o664)
      assert.deepStrictEqual(
        yield* writeState(`${folder}/open`, foldRun([examples.RunOpened, examples.TaskStarted])),
        []
      )
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.effect("a state file that is taken away during a look is missing, and written again", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* fs.makeTempDirectoryScoped()}/state.json`
      const run = foldRun([examples.RunOpened])
      yield* writeState(path, run)
      const files = yield* TrustedFiles
      const hasty = TrustedFiles.of({
        ...files,
        open: (file, trust) => Effect.andThen(Effect.ignore(fs.remove(file)), files.open(file, trust))
      })
      assert.deepInclude(yield* Effect.provideService(lookAtState(path), TrustedFiles, hasty), {
        state: { _tag: "Missing" }
      })
      yield* writeState(path, run)
      yield* Effect.provideService(writeState(path, run), TrustedFiles, hasty)
      assert.strictEqual(yield* fs.readFileString(path), stateText(run))
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})
