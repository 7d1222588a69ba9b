import {
  Agent,
  AgentNotFound,
  type AgentOrder,
  Launcher,
  LaunchFailed,
  type LaunchOrder,
  type Permission,
  Processes,
  Settings,
  leastPin
} from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { FakeWorld, layerPartialAgent } from "@souffleur/testing"
import { Duration, Effect, FileSystem, Layer, Option, Result } from "effect"
import { PlanContext } from "../src/PlanContext.ts"
import { decideRun, foldRun, type RunEvent, type RunIntent, RunLog } from "../src/index.ts"
import { askAgent, awaitAgent, settleAssignment } from "../src/agent/Assignment.ts"
import { plainWords, planOf } from "./PlanStage.ts"

const process = { pid: 50, startTime: 7, bootId: "boot" }

/** A run whose task `t1` has begun, with the ports of an assignment in memory. */
const world = (
  given: {
    readonly requested?: Permission
    readonly ceiling?: Permission
    /** The permission of the config file, where it differs from the one of the run. */
    readonly file?: Permission
    readonly trouble?: "no agent" | "no launch"
    readonly plan?: string
    readonly settled?: boolean
    /** True if the agent takes a form of its answer. */
    readonly inForm?: "at the end" | "always"
    /** The agents of the roles. */
    readonly agents?: { readonly implementer?: string; readonly reviewer?: string }
  } = {}
) => {
  const events: Array<RunEvent> = []
  const dispatch = (intent: RunIntent) => {
    const decided = Result.getOrThrow(decideRun(foldRun(events), { ...intent, now: 0, by: { _tag: "Operator" } }))
    events.push(...decided)
    return foldRun(events)
  }
  dispatch({
    _tag: "Open",
    workflowId: "w",
    project: "/p",
    plan: "/p/plan.yaml",
    digest: "d",
    tasks: [{ id: "t1", title: "Do t1", dependsOn: [] }],
    pin: { ...leastPin, ceiling: given.ceiling ?? "acceptEdits" },
    progress: null,
    found: null
  })
  dispatch({ _tag: "StartTask", taskId: "t1", base: null })
  const did: Array<string> = []
  const [orders, launches]: [Array<AgentOrder>, Array<LaunchOrder>] = [[], []]
  const { files } = new FakeWorld()
  const layer = Layer.mergeAll(
    files.layer,
    Layer.succeed(PlanContext, {
      ref: {
        id: "r",
        granted: () => Effect.void,
        state: Effect.sync(() => foldRun(events)),
        dispatch: (intent: RunIntent) => Effect.sync(() => (did.push(intent._tag), dispatch(intent)))
      },
      git: { folder: "/p", head: Effect.succeed("c0") },
      words: plainWords(),
      plan: planOf(given.plan ?? "t1"),
      requested: given.requested ?? "acceptEdits",
      agents: given.agents ?? {},
      finishing: null
    } as unknown as PlanContext["Service"]),
    Layer.succeed(Settings, {
      maxExternalPermission: given.file ?? given.ceiling ?? "acceptEdits",
      implementerTimeout: Duration.hours(1),
      reviewerTimeout: Duration.hours(1),
      stopGrace: Duration.seconds(1),
      stateDir: "/state"
    } as Settings["Service"]),
    Layer.effect(
      Agent,
      Effect.map(Agent, (agent) =>
        Agent.of({
          ...agent,
          joined: {
            programs: ["agent", "pi"],
            programOf: () => Effect.succeed("agent"),
            only: () => Option.none(),
            led: (program) =>
              program === "pi" || program === "codex"
                ? Option.some({
                    ...agent,
                    ...(program === "codex" ? { sessionOf: () => Effect.succeedNone } : {}),
                    command: (order) =>
                      Effect.sync(() => (orders.push(order), { program: `/${program}`, args: [], environment: {} }))
                  })
                : Option.none()
          }
        })
      )
    ).pipe(
      Layer.provide(
        layerPartialAgent({
          ...(given.inForm === undefined ? {} : { answersInForm: given.inForm }),
          command: (order) =>
            Effect.suspend(() => {
              orders.push(order)
              return given.trouble === "no agent"
                ? Effect.fail(new AgentNotFound({ program: "agent", problem: "it is not there" }))
                : Effect.succeed({ program: "/agent", args: [], environment: {} })
            })
        })
      )
    ),
    Layer.mock(Launcher)({
      terminals: ["headless"],
      outputPath: (id) => id,
      prepare: (order) => Effect.sync(() => (did.push("prepare"), launches.push(order), `digest of ${order.id}`)),
      launch: (id) =>
        Effect.suspend(() => {
          did.push(`launch ${id}`)
          return given.trouble === "no launch"
            ? Effect.fail(new LaunchFailed({ message: "too slow" }))
            : Effect.succeed(process)
        }),
      settle: () => Effect.succeed(given.settled === true ? Option.some(process) : Option.none())
    })
  )
  const tags = () => events.slice(2).map(({ _tag }) => _tag)
  return { did, events, files, launches, layer, orders, tags, dispatch }
}

