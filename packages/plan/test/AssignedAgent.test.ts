import { assert, describe, it } from "@effect/vitest"
import { FakeAgent, FakeProcesses } from "@souffleur/testing"
import { Effect, Fiber, FileSystem, Option } from "effect"
import { TestClock } from "effect/testing"
import { agentPid, agentScene, childPid, limit } from "./AgentScene.ts"

/** Reads lines such as `{"said":"hello"}`. */
const reader = () => (line: string) =>
  line.startsWith("{") ? Option.some((JSON.parse(line) as { readonly said: string }).said) : Option.none()
const output = '{"said":"APPROVED mine"}\na warning\n'

const tagsOf = (the: Effect.Success<ReturnType<typeof agentScene>>) =>
  Effect.map(the.ref.state, ({ assignments }) => assignments[0]?.sessionId)

describe("behaviour#agents-of-a-run", () => {
  describe("an agent that chooses its session", () => {
    it.effect("its session is in the log as soon as it tells it, while it works", () =>
      Effect.gen(function* () {
        let told: string | undefined
        const the = yield* agentScene(() => told)
        const following = yield* Effect.forkChild(the.follows)
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual(yield* tagsOf(the), "")
        told = "chosen"
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(yield* tagsOf(the), "chosen")
        for (const pid of [agentPid, childPid]) the.processes.end(pid)
        yield* TestClock.adjust("1 second")
        assert.deepInclude(yield* Fiber.join(following), { _tag: "Ended" })
      }).pipe(Effect.scoped)
    )
    it.effect("an agent that has ended is asked once more: its conductor may have been gone meanwhile", () =>
      Effect.gen(function* () {
        const the = yield* agentScene(() => "chosen")
        for (const pid of [agentPid, childPid]) the.processes.end(pid)
        yield* the.follows
        assert.strictEqual(yield* tagsOf(the), "chosen")
      }).pipe(Effect.scoped)
    )
    it.effect("a report that can be no session id does not count", () =>
      Effect.gen(function* () {
        const the = yield* agentScene(() => "../../etc/passwd")
        for (const pid of [agentPid, childPid]) the.processes.end(pid)
        yield* the.follows
        assert.strictEqual(yield* tagsOf(the), "")
      }).pipe(Effect.scoped)
    )
    it.effect("an overdue agent is ended with what its session shows to be its own", () =>
      Effect.gen(function* () {
        const the = yield* agentScene(() => "chosen")
        const following = yield* Effect.forkChild(the.follows)
        yield* TestClock.adjust(limit)
        yield* TestClock.adjust("2 seconds")
        assert.deepInclude(yield* Fiber.join(following), { _tag: "Failed", reason: "timeout" })
        const tags = [
          { environment: { AGENT_PID: String(agentPid), AGENT_SESSION_ID: "chosen" } },
          { environment: { SOUFFLEUR_LAUNCH_ID: "run-r-a1" } }
        ]
        assert.deepStrictEqual(the.processes.trees.at(-1)?.tags, tags)
      }).pipe(Effect.scoped)
    )
    it.effect("an agent's leftovers are known by the session that it told with its last breath", () =>
      Effect.gen(function* () {
        const the = yield* agentScene(() => "chosen")
        the.processes.end(agentPid)
        assert.strictEqual((yield* the.awaits)?.reason, "left running")
        assert.deepInclude(the.processes.trees[0]?.tags?.[0], {
          environment: { AGENT_PID: String(agentPid), AGENT_SESSION_ID: "chosen" }
        })
      }).pipe(Effect.scoped)
    )
    it.effect("an agent without a session yet is known by its launch alone", () =>
      Effect.gen(function* () {
        const the = yield* agentScene(() => undefined)
        for (const pid of [agentPid, childPid]) the.processes.end(pid)
        yield* the.follows
        assert.deepStrictEqual(the.processes.trees[0]?.tags, [{ environment: { SOUFFLEUR_LAUNCH_ID: "run-r-a1" } }])
      }).pipe(Effect.scoped)
    )
  })
})

describe("behaviour#verdicts-of-agents", () => {
  describe("an agent that chooses its session", () => {
    it.effect("an agent is heard by its own records, and by no other agent's", () =>
      Effect.gen(function* () {
        const heard = Effect.fnUntraced(function* (own: boolean) {
          const the = yield* agentScene()
          const other = new FakeAgent(new FakeProcesses())
          the.agent.others.set("other", other)
          ;(own ? the.agent : other).outputReader = reader
          const write = FileSystem.FileSystem.use((fs) => fs.writeFileString("/state/launches/run-r-a1.out", output))
          yield* Effect.provide(Effect.orDie(write), the.files.layer)
          for (const pid of [agentPid, childPid]) the.processes.end(pid)
          const ended = yield* the.follows
          return ended._tag === "Ended" ? ended.said : ended.message
        })
        assert.strictEqual(yield* heard(true), "APPROVED mine")
        assert.strictEqual(yield* heard(false), output)
      }).pipe(Effect.scoped)
    )
  })
})
