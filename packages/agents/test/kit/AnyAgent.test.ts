import { Agent } from "@souffleur/domain"
import { fakeKind, FakeWorld } from "@souffleur/testing"
import { HostServices } from "@souffleur/node"
import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Option, Result } from "effect"
import { type AgentOptions, type AgentPackage, launchedAgent, programOfSession } from "@souffleur/process"
import { anyAgent } from "../../src/kit/agent/AnyAgent.ts"

const untouched = (path: string) =>
  Effect.succeed({ path, changed: false, backup: null, how: "nothing to do" } as const)
const hooks = {
  events: [],
  ofProject: [],
  ofUser: [],
  command: () => "",
  install: untouched,
  uninstall: untouched,
  status: (path: string) => Effect.succeed({ path, events: [], absent: [], programs: [], missing: [], off: null })
}

/** A kind that joins no others. */
const { kindOf: _, ...single } = fakeKind

/** Makes an agent of that name with one session, and its folder as it was told. */
const named = (name: string, sessionId: string) => {
  const world = new FakeWorld()
  world.agent.files = new Set([sessionId])
  world.processes.run({ pid: 70 })
  world.agent.sessions = [{ pid: 70, sessionId }]
  world.agent.answers.set(sessionId, name)
  world.agent.spent = 5
  const told: Array<AgentOptions> = []
  const kind: AgentPackage = {
    ...single,
    program: name,
    folder: { variables: [`${name.toUpperCase()}_DIR`], inHome: `.${name}` },
    marks: new Set([`${name.toUpperCase()}_SESSION`]),
    identity: (variables) => ({
      sessionId: variables[name] ?? "",
      pid: undefined,
      project: "",
      mark: variables[name] === undefined ? undefined : name
    }),
    owns: ([program]) => program === name,
    parseCommand: (text) => Result.succeed({ program: text, args: [name] }),
    takeApart: (_, agentCommand) =>
      Result.succeed(
        Option.some({ agentCommand, session: undefined, print: true, requested: "acceptEdits" as const, prompt: name })
      ),
    hooks,
    layer: (options) => (told.push(options), Layer.provide(world.agent.layer, world.files.layer))
  }
  return { kind, told, world }
}
const [one, two] = [named("one", "s1"), named("two", "s2")]
two.world.agent.stall = Duration.seconds(9)
const both = anyAgent(one.kind, two.kind)

describe("behaviour#signs", () => {
  it("a command goes to the agent that owns its words, and to the first if none does", () => {
    const configured = { program: "one", args: ["-x"] }
    const promptOf = (program: string) =>
      Result.getOrThrow(Result.map(both.takeApart([program], configured), Option.getOrThrow))
    assert.deepInclude(promptOf("two"), { prompt: "two", agentCommand: { program: "two", args: [] } })
    assert.deepInclude(promptOf("other"), { prompt: "one", agentCommand: configured })
    assert.deepStrictEqual(Result.getOrThrow(both.parseCommand('["two"]')).args, ["two"])
    assert.strictEqual(both.identity({ two: "s2" }).sessionId, "s2")
    assert.deepStrictEqual([...both.marks], ["ONE_SESSION", "TWO_SESSION"])
    assert.isTrue(both.owns(["two"]))
  })
})

