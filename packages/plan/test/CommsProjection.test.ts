import { assert, it } from "@effect/vitest"
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

/** What comms says of a run in its end: `known` was there when its conductor began. */
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
  "the row of a Conductor that somebody watches is left alone: no beat, no state; those of tasks are told",
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

it.effect("a task that the plan has lost is nobody's any more", () =>
  Effect.gen(function* () {
    const without = { ...PlanRevised, tasks: [{ id: "task-002", title: "Use it", dependsOn: [] }] }
    const rows = yield* rowsOf([RunOpened, RunTaken, TaskStarted, TaskEscalated, without], [RunTaken])
    assert.deepStrictEqual(rows, { "task-001": "exited", "task-00": "working" })
  }).pipe(Effect.scoped)
)

it.effect("comms sees what became of a run, also of one that was done before anybody could begin to tell it", () =>
  Effect.gen(function* () {
    const rows = yield* rowsOf([RunOpened, TaskStarted, TaskCompleted], [RunTaken, RunVerified, RunFinished])
    assert.deepStrictEqual(rows, { "task-001": "complete", "task-00": "complete" })
  }).pipe(Effect.scoped)
)

it.effect("whose heart stops ends with it, and is no silent half", () =>
  Effect.gen(function* () {
    const log = Context.get(yield* Layer.build(RunLog.layerMemory), RunLog)
    yield* log.append("run/r", 0, [RunOpened, RunTaken])
    const beats = Beats.of({ beat: () => Effect.die("x"), last: () => Effect.succeedNone })
    const exit = yield* Effect.exit(projectRun("r", 0, Option.none())).pipe(
      Effect.provideService(RunLog, log),
      Effect.provideService(Beats, beats)
    )
    assert.isTrue(Exit.hasDies(exit))
  }).pipe(Effect.scoped, Effect.provideService(Settings, settings))
)
