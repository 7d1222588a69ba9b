import * as NodeServices from "@effect/platform-node/NodeServices"
import { Agent, Launcher } from "@souffleur/domain"
import { FakeWorld } from "@souffleur/testing"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { reportedSession } from "../src/index.ts"

const conductor = { pid: 4711, startTime: 99, bootId: "boot" }

it.effect("a reported session counts only where it can be a session id", () =>
  Effect.gen(function* () {
    const launcher = Layer.mock(Launcher, { terminal: "headless", outputPath: (id: string) => `/state/${id}.out` })
    for (const [said, id] of [
      ["0199a213-81c0-7800-8aa1-bbab2a035a53", "0199a213-81c0-7800-8aa1-bbab2a035a53"],
      ["../../etc/passwd", undefined],
      ["--last", undefined],
      ["x".repeat(129), undefined]
    ] as const) {
      const { agent } = new FakeWorld()
      agent.reports = () => said
      const layer = Layer.merge(Layer.effect(Agent, agent.service), launcher)
      const found = yield* Effect.provide(reportedSession({ conductor, launchId: "l1" }), layer)
      assert.strictEqual(Option.getOrUndefined(found), id, said)
    }
  }).pipe(Effect.provide(NodeServices.layer))
)