describe("behaviour#agents-of-a-run", () => {
  it.effect(
    "the log has the asked agent before its preparation, its digest before its launch, and its start after",
    () =>
      Effect.gen(function* () {
        const { did, events, launches, layer, tags } = world()
        const [assignment] = (yield* Effect.provide(askAgent("implementer"), layer)).assignments
        assert.deepStrictEqual(did, ["Ask", "ReportConfig", "prepare", "Prepare", "launch run-r-a1", "Launched"])
        assert.deepStrictEqual(tags(), ["AgentAsked", "AgentPrepared", "AgentLaunched"])
        assert.deepInclude(events[3], {
          launchId: "run-r-a1",
          digest: "digest of run-r-a1",
          requested: "acceptEdits",
          effective: "acceptEdits"
        })
        assert.deepStrictEqual(
          [launches[0]?.cwd, launches[0]?.title, assignment?.launch?.process],
          ["/p", "implementer t1", process]
        )
      })
  )
  it.effect("a role with an agent of its own is launched with that one, and the log names it", () =>
    Effect.gen(function* () {
      const chosen = world({ agents: { implementer: "pi" } })
      yield* Effect.provide(askAgent("implementer"), chosen.layer)
      assert.strictEqual(chosen.launches[0]?.command.program, "/pi")
      assert.deepInclude(chosen.events[2], { _tag: "AgentAsked", agent: "pi" })
      const other = world({ agents: { reviewer: "pi" } })
      yield* Effect.provide(askAgent("implementer"), other.layer)
      assert.strictEqual(other.launches[0]?.command.program, "/agent")
      assert.notProperty(other.events[2], "agent")
    })
  )
  it.effect("an agent that chooses its session is asked for without one; a reviewer is to change nothing", () =>
    Effect.gen(function* () {
      const chosen = world({ agents: { implementer: "codex" } })
      const [assignment] = (yield* Effect.provide(askAgent("implementer"), chosen.layer)).assignments
      assert.deepInclude(chosen.events[2], { _tag: "AgentAsked", sessionId: "", agent: "codex" })
      assert.deepInclude(assignment, { sessionId: "", agent: "codex" })
      assert.deepStrictEqual(chosen.orders[0]?.session, { _tag: "Fresh", sessionId: "" })
      assert.notProperty(chosen.orders[0], "looks")
      const reviewed = world({ agents: { reviewer: "codex" } })
      reviewed.dispatch({ _tag: "Ask", role: "implementer", sessionId: "s1", head: null })
      const work = { commits: ["c1"], files: ["a.ts"], testFile: null }
      reviewed.dispatch({ _tag: "Report", token: "a1", report: { _tag: "Completed", head: "c1", work, made: [] } })
      yield* Effect.provide(askAgent("reviewer"), reviewed.layer)
      assert.deepInclude(reviewed.orders[0], { looks: true, session: { _tag: "Fresh", sessionId: "" } })
    })
  )
  it.effect("a launch that a crash left open is settled by its receipt: the process that took it, or none", () =>
    Effect.gen(function* () {
      for (const settled of [true, false]) {
        const { layer, tags, dispatch } = world({ settled })
        const [assignment] = dispatch({
          _tag: "Ask",
          role: "implementer",
          sessionId: "s1",
          head: null,
          held: []
        }).assignments
        const run = yield* Effect.provide(settleAssignment(assignment!), layer)
        assert.deepStrictEqual(tags(), ["AgentAsked", settled ? "AgentLaunched" : "AgentNeverRan"])
        assert.deepStrictEqual(run.assignments[0]?.launch?.process, settled ? process : undefined)
      }
    })
  )

  it.effect("an agent that was to end before a crash, and is gone by now, has taken too long", () =>
    Effect.gen(function* () {
      const { did, layer, dispatch } = world()
      const [assignment] = dispatch({
        _tag: "Ask",
        role: "implementer",
        sessionId: "s1",
        head: null,
        held: []
      }).assignments
      const started = { launchId: "run-r-a1", process, at: 0 }
      const gone = Layer.mock(Processes)({
        self: process,
        host: { name: "here", machine: "m", pidNamespace: "", uid: 1 },
        ancestors: Effect.succeed([]),
        condition: () => Effect.succeed("gone"),
        tree: () => Effect.succeed([])
      })
      const ended = yield* awaitAgent({ ...assignment!, ending: { reason: "timeout", limit: 60_000 } }, started).pipe(
        Effect.provide([layer, gone, FileSystem.layerNoop({}), RunLog.layerMemory])
      )
      assert.deepStrictEqual(
        [ended._tag === "Failed" ? [ended.reason, ended.message] : ended, did],
        [["timeout", "the implementer took longer than 1m"], []]
      )
    })
  )
})

