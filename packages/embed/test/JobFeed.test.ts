import { assert, describe, it } from "@effect/vitest"
import { Event, EventLog } from "@souffleur/domain"
import { RunLog } from "@souffleur/plan"
import { FakeWorld } from "@souffleur/testing"
import { Effect, Fiber, Layer, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { followJobs, type JobNews } from "../src/jobs/JobFeed.ts"

const opened = { ...examples.WatchOpened, project: "/opera" }
const released = Event.WatchReleased.make({ at: opened.at + 1, exportPath: null })

describe("command-line#top", () => {
  it.effect("jobs are read where the log has moved, and only looked at in between", () =>
    Effect.gen(function* () {
      const world = new FakeWorld()
      const log = yield* EventLog
      yield* log.append("a", 0, [opened])
      let reads = 0
      const counted = Layer.succeed(EventLog, {
        ...log,
        read: (...of) => Effect.suspend(() => ((reads += 1), log.read(...of))),
        streams: Effect.suspend(() => ((reads += 1), log.streams)),
        snapshots: { ...log.snapshots, folded: (of) => Effect.suspend(() => ((reads += 1), log.snapshots.folded(of))) }
      })
      const heard = yield* Queue.make<JobNews>()
      const following = yield* followJobs(10).pipe(
        Stream.runForEach((news) => Queue.offer(heard, news)),
        Effect.provide([counted, world.processes.layer]),
        Effect.forkChild
      )
      const next = (from: string) =>
        Effect.andThen(
          TestClock.adjust(from as "5 seconds"),
          Effect.map(Queue.takeAll(heard), (all) => all.at(-1)!)
        )
      const first = yield* next("1 second")
      assert.deepStrictEqual(
        first.living.map(({ id, state }) => [id, state]),
        [["a", "needs you"]]
      )
      // The first append may be told once more.
      yield* next("5 seconds")
      const before = reads
      assert.isAbove(before, 0)
      for (const _ of [1, 2, 3]) assert.isFalse((yield* next("5 seconds")).moved)
      assert.strictEqual(reads, before)
      yield* log.append("a", 1, [released])
      const last = yield* next("1 second")
      assert.isTrue(last.moved)
      assert.deepStrictEqual([last.living, last.endedCount, last.ended[0]?.id], [[], 1, "a"])
      yield* Fiber.interrupt(following)
    }).pipe(Effect.provide(Layer.merge(EventLog.layerMemory, RunLog.layerMemory)))
  )
})
