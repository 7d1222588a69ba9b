import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Option } from "effect"
import type { Saying } from "../../src/kit/said/Said.ts"
import { makeSessionPast } from "../../src/kit/said/SessionPast.ts"

const read = Effect.fnUntraced(function* (records: ReadonlyArray<object>, bytes = 1 << 20) {
  const fs = yield* FileSystem.FileSystem
  const file = `${yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-past-" })}/session.jsonl`
  yield* fs.writeFileString(file, records.map((one) => `${JSON.stringify(one)}\n`).join(""), { mode: 0o600 })
  const past = makeSessionPast(
    () =>
      ({ said }) =>
        said as ReadonlyArray<Saying>
  )
  return Option.getOrThrow(yield* past(file, bytes))
})

const call = (name: string, input: object, id = "c1") => ({
  said: [{ _tag: "Call", id, name, input, spawns: false, edits: [] }]
})
const result = (id: string, text: string) => ({ said: [{ _tag: "Result", id, text, failed: false }] })

describe("command-line#page", () => {
  const listed = {
    TodoWrite: { todos: [{ content: "build it", status: "in_progress", activeForm: "Building it" }] },
    todowrite: { todos: [{ content: "build it", status: "in_progress", priority: "high" }] },
    todo_write: { todos: [{ id: "1", content: "build it", status: "in_progress" }] },
    write_todos: { todos: [{ description: "build it", status: "in_progress" }] },
    update_plan: { explanation: "so", plan: [{ step: "build it", status: "in_progress" }] },
    update_todo: { todos: "# Mine\n- [~] build it\n" }
  }
  for (const [name, input] of Object.entries(listed))
    it.effect(`the list that an agent keeps is its last word by ${name}`, () =>
      Effect.gen(function* () {
        const { todos } = yield* read([
          call(name, { todos: [{ content: "old", status: "pending" }] }),
          call(name, input)
        ])
        assert.deepStrictEqual(todos, [{ text: "build it", state: "doing" }])
      }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
    )
  it.effect("a list that is told change by change is what the changes leave", () =>
    Effect.gen(function* () {
      const { todos } = yield* read([
        call("TaskCreate", { subject: "read it" }, "a"),
        result("a", "Task #1 created successfully: read it"),
        call("TaskCreate", { subject: "build it" }, "b"),
        result("b", "Task #2 created successfully: build it"),
        call("TaskCreate", { subject: "drop it" }, "c"),
        result("c", "Task #3 created successfully: drop it"),
        call("TaskUpdate", { taskId: "1", status: "completed" }),
        call("TaskUpdate", { taskId: "2", status: "in_progress", subject: "build it well" }),
        call("TaskUpdate", { taskId: "3", status: "deleted" }),
        call("TaskUpdate", { taskId: "9", status: "completed" })
      ])
      assert.deepStrictEqual(todos, [
        { text: "read it", state: "done" },
        { text: "build it well", state: "doing" }
      ])
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.effect("an answer of several records is one moment, with its last count, and a subagent's is none", () =>
    Effect.gen(function* () {
      const used = (second: number, tokens: number, more: object = { of: "a" }) => ({
        time: 1_772_402_400_000 + second * 1000,
        said: [{ _tag: "Used", tokens, ...more }]
      })
      const { points } = yield* read([used(1, 1), used(2, 7), used(3, 9, { of: "b", aside: true })])
      assert.deepStrictEqual(points, [{ at: 1_772_402_402_000, tokens: 7 }])
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.effect("a state and an id are texts, and any other word for a state is an open item", () =>
    Effect.gen(function* () {
      const { todos } = yield* read([
        call("TodoWrite", { todos: [{ content: "build it", status: "constructor" }] }),
        call("TaskUpdate", { taskId: { toString: 1 }, status: "completed" })
      ])
      assert.deepStrictEqual(todos, [{ text: "build it", state: "open" }])
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.effect("a change of an item whose begin was not read leaves an empty list, and not none", () =>
    Effect.gen(function* () {
      const { todos } = yield* read([call("TaskUpdate", { taskId: "2", status: "completed" })])
      assert.deepStrictEqual(todos, [])
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.effect(
    "what no record tells is missing, and not zero; a read is bounded, and whatever a tool was given is no list",
    () =>
      Effect.gen(function* () {
        const at = (second: number, ...said: ReadonlyArray<object>) => ({
          time: 1_772_402_400_000 + second * 1000,
          said
        })
        const used = { _tag: "Used", tokens: 50 }
        const context = { _tag: "Context", tokens: 900, window: 1000, model: "m" }
        const hostile = [null, 7, "x", [null, { content: 7 }], { content: "no array" }, "\n".repeat(200_000)]
        const records = [
          at(1, { ...context, tokens: 0 }),
          at(2, used),
          at(3, context, used, { ...used, dollars: 0.5 }),
          at(4, { ...context, window: "older" }),
          { said: [context] },
          ...hostile.map((todos) => call("TodoWrite", { todos }))
        ]
        const { points, todos } = yield* read(records)
        assert.deepStrictEqual(
          points.map((point) => ({ ...point, at: 0 })),
          [
            { at: 0, tokens: 50 },
            { at: 0, context: 900, window: 1000, tokens: 100, dollars: 0.5 },
            { at: 0, context: 900 }
          ]
        )
        assert.deepStrictEqual(todos, [])
        assert.deepStrictEqual((yield* read(records, 20)).points, [])
        assert.isNull((yield* read(records.slice(0, 4))).todos)
      }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})
