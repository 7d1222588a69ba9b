import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { client } from "./Client.ts"
import { prints, stage, task, until } from "./CliStage.ts"
import { liveCase } from "./Live.ts"

const names = [
  "done",
  "heartbeat",
  "my_state",
  "post_message",
  "read_messages",
  "register_tasks",
  "request_context_recovery",
  "set_state",
  "status"
]

describe("behaviour#words-of-the-agent", () => {
  describe.concurrent("souffleur mcp, as a process", () => {
    it.live("the server survives the agent's probe, lists its tools, and ends with its input", () =>
      Effect.gen(function* () {
        const { environment, project, session } = yield* stage([])
        const server = yield* client(project, environment, session)
        const { discovered, initialized } = yield* server.begin
        assert.include(discovered.result?.["supportedVersions"], "2025-11-25")
        assert.strictEqual(initialized.result?.["protocolVersion"], "2025-11-25")
        const listed = (yield* server.ask("tools/list", {})).result?.["tools"] as ReadonlyArray<
          Readonly<Record<string, unknown>>
        >
        assert.deepStrictEqual(listed.map(({ name }) => name).toSorted(), names)
        for (const { description, inputSchema, name } of listed) {
          assert.isAbove(String(description).length, 40, String(name))
          assert.propertyVal(inputSchema, "type", "object")
        }
        assert.strictEqual(yield* server.end, 0)
        assert.strictEqual(server.errors(), "")
      }).pipe(Effect.scoped)
    )
    liveCase(
      "a line that is no message gets an error, a line without end is dropped, and the next call is answered",
      () =>
        Effect.gen(function* () {
          const { environment, project, session } = yield* stage([])
          const server = yield* client(project, environment, session)
          yield* server.begin
          yield* server.send(
            '{"jsonrpc": "2.0", "id": 70, "method"\n5\n"tools/list"\n[]\n{}\n{"id": {}, "method": 7}\n\u0000\u0001\n\n'
          )
          assert.deepInclude((yield* server.answer(null)).error, { code: -32_700 })
          const megabyte = "x".repeat(1_000_000)
          for (let n = 0; n < 4; n += 1) yield* server.send(megabyte)
          yield* server.send(
            `\n{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"nobody","arguments":{}}}\n`
          )
          assert.isDefined((yield* server.answer(71)).error)
          assert.isTrue((yield* server.call("register_tasks", { tasks: [{ task_id: 7 }] })).failed)
          assert.isFalse((yield* server.call("my_state")).failed)
          // The agent stops its servers so.
          assert.include([130, null], yield* server.kill("SIGINT"))
        }).pipe(Effect.scoped)
    )
    it.live("the tools serve an agent before its watch has begun, and its watch afterwards", () =>
      Effect.gen(function* () {
        const set = yield* stage([task(1), task(2)])
        const { environment, messages, project, row, session } = set
        const server = yield* client(project, environment, session)
        yield* server.begin
        const before = yield* server.call("my_state")
        assert.deepInclude(before.told, { watch: null, you_are: "unwatched" })
        assert.include(String(before.told["note"]), `souffleur watch --pid <pid of the agent> --session-id ${session}`)
        assert.deepStrictEqual((yield* server.call("status")).told, { watches: [] })
        // comms is used all the same.
        assert.deepInclude((yield* server.call("heartbeat")).told, { watch: null, comms: true })
        assert.deepStrictEqual(
          (yield* server.call("register_tasks", { tasks: [{ task_id: "task-01" }, { task_id: "task-09" }] })).told,
          {
            registered: ["task-09"],
            already_there: ["task-01"]
          }
        )
        for (const task_id of ["souffleur", "task-00"]) {
          const refused = yield* server.call("register_tasks", { tasks: [{ task_id: "task-10" }, { task_id }] })
          assert.isTrue(refused.failed)
          assert.include(refused.text, `${task_id} is not a task of a plan`)
        }
        assert.deepStrictEqual(row("task-10"), {})
        const { told } = yield* server.call("post_message", {
          task_id: "souffleur",
          message_type: "system",
          message: "Is anybody there?"
        })
        const read = yield* server.call("read_messages", { since: Number(told["id"]) - 1 })
        assert.deepInclude((read.told["messages"] as ReadonlyArray<object>)[0], {
          message: "Is anybody there?",
          from_session: session
        })
        assert.deepInclude(read.told, { next_since: told["id"], more: false })

        const conductor = yield* set.conductor()
        const watch = set.watch(conductor)
        const { watch: id } = yield* prints(watch, "WatchSettled")
        const after = yield* server.call("my_state")
        assert.deepInclude(after.told, {
          watch: id,
          you_are: "conductor",
          phase: "Watching",
          generation: 1,
          session_id: session,
          retries: 0
        })
        assert.deepInclude((yield* server.call("heartbeat")).told, { watch: id, comms: true })
        assert.match(String((yield* server.call("my_state")).told["deadline"]), /^\d{4}-.*Z$/u)
        const [one] = (yield* server.call("status")).told["watches"] as ReadonlyArray<object>
        assert.deepInclude(one, { watch: id, project, pid: conductor.pid, alive: true })

        // Another session of the folder may look, and not speak for the Conductor.
        const stranger = yield* client(project, environment, crypto.randomUUID())
        yield* stranger.begin
        assert.deepInclude((yield* stranger.call("my_state")).told, { watch: id, you_are: "another session" })
        for (const [name, args] of [
          ["heartbeat", {}],
          ["set_state", { state: "complete" }],
          ["request_context_recovery", {}],
          ["done", {}]
        ] as const) {
          const refused = yield* stranger.call(name, args)
          assert.isTrue(refused.failed, name)
          assert.include(refused.text, "not the Conductor")
        }
        assert.propertyVal(row("task-00"), "state", "working")

        yield* server.call("set_state", { state: "reviewing" })
        assert.propertyVal(row("task-00"), "state", "reviewing")
        yield* server.call("done")
        assert.strictEqual((yield* watch.ended).code, 0)
        assert.propertyVal(row("souffleur"), "state", "complete")
        assert.include((yield* server.call("my_state")).text, "has ended (completed)")
        assert.isAbove(messages().length, 1)
      }).pipe(Effect.scoped)
    )
    liveCase("many clients at once lose nothing: one registers a task, and each one's message arrives", () =>
      Effect.gen(function* () {
        const { commsDb, environment, project } = yield* stage([])
        const tasks = Array.from({ length: 50 }, (_, n) => ({ task_id: `task-${n + 10}` }))
        const act = Effect.fnUntraced(function* (n: number) {
          const server = yield* client(project, environment, `session-${n}`)
          yield* server.begin
          // Asked before the first has answered.
          const [registered, ...posted] = yield* Effect.all(
            [
              server.call("register_tasks", { tasks }),
              ...[1, 2, 3].map((m) =>
                server.call("post_message", { task_id: "task-10", message_type: "system", message: `${n}.${m}` })
              ),
              server.call("heartbeat")
            ],
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(
            posted.map(({ failed, text }) => (failed ? text : "")),
            ["", "", "", ""]
          )
          return registered?.told["registered"] as ReadonlyArray<string>
        })
        const made = yield* Effect.forEach([1, 2, 3, 4], act, { concurrency: "unbounded" })
        assert.sameMembers(
          made.flat(),
          tasks.map(({ task_id }) => task_id)
        )
        const posts = commsDb((db) =>
          db.prepare("SELECT count(*) AS n FROM orchestration_messages WHERE task_id = 'task-10'").get()
        )
        assert.strictEqual(posts?.["n"], 12)
      }).pipe(Effect.scoped)
    )
    liveCase("an agent's request without comms is a hand-off with its words, and done ends the watch", () =>
      Effect.gen(function* () {
        const set = yield* stage([task(1, 60_000)])
        const { environment, project, session, state } = set
        fs.rmSync(set.comms)
        const conductor = yield* set.conductor()
        const watch = set.watch(conductor)
        const { watch: id } = yield* prints(watch, "WatchSettled")
        const server = yield* client(project, environment, session)
        yield* server.begin
        assert.deepInclude((yield* server.call("heartbeat")).told, { watch: id, comms: false })
        const alone = yield* server.call("post_message", { task_id: "task-01", message_type: "system", message: "x" })
        assert.isTrue(alone.failed)
        assert.include(alone.text, "has no comms (solo)")

        const asked = yield* server.call("request_context_recovery", { resume_prompt: "Take up the thread SECRET-7." })
        assert.isFalse(asked.failed, asked.text)
        const requested = yield* prints(watch, "HandoffRequested")
        assert.strictEqual(requested["sessionId"], session)
        const relaunched = yield* prints(watch, "ConductorRelaunched")
        const conversation = Effect.sync(() => set.conversation(String(relaunched["sessionId"])))
        yield* until(conversation, (text) => text.includes("Take up the thread SECRET-7."))
        const log = JSON.stringify(yield* set.events)
        assert.notInclude(log, "SECRET-7")
        assert.isFalse(fs.existsSync(`${state}/requests/${String(requested["request"])}.txt`))
        // It was succeeded: what it says now counts for nothing.
        assert.include((yield* server.call("done")).text, "not the Conductor")

        const successor = yield* client(project, environment, String(relaunched["sessionId"]))
        yield* successor.begin
        const known = (yield* successor.call("my_state")).told
        assert.deepInclude(known, { you_are: "conductor", generation: 2 })
        assert.deepInclude(known["last_recovery"], { reason: "The agent asks for a context recovery." })
        assert.isFalse((yield* successor.call("done")).failed)
        assert.strictEqual((yield* watch.ended).code, 0)
      }).pipe(Effect.scoped)
    )
  })
})
