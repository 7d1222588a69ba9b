import { assert, describe, it } from "@effect/vitest"
import { lastPrinted, lastWords } from "@souffleur/process"
import { FakeWorld } from "@souffleur/testing"
import { Effect, FileSystem, Option } from "effect"

/** Writes the output of the launch `l1`. */
const printing = (output: string) =>
  FileSystem.FileSystem.use((fs) => fs.writeFileString("/state/launches/l1.out", output))
const given = <A, E, R>(test: (world: FakeWorld) => Effect.Effect<A, E, R>) => {
  const world = new FakeWorld()
  return Effect.provide(test(world), world.layer)
}
const command = { kind: "command", launchId: "l1", sessionId: "" } as const
const agent = { kind: "agent", launchId: "l1", sessionId: "s1" } as const

describe("behaviour#last-words", () => {
  it.effect("the last words are the last five lines of an output that say something, each cut at 200", () =>
    given(() =>
      Effect.gen(function* () {
        const lines = [...[1, 2, 3, 4, 5, 6].map((n) => `line ${n}`), "x".repeat(300)]
        yield* printing(`${lines.join("\n\n")}\n \n\t\n`)
        assert.deepStrictEqual(yield* lastWords(command), [
          "line 3",
          "line 4",
          "line 5",
          "line 6",
          `${"x".repeat(200)}…`
        ])
      })
    )
  )

  it.effect("the last words of an output control no terminal", () =>
    given(() =>
      Effect.gen(function* () {
        yield* printing("\u001B[31mred\u001B[0m\u001B]0;title\u0007\ta\u202E\r\n\0\0")
        assert.deepStrictEqual(yield* lastWords(command), ["red a\\u202e"])
      })
    )
  )

  it.effect("a long output is read at its end alone, without the line that began before", () =>
    given(() =>
      Effect.gen(function* () {
        yield* printing(`${"a".repeat(100_000)}\nthe end\n`)
        assert.deepStrictEqual(yield* lastWords(command), ["the end"])
      })
    )
  )

  it.effect("an agent that printed nothing is quoted by the last answer of its session", () =>
    given((world) =>
      Effect.gen(function* () {
        world.agent.answers.set("s1", "I looked at it.\n\nAll tests pass.\u001B[2J")
        assert.deepStrictEqual(yield* lastWords(agent), ["I looked at it.", "All tests pass."])
        assert.deepStrictEqual(yield* lastWords({ ...agent, launchId: undefined }), [
          "I looked at it.",
          "All tests pass."
        ])
        yield* printing("Printed.\n")
        assert.deepStrictEqual(yield* lastWords(agent), ["Printed."])
      })
    )
  )

  it.effect("an agent's warnings are none of its last words, and a command's are", () =>
    given((world) =>
      Effect.gen(function* () {
        world.agent.answers.set("s1", "All tests pass.")
        const warned = "\u001B[33mWarning: No project session found with id 's1'\u001B[39m\n"
        yield* printing(warned)
        assert.deepStrictEqual(yield* lastWords(agent), ["All tests pass."])
        assert.deepStrictEqual(yield* lastWords(command), ["Warning: No project session found with id 's1'"])
        yield* printing(`${warned}Done, with a warning: none.\n`)
        assert.deepStrictEqual(yield* lastWords(agent), ["Done, with a warning: none."])
      })
    )
  )

  it.effect("an earlier agent is not quoted by a session that went on without it", () =>
    given((world) =>
      Effect.gen(function* () {
        world.agent.answers.set("s1", "All of it is done.")
        assert.deepStrictEqual(yield* lastWords(agent, { ...agent, launchId: "l2" }), [])
        const elsewhere = { ...agent, launchId: "l2", sessionId: "s2" }
        assert.deepStrictEqual(yield* lastWords(agent, elsewhere), ["All of it is done."])
      })
    )
  )
  it.effect("a line in the agent's format for programs is read as the agent's kind reads it", () =>
    given(() =>
      Effect.gen(function* () {
        yield* printing('{"a":1}\n{"b":2}\ntext\n')
        const read = (line: string) =>
          line.startsWith("{") ? Option.some(line.includes("a") ? "A" : "") : Option.none()
        assert.deepStrictEqual(yield* lastPrinted("l1", read), ["A", "text"])
      })
    )
  )

  it.effect("an output that is not there, or not souffleur's own, has no last words", () =>
    given(() => Effect.map(lastWords(command), (words) => assert.deepStrictEqual(words, [])))
  )
})
