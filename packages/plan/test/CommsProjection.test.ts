import { assert, describe, it } from "@effect/vitest"
import { CommsLink, type ResolvedSettings, Settings } from "@souffleur/domain"
import { Beats } from "@souffleur/eventlog"
import { Context, Duration, Effect, Exit, Layer, Option } from "effect"
import { projectRun, type RunEvent, RunLog } from "../src/index.ts"
import { examples } from "./fixtures/events/RunExamples.ts"

const {
  PlanRevised,
  RunFinished,
  RunLeft,
  RunOpened,
  RunTaken,
  RunVerified,
  TaskCompleted,
  TaskEscalated,
  TaskStarted
} = examples
const settings = Settings.of({ heartbeatStaleAfter: Duration.minutes(4) } as ResolvedSettings)

/** Returns the rows of comms at the end of a run. `known`: events from before its conductor. */
const rowsOf = Effect.fnUntraced(
  function* (known: ReadonlyArray<RunEvent>, more: ReadonlyArray<RunEvent>, isOthers?: Effect.Effect<boolean>) {
    const log = Context.get(yield* Layer.build(RunLog.layerMemory), RunLog)
    const rows = new Map<string, string>()
    const link = CommsLink.of({
      ...({} as CommsLink["Service"]),
      beat: () => Effect.sync(() => void rows.set("beat of task-00", "there")),
      setState: (state) => Effect.sync(() => void rows.set("task-00", state)),
      setTask: ({ id, state }) => Effect.sync(() => void rows.set(id, state))
    })
    yield* log.append("run/r", 0, [...known, ...more, RunLeft])
    yield* projectRun("r", known.length, Option.some(link), isOthers).pipe(Effect.provideService(RunLog, log))
    if (isOthers === undefined) rows.delete("beat of task-00")
    return Object.fromEntries(rows)
  },
  Effect.provide([Beats.layerMemory, Layer.succeed(Settings, settings)])
)

describe("behaviour#run-in-comms", () => {
  it.effect("comms has a row for each task that has begun, and the Conductor's after them", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* rowsOf([RunOpened], [RunTaken]), { "task-00": "working" })
      assert.deepStrictEqual(yield* rowsOf([RunOpened, RunTaken, TaskStarted], [TaskEscalated]), {
        "task-001": "error",
        "task-00": "error"
      })
      assert.deepStrictEqual(Object.entries(yield* rowsOf([RunOpened], [TaskStarted, TaskCompleted])), [
        ["task-001", "complete"],
        ["task-00", "working"]
      ])
    }).pipe(Effect.scoped)
  )

  it.effect(
    "the row of a watched Conductor is left alone, without a beat or a state; the rows of tasks are written",
    () =>
      Effect.gen(function* () {
        const rows = yield* rowsOf(
          [RunOpened],
          [RunTaken, TaskStarted, TaskCompleted, RunVerified, RunFinished],
          Effect.succeed(true)
        )
        assert.deepStrictEqual(rows, { "task-001": "complete" })
      }).pipe(Effect.scoped)
  )

  it.effect("the row of a task that the plan has lost has exited", () =>
    Effect.gen(function* () {
      const without = { ...PlanRevised, tasks: [{ id: "task-002", title: "Use it", dependsOn: [] }] }
      const rows = yield* rowsOf([RunOpened, RunTaken, TaskStarted, TaskEscalated, without], [RunTaken])
      assert.deepStrictEqual(rows, { "task-001": "exited", "task-00": "working" })
    }).pipe(Effect.scoped)
  )

  it.effect("comms sees the end of a run, also of a run that was done before the first row", () =>
    Effect.gen(function* () {
      const rows = yield* rowsOf([RunOpened, TaskStarted, TaskCompleted], [RunTaken, RunVerified, RunFinished])
      assert.deepStrictEqual(rows, { "task-001": "complete", "task-00": "complete" })
    }).pipe(Effect.scoped)
  )
})

describe("behaviour#defects", () => {
  it.effect("the rows of a run end with its beat: no half goes on in silence", () =>
    Effect.gen(function* () {
      const log = Context.get(yield* Layer.build(RunLog.layerMemory), RunLog)
      yield* log.append("run/r", 0, [RunOpened, RunTaken])
      const beats = Beats.of({
        beat: () => Effect.die("x"),
        last: () => Effect.succeedNone,
        full: Effect.succeed(false)
      })
      const exit = yield* Effect.exit(projectRun("r", 0, Option.none())).pipe(
        Effect.provideService(RunLog, log),
        Effect.provideService(Beats, beats)
      )
      assert.isTrue(Exit.hasDies(exit))
    }).pipe(Effect.scoped, Effect.provideService(Settings, settings))
  )
})
