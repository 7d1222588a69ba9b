import { Processes } from "@souffleur/domain"
import { FakeProcesses } from "@souffleur/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { carriedSessions } from "../../src/kit/agent/CarriedSessions.ts"

const carried = { variable: "SCRIBE_SESSION", runs: ([program]: ReadonlyArray<string>) => program === "scribe" }
const known = {
  projectOf: () => Effect.succeed("/p"),
  isIdle: (sessionId: string) => Effect.succeed(sessionId === "s1"),
  isSubagent: () => Effect.succeed(false)
}
const of = (sessionId: string) => ({ environment: { SCRIBE_SESSION: sessionId } })
const scribe = { words: ["scribe"] }
const found = (processes: FakeProcesses) =>
  carriedSessions(carried, known).pipe(
    Effect.map((all) => all.map(({ pid, project, sessionId }) => `${pid} ${sessionId} ${project}`)),
    Effect.provide(Layer.succeed(Processes, processes.service))
  )

describe("behaviour#signs", () => {
  it.effect("the agent above a tool that carries its session holds it, under the pid of its launcher", () =>
    Effect.gen(function* () {
      const machine = new FakeProcesses().run(
        { pid: 10, words: ["sh"] },
        { pid: 20, parent: 10, ...scribe },
        { pid: 21, parent: 20, ...scribe },
        { pid: 22, parent: 21, words: ["sh"], ...of("s1") },
        { pid: 23, parent: 22, words: ["sleep"], ...of("s1") }
      )
      assert.deepStrictEqual(yield* found(machine), ["20 s1 /p"])
    })
  )

  it.effect(
    "a launch that carries its session is found before it has a tool, and a second agent in its tool is another",
    () =>
      Effect.gen(function* () {
        const machine = new FakeProcesses().run(
          { pid: 20, ...scribe, ...of("s1") },
          { pid: 21, parent: 20, words: ["sh"], ...of("s1") },
          { pid: 30, parent: 21, ...scribe, ...of("s2") }
        )
        assert.deepStrictEqual(yield* found(machine), ["20 s1 /p", "30 s2 /p"])
      })
  )

  it.effect(
    "an agent that took the place of its shell in a tool of another is no launcher's, and neither is the other",
    () =>
      Effect.gen(function* () {
        const machine = new FakeProcesses().run(
          { pid: 20, ...scribe },
          { pid: 30, parent: 20, ...scribe, ...of("s1") },
          { pid: 31, parent: 30, words: ["sh"], ...of("s2") }
        )
        assert.include(yield* found(machine), "30 s2 /p")
        assert.notInclude(yield* found(machine), "20 s2 /p")
      })
  )
  it.effect("a tool that outlived its agent, a zombie and an impossible id hold nothing", () =>
    Effect.gen(function* () {
      const machine = new FakeProcesses().run(
        { pid: 20, words: ["sleep"], ...of("s1") },
        { pid: 30, ...scribe, ...of("s2"), condition: "zombie" },
        { pid: 40, ...scribe, ...of("../s3") }
      )
      assert.deepStrictEqual(yield* found(machine), [])
    })
  )

  it.effect("an agent at its prompt is idle, in print mode too, and an agent that works is busy", () =>
    Effect.gen(function* () {
      const machine = new FakeProcesses().run(
        { pid: 20, ...scribe, ...of("s1") },
        { pid: 30, ...scribe, ...of("s2") },
        { pid: 40, words: ["scribe", "--print"], ...of("s1") }
      )
      const said = yield* Effect.provide(carriedSessions(carried, known), Layer.succeed(Processes, machine.service))
      assert.deepStrictEqual(
        said.map(({ pid, status }) => `${pid} ${status}`),
        ["20 idle", "30 busy", "40 idle"]
      )
    })
  )
})