it.layer(HostServices.layer)((it) => {
  describe("behaviour#signs", () => {
    it.effect("a question of a session goes to the agent that has its file, and sessions of all are listed", () =>
      Effect.gen(function* () {
        const environment = { HOME: "/h", TWO_DIR: "/two" }
        const options = { agentDir: "/one", agentCommand: { program: "one", args: [] }, environment }
        const layer = both.layer(options).pipe(Layer.provide(one.world.layerPorts))
        const agent = Context.get(yield* Layer.build(layer), Agent)
        assert.deepStrictEqual([one.told[0]?.agentDir, two.told[0]?.agentDir], ["/one", "/two"])
        assert.deepStrictEqual(
          (yield* agent.sessions).map(({ sessionId }) => sessionId),
          ["s1", "s2"]
        )
        assert.deepStrictEqual([yield* agent.lastAnswer("s1"), yield* agent.lastAnswer("s2")], ["one", "two"])
        assert.strictEqual((yield* agent.spent(["s1", "s2"], 0)).tokens, 10)
        Object.assign(two.world.agent, { turnFinished: true, turnIn: "/out" })
        assert.isTrue(yield* agent.turnEnded({ pid: 70 }, "s2", "/out"))
        assert.isFalse(yield* agent.turnEnded({ pid: 70 }, "s2"))
        const order = { permission: "acceptEdits", prompt: "", print: true } as never as Parameters<
          typeof agent.command
        >[0]
        yield* agent.command({ ...order, session: { _tag: "Resume", sessionId: "s2" } })
        yield* agent.command({ ...order, session: { _tag: "Fresh", sessionId: "s3" } })
        assert.deepStrictEqual([one.world.agent.orders.length, two.world.agent.orders.length], [1, 1])
      })
    )
    it.effect("another agent is put first by its program, with its own time, and sessions are asked as before", () =>
      Effect.gen(function* () {
        const options = { agentDir: "/one", agentCommand: { program: "one", args: [] }, environment: { HOME: "/h" } }
        const layer = both.layer(options).pipe(Layer.provide(one.world.layerPorts))
        const agent = Context.get(yield* Layer.build(layer), Agent)
        const led = Option.getOrThrow(agent.joined!.led("two"))
        assert.deepStrictEqual([agent.stall, led.stall].map(Duration.toSeconds), [361, 9])
        assert.deepStrictEqual(agent.joined!.programs, ["one", "two"])
        assert.isTrue(Option.isNone(agent.joined!.led("three")))
        const only = Option.getOrThrow(agent.joined!.only("two"))
        assert.deepStrictEqual([only.joined, Duration.toSeconds(only.stall)], [undefined, 9])
        assert.isTrue(Option.isNone(agent.joined!.only("three")))
        const before = two.world.agent.orders.length
        const order = { permission: "acceptEdits", prompt: "", print: true } as never as Parameters<
          typeof agent.command
        >[0]
        yield* led.command({ ...order, session: { _tag: "Fresh", sessionId: "s4" } })
        assert.strictEqual(two.world.agent.orders.length, before + 1)
        assert.strictEqual(yield* led.lastAnswer("s1"), "one")
        assert.strictEqual(yield* led.joined!.programOf("s1"), "one")
        assert.strictEqual(yield* led.joined!.programOf("none"), "two")
        assert.strictEqual(Option.getOrThrow(led.joined!.led("one")).stall, agent.stall)
      })
    )
  })

  describe("command-line#screen", () => {
    it.effect(
      "a pipe is read by the agent of its launch alone: of the session, else the chosen one, else the first",
      () =>
        Effect.gen(function* () {
          for (const [name, { world }] of Object.entries({ one, two }))
            world.agent.outputReader = () => (line) => Option.liftPredicate(name, () => line.includes(name))
          const options = { agentDir: "/one", agentCommand: { program: "one", args: [] }, environment: { HOME: "/h" } }
          const layer = both.layer(options).pipe(Layer.provide(one.world.layerPorts))
          const agent = Context.get(yield* Layer.build(layer), Agent)
          const readBy = (read: ReturnType<typeof agent.outputReader>) =>
            ["one", "two", "text"].flatMap((line) => Option.toArray(read(line)))
          assert.deepStrictEqual(readBy(agent.outputReader("terminal")), ["one", "two"])
          const launched = (sessionId: string, chosen?: string) =>
            Effect.map(launchedAgent(agent, { agent: chosen, sessionId }), (its) => readBy(its.outputReader("pipe")))
          assert.deepStrictEqual(yield* launched("none"), ["one"])
          assert.deepStrictEqual(yield* launched("none", "two"), ["two"])
          assert.deepStrictEqual(yield* launched("s2"), ["two"])
          assert.deepStrictEqual(yield* launched("s1", "two"), ["one"])
        })
    )
  })

  describe("command-line#status", () => {
    it.effect("a session is of the agent that has its file, by the name of its program, else of the first", () =>
      Effect.gen(function* () {
        const options = { agentDir: "/one", agentCommand: { program: "one", args: [] }, environment: { HOME: "/h" } }
        const layer = both.layer(options).pipe(Layer.provide(one.world.layerPorts))
        const agent = Context.get(yield* Layer.build(layer), Agent)
        const programs = yield* Effect.forEach(["s2", "none"], (id) => programOfSession(agent, id))
        assert.deepStrictEqual(programs, ["two", "one"])
        const { joined: _, ...alone } = agent
        assert.strictEqual(yield* programOfSession({ ...alone, name: "three" }, "s2"), "three")
      })
    )
  })
})