describe("behaviour#trust", () => {
  it.effect(
    "an agent gets no more than its run was opened with, and less where the config file says less; more is told",
    () =>
      Effect.gen(function* () {
        const raised = world({ requested: "bypassPermissions", ceiling: "acceptEdits", file: "bypassPermissions" })
        yield* Effect.provide(askAgent("implementer"), raised.layer)
        assert.strictEqual(raised.orders[0]?.permission, "acceptEdits")
        assert.deepStrictEqual(raised.tags(), ["AgentAsked", "ConfigOverreached", "AgentPrepared", "AgentLaunched"])
        const lowered = world({ requested: "bypassPermissions", ceiling: "bypassPermissions", file: "acceptEdits" })
        yield* Effect.provide(askAgent("implementer"), lowered.layer)
        assert.strictEqual(lowered.orders[0]?.permission, "acceptEdits")
        assert.deepStrictEqual(lowered.tags(), ["AgentAsked", "AgentPrepared", "AgentLaunched"])
      })
  )
})

describe("behaviour#verdict-by-schema", () => {
  it.effect("an agent that takes a form is asked by it, and no other is told of one", () =>
    Effect.gen(function* () {
      const form = world({ inForm: "at the end" })
      yield* Effect.provide(askAgent("implementer"), form.layer)
      const [order] = form.orders
      assert.strictEqual(order?.form?.file, "/state/verdict-implementer-at-the-end.json")
      assert.include(order?.form?.schema, "IMPLEMENTATION_BLOCKED")
      assert.match(order?.prompt ?? "", /by the JSON schema .* `word` is `\w+`\.\n$/su)
      // Another run of the same state folder may launch an agent by the other rule before this one has read its file.
      const always = world({ inForm: "always" })
      yield* Effect.provide(askAgent("implementer"), always.layer)
      assert.notStrictEqual(always.orders[0]?.form?.file, order?.form?.file)
      const none = world()
      yield* Effect.provide(askAgent("implementer"), none.layer)
      assert.isUndefined(none.orders[0]?.form)
      assert.notInclude(none.orders[0]?.prompt, "schema")
    })
  )
})

describe("behaviour#permission-ceiling", () => {
  it.effect("an agent gets no more than the ceiling", () =>
    Effect.gen(function* () {
      for (const ceiling of ["acceptEdits", "bypassPermissions"] as const) {
        const { events, layer, orders } = world({ requested: "bypassPermissions", ceiling })
        yield* Effect.provide(askAgent("implementer"), layer)
        assert.strictEqual(orders[0]?.permission, ceiling)
        assert.deepInclude(events[3], { requested: "bypassPermissions", effective: ceiling })
      }
    })
  )
})

describe("behaviour#ladder", () => {
  it.effect("an agent that cannot be launched is a failed assignment", () =>
    Effect.gen(function* () {
      for (const [given, did, detail] of [
        [{ trouble: "no agent" }, ["Ask", "ReportConfig", "Report"], "agent: it is not there"],
        [
          { trouble: "no launch" },
          ["Ask", "ReportConfig", "prepare", "Prepare", "launch run-r-a1", "Report"],
          "too slow"
        ],
        [{ plan: "another" }, ["Ask", "ReportConfig", "Report"], "task t1 is no longer in the plan"]
      ] as const) {
        const all = world(given)
        const run = yield* Effect.provide(askAgent("implementer"), all.layer)
        assert.deepStrictEqual(all.did, [...did])
        assert.isEmpty(run.assignments)
        assert.deepInclude(all.events.at(-1), {
          _tag: "ImplementationFailed",
          reason: "launch",
          message: `it could not be launched: ${detail}`
        })
      }
    })
  )
})
