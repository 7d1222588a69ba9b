import { assert, describe, it } from "@effect/vitest"
import type { TurnState } from "@souffleur/domain"
import { begun, until } from "@souffleur/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { conductor, history, watching, type World } from "./WatcherWorld.ts"

const at = (second: number) => begun + second * 1000
const finished: NonNullable<World["signs"]> = {
  writtenAt: at(100),
  turn: { _tag: "Finished", at: at(100) } satisfies TurnState,
  context: undefined
}
const print = [history.prepared, { ...history.confirmed(), print: true }, history.started()]
/** Its turn is over since second 100, and it does nothing. */
const rests = { solo: true, signs: finished, processor: () => 5, children: 0 } as const

/** The second at which the watcher tells that it does not exit; `undefined`: it does not. */
const toldAt = Effect.fnUntraced(function* (
  world: Partial<World>,
  events: NonNullable<Parameters<typeof watching>[0]>["history"] = print,
  act: (world: World) => void = () => {}
) {
  yield* TestClock.setTime(begun)
  const { told, world: made } = yield* watching({ history: events, world })
  act(made)
  yield* until(2400)
  const found = (yield* told).find(({ _tag }) => _tag === "EndingStarted")
  return found === undefined ? undefined : (found.at - begun) / 1000
})

describe("behaviour#an-agent-that-does-not-exit", () => {
  it.effect("one in print mode that rests for a stall after its turn is told", () =>
    Effect.gen(function* () {
      const told = yield* toldAt(rests)
      assert.isTrue(told !== undefined && told > 461 && told < 721, String(told))
    })
  )

  it.effect("one that works, that a person began or may type to, or whose turn goes on is let alone", () =>
    Effect.gen(function* () {
      let ticks = 0
      const tool: TurnState = { _tag: "Tool", at: at(100), name: "Bash", limit: 7_200_000, spawns: true }
      const typed = [history.prepared, history.confirmed(), history.started()]
      for (const [world, events] of [
        [{ ...rests, processor: () => (ticks += 100) }],
        [{ ...rests, signs: { ...finished, turn: tool }, children: 1 }],
        [{ ...rests, solo: false }],
        [rests, typed],
        [rests, print.slice(1)]
      ] as const)
        assert.isUndefined(yield* toldAt(world, events))
    })
  )

  it.effect(
    "one whose tool lives is let alone, and a stall after the tool has ended it is told; a zombie is no tool",
    () =>
      Effect.gen(function* () {
        assert.isUndefined(yield* toldAt({ ...rests, children: 1 }))
        const zombie = yield* toldAt({ ...rests, children: 1 }, print, ({ processes }) =>
          processes.become(5000, "zombie")
        )
        assert.isBelow(zombie ?? Infinity, 721)
        const ends = yield* toldAt({ ...rests, children: 1 }, print, ({ processes }) => {
          processes.run({ ...processes.table.get(5000)!, parent: conductor.pid, endsAt: at(1000) })
        })
        assert.isTrue(ends !== undefined && ends > 1300 && ends <= 1441, String(ends))
      })
  )
})
