import { assert, describe, it } from "@effect/vitest"
import { EventLog, watches, watchFold } from "@souffleur/domain"
import { catchUp, type NamedState } from "@souffleur/eventlog"
import { Effect, type Layer } from "effect"
import { examples } from "../../packages/domain/test/fixtures/events/Examples.ts"
import { newLog } from "./OwnLog.ts"

const { OwnerLeft, WatchOpened, WatchReleased } = examples

/** The most snapshots that a search may hold. */
const bound = 100

const suite = <E>(name: string, layer: Layer.Layer<EventLog, E>) =>
  describe(name, () => {
    describe("command-line#page", () => {
      it.live("a search looks through all that has ended, and holds a page of snapshots at a time", () =>
        Effect.gen(function* () {
          const log = yield* EventLog
          const all = Array.from({ length: 350 }, (_, n) => `w-${String(n).padStart(3, "0")}`)
          for (const [n, id] of all.entries())
            yield* log.append(id, 0, [{ ...WatchOpened, project: n % 10 === 0 ? "/opera" : "/ballet" }, WatchReleased])
          yield* catchUp({ ...watchFold, keepEvery: 1 }).present(log)
          const rows: Array<number> = []
          const counted = EventLog.of({
            ...log,
            snapshots: {
              ...log.snapshots,
              ended: (...of) =>
                Effect.tap(log.snapshots.ended(...of), (page) => Effect.sync(() => rows.push(page.length)))
            }
          })
          const ended = Effect.fnUntraced(function* (...of: Parameters<typeof watches.ended>) {
            rows.length = 0
            const { count, last } = yield* Effect.provideService(watches.ended(...of), EventLog, counted)
            assert.isAtMost(Math.max(0, ...rows), bound)
            return [count, ...last.map(({ id }) => id)]
          })
          const ofOpera = ({ state }: NamedState<{ readonly project: string }>) => state.project === "/opera"
          assert.deepStrictEqual(yield* ended(3, ofOpera), [35, "w-340", "w-330", "w-320"])
          assert.lengthOf(rows, 4)
          assert.deepStrictEqual(yield* ended(1, ({ id }) => id === "w-000"), [1, "w-000"])
          assert.deepStrictEqual(yield* ended(1, () => false), [0])
          // A list without a search reads what it shows.
          assert.deepStrictEqual(yield* ended(2), [350, "w-349", "w-348"])
          assert.lengthOf(rows, 1)
          assert.deepStrictEqual(yield* ended(0), [350])
          assert.deepStrictEqual(yield* ended(350), [350, ...all.toReversed()])
          // A watch that moved since is the newest, and is told once.
          yield* log.append("w-100", 2, [OwnerLeft])
          assert.deepStrictEqual(yield* ended(2, ofOpera), [35, "w-100", "w-340"])
        }).pipe(Effect.provide(layer))
      )
    })
  })

suite("in memory", EventLog.layerMemory)
suite("on disk", newLog)
