import { assert, describe, it } from "@effect/vitest"
import { type AgentSession, initial, Launcher, type ProcessInfo, type Watch } from "@souffleur/domain"
import { FakeWorld } from "@souffleur/testing"
import { Effect, Option } from "effect"
import { firstWords, goesOn, refuseOther } from "../src/watching/KnownWatch.ts"
import { host, pidFile, process } from "./Host.ts"

/** Generation 2 runs as process 20 in s2; generation 1 was process 10 in s1. */
const watch = {
  ...initial,
  generation: 2,
  pid: 20,
  conductor: process(20).identity,
  sessionId: "s2",
  sessions: ["s1", "s2"]
}

/** Returns the result of `watch --pid PID --session-id s1` where these processes live and say this. */
const said = (
  pid: number,
  running: ReadonlyArray<ProcessInfo>,
  files: ReadonlyArray<AgentSession>,
  hooked: Option.Option<string>
) =>
  goesOn({ id: "w", watch }, { pid, sessionId: "s1" }).pipe(
    Effect.provide(host({ running, files, hooks: { holds: () => Effect.succeed(hooked) } })),
    Effect.result
  )

describe("behaviour#ends", () => {
  describe("the words of a watch that has moved on to a successor", () => {
    const none = Option.none<string>()
    const mean: ReadonlyArray<readonly [what: string, ...Parameters<typeof said>]> = [
      ["its first process, which is gone", 10, [], [], none],
      [
        "its first process, which is a zombie",
        10,
        [process(10, { condition: "zombie" })],
        [pidFile(10, "other")],
        none
      ],
      ["a pid that somebody else has by now, of whom no session is known", 10, [process(10)], [], none],
      ["a live process that holds a session of its own", 10, [process(10)], [pidFile(10, "s1")], none],
      ["its Conductor", 20, [process(20)], [pidFile(20, "s2")], none],
      ["its Conductor, which has just begun another session", 20, [process(20)], [pidFile(20, "s3")], none]
    ]
    it.effect.each(mean)("the words mean that watch: %s", ([, ...of]) =>
      Effect.map(said(...of), (found) => assert.strictEqual(found._tag, "Success"))
    )

    const another: ReadonlyArray<readonly [what: string, ...Parameters<typeof said>]> = [
      ["by its pid file", 10, [process(10)], [pidFile(10, "other")], none],
      ["by its hooks, which know better", 10, [process(10)], [pidFile(10, "s1")], Option.some("other")],
      [
        "under the pid that its Conductor had",
        20,
        [process(20, { identity: { ...process(20).identity, startTime: 8 } })],
        [pidFile(20, "other")],
        none
      ]
    ]
    it.effect.each(another)(
      "the words mean another Conductor where that pid is a live process of another session: %s",
      ([, ...of]) =>
        Effect.map(said(...of), (found) => {
          assert.strictEqual(found._tag, "Failure")
          if (found._tag === "Failure")
            assert.match(String(found.failure.message), /^process \d0 holds session other, and watch w /u)
        })
    )
  })
})

describe("behaviour#first-launch", () => {
  describe("a command in the folder of an unfinished watch", () => {
    const words = ["agent", "-m", "fast", "do it"]
    const command = { program: "/bin/agent", args: ["s1", "--", "do it"], environment: {} }

    /** Asks for a command where the watch began with these words; `undefined`: they were not kept. */
    const asked = (typed: ReadonlyArray<string>, kept: ReadonlyArray<string> | undefined, began = true) =>
      Effect.gen(function* () {
        const { launcher } = new FakeWorld()
        const service = yield* launcher.service
        const order = { id: "l1", command, cwd: "/p", title: "", ...(kept === undefined ? {} : { words: kept }) }
        const digest = yield* service.prepare(order)
        const firstLaunch = began ? ({ launchId: "l1", digest } as Watch["firstLaunch"]) : undefined
        const at = { id: "w", watch: { ...watch, firstLaunch } }
        return yield* Effect.provideService(refuseOther(at, typed, firstWords), Launcher, service)
      })

    it.effect("the same words mean that watch", () => asked(words, words))
    it.effect("words that were not kept cannot be told apart, and the watch goes on", () => asked(words, undefined))
    it.effect("another command is refused, and a watch that began without one has none", () =>
      Effect.gen(function* () {
        for (const [typed, began] of [
          [["agent", "-m", "fast", "do it", "again"], true],
          [["agent", "-m", "slow", "do it"], true],
          [["agent", "-m fast", "do it"], true],
          [words, false]
        ] as const) {
          const refused = yield* Effect.flip(asked(typed, words, began))
          assert.deepInclude(refused, { _tag: "OpenedOtherwise", watch: "w" })
        }
      })
    )
  })
})
