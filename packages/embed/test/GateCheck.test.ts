import { assert, describe, it } from "@effect/vitest"
import { initial, type Watch } from "@souffleur/domain"
import { FakeWorld, layerSettings } from "@souffleur/testing"
import { Effect } from "effect"
import { gateCheck } from "../src/doctor/GateCheck.ts"

describe("settings#gate, command-line#doctor", () => {
  it.effect("doctor tells the gate of each unfinished watch here, and one that cannot close is a note", () =>
    Effect.gen(function* () {
      const world = new FakeWorld()
      world.agent.signs = (sessionId) => ({
        writtenAt: 0,
        turn: undefined,
        context: { tokens: 1, window: sessionId === "s1" ? 200_000 : undefined, model: "m", at: 0 }
      })
      const of = (id: string, change: Partial<Watch>) => ({
        id,
        watch: { ...initial, project: "/p", phase: "Watching" as const, sessionId: "s1", ...change }
      })
      const watches = [
        of("known-1", {}),
        of("unknown-2", { sessionId: "s2" }),
        of("elsewhere-3", { project: "/q" }),
        of("command-4", { kind: "command" }),
        of("ended-5", { phase: "Exited" })
      ]
      const told = (change: Parameters<typeof layerSettings>[0]) =>
        gateCheck("/p", watches).pipe(
          Effect.map((found) => found.map(({ detail, level, todo }) => [level, detail, todo !== null])),
          Effect.provide([world.layerPorts, layerSettings(change)]),
          Effect.provide(world.files.layer)
        )
      const [known, unknown, ...more] = yield* told({})
      assert.deepStrictEqual([known?.[0], known?.[2], more], ["ok", false, []])
      assert.match(String(known?.[1]), /^watch known-1: .* above 80000 tokens \(by the model's window of 200000/u)
      assert.deepStrictEqual([unknown?.[0], unknown?.[2]], ["note", true])
      assert.match(String(unknown?.[1]), /^watch unknown-2: .* window is not known\): it cannot close/u)
      const set = yield* told({ forceCompactThresholdTokens: 300_000 })
      assert.deepStrictEqual(
        set.map(([level]) => level),
        ["ok", "ok"],
        "its user chose it"
      )
    })
  )
})
