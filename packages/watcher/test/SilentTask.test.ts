import { assert, describe, it } from "@effect/vitest"
import { formatTime } from "@souffleur/domain"
import { begun, until } from "@souffleur/testing"
import { Duration, Effect } from "effect"
import { history, watching } from "./WatcherWorld.ts"

/** The row of a task whose heartbeat is of this second of the watch. */
const row = (id: string, state: string, second: number | null) => ({
  id,
  state,
  sessionId: null,
  lastHeartbeat: second === null ? null : formatTime(begun + second * 1000)
})
const tasksTold = <E extends { readonly _tag: string }>(events: ReadonlyArray<E>) =>
  events.map((event) => ("task" in event ? `${event.task} ${"state" in event ? event.state : ""}` : event._tag))

describe("behaviour#silent-tasks", () => {
  it.effect(
    "a task that is worked on is told once when its heartbeat is older than 540 s, and after a further one",
    () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching()
        world.comms.tasks = [
          row("task-01", "working", 0),
          row("task-02", "complete", 0),
          row("task-03", "watching", 0),
          row("task-04", "working", null),
          row("task-05", "needs_review", 70)
        ]
        yield* until(540)
        assert.deepStrictEqual(yield* told, [])
        yield* until(2000)
        const before = yield* told
        assert.deepStrictEqual(tasksTold(before), ["task-01 working", "task-05 needs_review"])
        assert.deepInclude(before[0], { heartbeat: formatTime(begun), age: 600_000 })
        world.comms.tasks = [row("task-01", "working", 2000)]
        yield* until(2540)
        assert.lengthOf(yield* told, 2)
        yield* until(2641)
        assert.deepStrictEqual(tasksTold(yield* told).slice(2), ["task-01 working"])
        assert.deepStrictEqual(world.processes.signals, [], "souffleur acts on none")
      })
  )

  it.effect("a new watcher gives each task the whole time again", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({
        late: 1000,
        history: [history.confirmed(), history.started(), history.lost(1, begun + 1_000_000), history.started(2)]
      })
      world.comms.tasks = [row("task-01", "working", 0)]
      yield* until(1540)
      assert.deepStrictEqual(yield* told, [])
      yield* until(1700)
      assert.deepStrictEqual(tasksTold(yield* told), ["task-01 working"])
    })
  )

  it.effect("no task is told with a limit of 0", () =>
    Effect.gen(function* () {
      const off = yield* watching({ settings: { taskStaleAfter: Duration.zero } })
      off.world.comms.tasks = [row("task-01", "working", 0)]
      yield* until(1000)
      assert.deepStrictEqual(yield* off.told, [])
    })
  )
})
