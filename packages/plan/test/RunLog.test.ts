import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { EventLog } from "@souffleur/domain"
import { Store } from "@souffleur/eventlog"
import { SqliteClient } from "@souffleur/node"
import { Effect, FileSystem, Layer, Path, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { allRuns, endedRuns, RunLog, runsOf, dispatchRun, unfinishedRuns } from "../src/index.ts"
import { examples } from "./fixtures/events/RunExamples.ts"
import { examples as watchExamples } from "../../domain/test/fixtures/events/Examples.ts"

const both = Layer.unwrap(
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const file = path.join(yield* fs.makeTempDirectoryScoped(), "souffleur.db")
    return Layer.mergeAll(RunLog.layerSql, EventLog.layerSql()).pipe(
      Layer.provideMerge(SqliteClient.layerOwn({ ...Store, path: file }))
    )
  })
)

describe("behaviour#run", () => {
  it.live("runs and watches share a table, and neither sees the other's streams", () =>
    Effect.gen(function* () {
      const runs = yield* RunLog
      const watches = yield* EventLog
      yield* watches.append("p-3f2a", 0, [watchExamples.WatchOpened])
      yield* runs.append("run/p-3f2a", 0, [examples.RunOpened])
      yield* watches.append("p-3f2a", 1, [watchExamples.OwnerTook])
      assert.deepStrictEqual([yield* watches.streams, yield* runs.streams], [["p-3f2a"], ["run/p-3f2a"]])
      const tags = <E extends { readonly _tag: string }, X>(all: Stream.Stream<{ readonly event: E }, X>) =>
        Effect.map(Stream.runCollect(all), (found) => found.map(({ event }) => event._tag))
      assert.deepStrictEqual(yield* tags(watches.readAll(0)), ["WatchOpened", "OwnerTook"])
      assert.deepStrictEqual(yield* tags(runs.readAll(0)), ["RunOpened"])
      // A read of another kind's stream fails, and never gives a part of it.
      assert.strictEqual((yield* Effect.flip(watches.read("run/p-3f2a", 0)))._tag, "UnreadableEvent")
      yield* dispatchRun("p-3f2a", { _tag: "RebuildStateFile", found: "missing" }, { _tag: "Operator" })
      assert.deepStrictEqual(
        (yield* allRuns).map(({ id, run }) => [id, run.revision]),
        [["p-3f2a", 2]]
      )
    }).pipe(Effect.provide(both), Effect.provide(NodeServices.layer), Effect.scoped)
  )

  it.effect("a command that another event overtakes is decided again, on the newer state", () =>
    Effect.gen(function* () {
      const log = yield* RunLog
      const operator = { _tag: "Operator" } as const
      yield* log.append("run/r", 0, [examples.RunOpened, examples.TaskStarted, examples.TaskEscalated])
      // Another operator skips the task between the reading and the append of the first.
      let between = Effect.asVoid(
        dispatchRun("r", { _tag: "Answer", taskId: "task-001", answer: "skip", text: "" }, operator)
      )
      const late = RunLog.of({
        ...log,
        read: (stream, after) =>
          Effect.suspend(() => {
            const next = between
            between = Effect.void
            return Effect.tap(log.read(stream, after), Effect.orDie(Effect.provideService(next, RunLog, log)))
          })
      })
      const answered = dispatchRun("r", { _tag: "Answer", taskId: "task-001", answer: "retry", text: "" }, operator)
      assert.deepInclude(yield* Effect.flip(Effect.provideService(answered, RunLog, late)), {
        _tag: "Refused",
        reason: "not now"
      })
      between = Effect.asVoid(dispatchRun("r", { _tag: "RebuildStateFile", found: "missing" }, operator))
      yield* Effect.provideService(
        dispatchRun("r", { _tag: "RebuildStateFile", found: "corrupt" }, operator),
        RunLog,
        late
      )
      assert.deepStrictEqual(
        (yield* log.read("run/r", 3)).map(({ event }) => event._tag),
        ["TaskAnswered", "StateFileRebuilt", "StateFileRebuilt"]
      )
    }).pipe(Effect.provide(RunLog.layerMemory))
  )
})

describe("behaviour#damaged-log", () => {
  it.live("a run that cannot be read hides no other, and nothing is decided on the runs of its project", () =>
    Effect.gen(function* () {
      const runs = yield* RunLog
      const sql = yield* SqlClient.SqlClient
      for (const id of ["good", "torn"])
        yield* runs.append(`run/${id}`, 0, [{ ...examples.RunOpened, project: `/${id}` }, examples.RunTaken])
      yield* sql`UPDATE events SET tag = 'RunDreamt' WHERE stream = 'run/torn' AND revision = 2`
      assert.deepStrictEqual(
        (yield* allRuns).map(({ id, run, unreadable }) => [id, run.project, run.revision, unreadable?.revision]),
        [
          ["good", "/good", 2, undefined],
          ["torn", "/torn", 1, 2]
        ]
      )
      assert.lengthOf(yield* runsOf("/good"), 1)
      assert.strictEqual((yield* Effect.flip(runsOf("/torn")))._tag, "UnreadableEvent")
    }).pipe(Effect.provide(both), Effect.provide(NodeServices.layer), Effect.scoped)
  )
})

describe("command-line#metrics", () => {
  it.effect("a finished run whose conductor died before its goodbye has ended, in the order of the ends", () =>
    Effect.gen(function* () {
      const log = yield* RunLog
      const { RunFinished, RunLeft, RunOpened, RunTaken, RunVerified } = examples
      for (const [id, ...ends] of [
        ["first", { ...RunFinished, at: 1 }, { ...RunLeft, at: 1 }],
        ["killed", { ...RunFinished, at: 2 }],
        ["last", { ...RunFinished, at: 3 }, { ...RunLeft, at: 3 }]
      ] as const)
        yield* log.append(`run/${id}`, 0, [RunOpened, RunTaken, RunVerified, ...ends])
      assert.deepStrictEqual(yield* unfinishedRuns, [])
      const ended = Effect.fnUntraced(function* (limit: number) {
        const { count, last } = yield* endedRuns(limit)
        return [count, ...last.map(({ id }) => id)]
      })
      assert.deepStrictEqual(yield* ended(9), [3, "last", "killed", "first"])
      assert.deepStrictEqual(yield* ended(2), [3, "last", "killed"])
    }).pipe(Effect.provide(RunLog.layerMemory))
  )
})
