import * as NodeServices from "@effect/platform-node/NodeServices"
import { Agent, handoffLine, Launcher, type Reported } from "@souffleur/domain"
import { FakeWorld } from "@souffleur/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { reportedSession } from "../src/index.ts"

const conductor = { pid: 4711, startTime: 99, bootId: "boot" }
const firstLaunch = {
  _tag: "LaunchPrepared",
  at: 7,
  cycle: 0,
  launchId: "w-g1-launch-2",
  digest: "digest of w-g1-launch-2",
  sessionId: "",
  requested: "acceptEdits",
  effective: "acceptEdits",
  heldTo: null,
  turnBefore: null,
  pty: false
} as const
const launched = { conductor, firstLaunch, launchId: "w-2-launch-1", preparedAt: 99, project: "/p" }
const { agent, launcher } = new FakeWorld()
const ports = Layer.merge(
  Layer.effect(
    Agent,
    Effect.suspend(() => agent.service)
  ),
  Layer.effect(Launcher, launcher.service)
)
const sessionOf = (launch: typeof launched) =>
  Effect.map(Effect.provide(reportedSession(launch), ports), Option.getOrUndefined)

describe("behaviour#signs", () => {
  it.layer(NodeServices.layer)((it) => {
    it.effect("a reported session counts only where it can be a session id", () =>
      Effect.gen(function* () {
        for (const [said, id] of [
          ["0199a213-81c0-7800-8aa1-bbab2a035a53", "0199a213-81c0-7800-8aa1-bbab2a035a53"],
          ["../../etc/passwd", undefined],
          ["--last", undefined],
          ["x".repeat(129), undefined]
        ] as const) {
          agent.reports = () => said
          assert.strictEqual(yield* sessionOf(launched), id, said)
        }
      })
    )
    it.effect(
      "a launch is told by its folder, its time and its prompt: a successor's names it, the first is a user's",
      () =>
        Effect.gen(function* () {
          const told: Array<Reported> = []
          agent.reports = (_, launch) => void told.push(launch)
          const command = { program: "/bin/agent", args: ["exec", "say hi\n"], environment: {} }
          launcher.prepared.set(firstLaunch.launchId, { id: firstLaunch.launchId, command, cwd: "/p", title: "" })
          yield* sessionOf(launched)
          yield* sessionOf({ ...launched, launchId: firstLaunch.launchId, preparedAt: 0 })
          assert.deepStrictEqual(
            told.map(({ folder, since }) => [folder, since]),
            [
              ["/p", 99],
              ["/p", 7]
            ]
          )
          const [successor, first] = told.map(({ asked }) => asked)
          const prompts = [
            `Go on.\n\n${handoffLine(launched.launchId)}`,
            handoffLine(firstLaunch.launchId),
            "say hi",
            "say"
          ]
          assert.deepStrictEqual(prompts.map(successor!), [true, false, false, false])
          assert.deepStrictEqual(prompts.map(first!), [false, false, true, false])
        })
    )
  })
})
