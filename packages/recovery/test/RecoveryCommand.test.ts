import { assert, describe, it } from "@effect/vitest"
import { type Permission, type WatchEvent } from "@souffleur/domain"
import { ProgramFailed } from "@souffleur/process"
import { fakeCompactPrompt, type FakeProcess, type FakeWorld, identityOf } from "@souffleur/testing"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { recoveryCommand, RecoveryProgram, type RecoveryQuestion, standardCompact } from "../src/index.ts"
import { type Change, closedAt, cycleOf, inTime, launches, relaunches } from "./Cycles.ts"
import { worldOf } from "./RecoveryWorld.ts"

const launchId = "w-g2-c1-program"
const carries = { SOUFFLEUR_LAUNCH_ID: launchId }
const successor: FakeProcess = { pid: 6000, environment: carries, words: ["/bin/agent"] }
const says = (answer: object) => JSON.stringify(answer)
const done = { status: "success", relaunch_started: true, new_conductor_pid: 6000, resumed_session_id: "s1" }

/** What the program does: it may start processes, and it answers. */
type Does = (world: FakeWorld, question: RecoveryQuestion) => Effect.Effect<string, ProgramFailed>
/** Starts these processes, of which the first holds that session, and answers. */
const starts =
  (answer: string | ProgramFailed, sessionId = "s1", ...processes: ReadonlyArray<FakeProcess>): Does =>
  (world) =>
    Effect.suspend(() => {
      world.processes.run(...processes)
      const [holder] = processes
      if (holder !== undefined && sessionId !== "")
        world.agent.sessions = [...world.agent.sessions, { pid: holder.pid, sessionId }]
      return typeof answer === "string" ? Effect.succeed(answer) : Effect.fail(answer)
    })
const answers = (answer: string | ProgramFailed) => starts(answer)

/** Cycles whose first provider is the user's program, and whose next one compacts. */
const cycle = Effect.fnUntraced(function* (
  does: Does,
  {
    asks = "acceptEdits",
    world = worldOf({ pid: 4711, parent: 1 }),
    ...change
  }: Change & {
    readonly world?: FakeWorld
    /** What its successor's command line asks for. */
    readonly asks?: Permission
  } = {}
) {
  world.launcher.compactions = ["compacts and ends"]
  const questions: Array<RecoveryQuestion> = []
  const program: RecoveryProgram = {
    ask: (question) => Effect.suspend(() => (questions.push(question), does(world, question))),
    permissionOf: () => Option.some(asks)
  }
  const settings = { recoveryCommand: "/opt/program", ...change.settings }
  const made = yield* cycleOf([recoveryCommand, standardCompact], { ...change, settings }, world)
  const start = Effect.provideService(made.start, RecoveryProgram, program)
  return { ...made, questions, program, start, run: inTime(start) }
})
/** How a cycle ended, and which launches souffleur made itself. */
const outcome = Effect.fnUntraced(function* (of: Effect.Success<ReturnType<typeof cycle>>) {
  yield* of.run
  const last = yield* of.last
  return [closedAt(last), last?._tag === "ConductorRelaunched" ? last.provider : undefined, launches(of.world)]
})
const found = ["ConductorRelaunched", "recovery_command", []]
const mode = (events: ReadonlyArray<WatchEvent>) =>
  events.flatMap((event) => (event._tag === "WatcherStarted" ? [event.mode] : [])).at(-1)
const stepsOf = (events: ReadonlyArray<WatchEvent>, tag: "StepFailed" | "StepStarted" | "StepSucceeded") =>
  events.flatMap((event) => (event._tag === tag && event.step.includes("#") ? [event.step] : []))

describe("behaviour#recovery_command", () => {
  it.effect("the program gets the cycle after the stop, and the agent that it launches is the Conductor", () =>
    Effect.gen(function* () {
      const text = "CONTEXT_RECOVERY_PAYLOAD_V1\npermission_mode: bypassPermissions\nresume_prompt: /go SECRET"
      const world = worldOf({ pid: 4711, parent: 1 })
      world.comms.payload = { id: 8, text }
      const of = yield* cycle(starts(says(done), "s1", successor), { trigger: "handoff", world })
      assert.deepStrictEqual(yield* outcome(of), found)
      assert.deepStrictEqual(world.did, ["SIGTERM 4711"])
      const [question, ...more] = of.questions
      const { prompt = "", ...plain } = question ?? {}
      assert.lengthOf(more, 0)
      assert.deepStrictEqual(plain, {
        watch: "w",
        cycle: 1,
        attempt: 1,
        trigger: "handoff",
        project: "/p",
        comms: "/p/comms.db",
        agent: null,
        session_id: "s1",
        sessions: ["s1"],
        conductor: identityOf(4711),
        generation: 1,
        permission: { requested: "bypassPermissions", effective: "acceptEdits", held_to: null, ceiling: "acceptEdits" },
        launch_id: launchId
      })
      assert.deepStrictEqual([prompt.split("\n")[0], prompt.split("\n").at(-1)], ["/go SECRET", `Hand-off ${launchId}`])
      const events = yield* of.log.events
      assert.deepInclude(relaunches(events)[0], {
        provider: "recovery_command",
        conductor: identityOf(6000),
        sessionId: "s1",
        launchId,
        awaiting: false,
        exportPath: null,
        taskCount: 2
      })
      assert.deepStrictEqual(
        events.flatMap((event) => (event._tag === "StepStarted" && event.kind === "launch" ? [event.step] : [])),
        ["recovery_command#1"]
      )
      assert.strictEqual(mode(events), "normal")
      assert.notInclude(JSON.stringify(events), "SECRET")
    })
  )

  describe("as long as it launched nothing", () => {
    it.effect("a program that does not apply hands on to the next provider, and is not asked again", () =>
      Effect.gen(function* () {
        const of = yield* cycle(answers(says({ applies: false, notes: "not after a crash\u0007" })))
        const [, provider] = yield* outcome(of)
        assert.deepStrictEqual([provider, of.questions.length], ["standard_compact", 1])
        assert.deepStrictEqual(of.world.did, ["SIGTERM 4711", "launch 5000", "launch 5001"])
        const escalated = (yield* of.log.events).find(({ _tag }) => _tag === "RecoveryEscalated")
        assert.deepInclude(escalated, {
          from: "recovery_command",
          message: "it does not apply here: not after a crash\\u0007",
          alreadyKilled: true
        })
      })
    )
    it.effect("a program that launched nothing is asked once more, and then the next provider is tried", () =>
      Effect.gen(function* () {
        const failed = says({ status: "failed", relaunch_started: false, notes: "no compaction" })
        const twice = yield* cycle(answers(failed))
        assert.deepStrictEqual((yield* outcome(twice))[1], "standard_compact")
        assert.deepStrictEqual(
          twice.questions.map(({ attempt }) => attempt),
          [1, 2]
        )
        assert.deepStrictEqual(stepsOf(yield* twice.log.events, "StepFailed"), [
          "recovery_command#1",
          "recovery_command#2"
        ])
        const once = yield* cycle((world, question) =>
          question.attempt === 1 ? Effect.succeed(failed) : starts(says(done), "s1", successor)(world, question)
        )
        assert.deepStrictEqual(yield* outcome(once), found)
      })
    )
    it.effect("a program that never ran hands on to the next provider", () =>
      Effect.gen(function* () {
        const of = yield* cycle(answers(new ProgramFailed({ message: "there is no program", ran: false })))
        assert.deepStrictEqual([(yield* outcome(of))[1], of.questions.length], ["standard_compact", 1])
      })
    )
    it.effect("a program whose successor died again without progress is not asked", () =>
      Effect.gen(function* () {
        const of = yield* cycle(answers(says(done)), { provider: "recovery_command", retries: 1 })
        assert.deepStrictEqual([(yield* outcome(of))[1], of.questions], ["standard_compact", []])
        const progressed = yield* cycle(starts(says(done), "s1", successor), {
          provider: "recovery_command",
          retries: 0
        })
        yield* progressed.run
        assert.lengthOf(progressed.questions, 1)
      })
    )
    it.effect("a program is not asked while another process holds the session, or when the work is complete", () =>
      Effect.gen(function* () {
        const held = worldOf({ pid: 70 })
        held.agent.sessions = [{ pid: 70, sessionId: "s1" }]
        const of = yield* cycle(answers(says(done)), { world: held })
        assert.deepStrictEqual((yield* outcome(of))[0], ["one writer", "process 70 holds the session"])
        const complete = yield* cycle(answers(says(done)))
        complete.world.comms.conductor.state = "complete"
        assert.deepStrictEqual((yield* outcome(complete))[0], "ConductorCompleted")
        assert.deepStrictEqual([of.questions, complete.questions], [[], []])
      })
    )
  })

  const broken: ReadonlyArray<readonly [string, string | ProgramFailed]> = [
    ["says nothing", ""],
    ["prints garbage", "relaunched 6000"],
    ["prints two answers", `${says({ applies: false })}\n${says({ applies: false })}`],
    ["answers in another form", says({ status: "failed", relaunch_started: "no" })],
    ["fails", new ProgramFailed({ message: "it ended with exit code 1", ran: true })],
    ["failed after its launch", says({ status: "failed", relaunch_started: true, new_conductor_pid: 6000 })]
  ]
  describe("once it may have launched", () => {
    for (const [how, answer] of broken) {
      it.effect(`a program that ${how} closes the cycle, and no other provider runs`, () =>
        Effect.gen(function* () {
          const of = yield* cycle(answers(answer))
          const [closed, provider, launched] = yield* outcome(of)
          assert.deepStrictEqual([closed?.[0], provider, launched], ["recovery_command", undefined, []])
          assert.include(closed?.[1], "whether a successor runs is unknown")
          assert.lengthOf(of.questions, 1)
        })
      )
      it.effect(`a program that ${how} is outweighed by an agent that holds the session`, () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* outcome(yield* cycle(starts(answer, "s1", successor))), found)
        })
      )
    }
    it.effect("a successor that is seen a moment later counts", () =>
      Effect.gen(function* () {
        const of = yield* cycle((world, question) =>
          Effect.andThen(
            Effect.forkDetach(Effect.delay(starts("", "s1", successor)(world, question), "9 seconds")),
            answers(says({ ...done, new_conductor_pid: null }))(world, question)
          )
        )
        assert.deepStrictEqual(yield* outcome(of), found)
        assert.deepInclude(relaunches(yield* of.log.events)[0], { conductor: identityOf(6000) })
      })
    )
  })

  describe("its pid", () => {
    const only = (answer: object, ...processes: ReadonlyArray<FakeProcess>) => starts(says(answer), "", ...processes)
    it.effect("without a pid, and with no process to be found, the heartbeat alone is watched, and that is told", () =>
      Effect.gen(function* () {
        const of = yield* cycle(only({ ...done, new_conductor_pid: undefined }))
        assert.deepStrictEqual(yield* outcome({ ...of, last: Effect.succeed(undefined) }), [undefined, undefined, []])
        const events = yield* of.log.events
        assert.deepStrictEqual(
          events.slice(-3).map(({ _tag }) => _tag),
          ["ConductorRelaunched", "ConductorUnresolved", "WatcherStarted"]
        )
        assert.deepInclude(relaunches(events)[0], { conductor: null, sessionId: "s1", awaiting: false })
        assert.strictEqual(mode(events), "heartbeat-only")
      })
    )
    it.effect("without comms there is no heartbeat to watch, so the cycle is closed", () =>
      Effect.gen(function* () {
        const of = yield* cycle(only({ ...done, new_conductor_pid: undefined }), { comms: null })
        assert.deepStrictEqual((yield* outcome(of))[0], [
          "recovery_command",
          "it says that it launched a successor, and no agent is found that holds s1: whether a successor runs is unknown"
        ])
      })
    )
    const strangers: ReadonlyArray<readonly [string, unknown, ...ReadonlyArray<FakeProcess>]> = [
      ["is the machine's first", 1],
      [
        "is souffleur's, which names the command of its first launch",
        10,
        { pid: 10, words: ["/bin/agent", "--resume", "s1"] }
      ],
      ["started souffleur", 9, { pid: 9, words: ["/bin/agent", "--resume", "s1"] }],
      ["is none", "6000; rm -rf /"],
      ["belongs to nobody", 6000],
      ["belongs to another user", 70, { pid: 70, uid: 7, words: ["/bin/agent", "--resume", "s1"] }],
      ["belongs to no agent", 70, { pid: 70, words: ["/usr/bin/postgres", "s1"] }],
      ["belongs to a zombie", 70, { pid: 70, words: ["/bin/agent", "--resume", "s1"], condition: "zombie" }],
      ["belongs to an agent of which nothing is known", 70, { pid: 70, words: ["/bin/agent"] }],
      ["belongs to a session that only compacts", 70, { pid: 70, words: ["/bin/agent", "s1", fakeCompactPrompt] }]
    ]
    for (const [whose, pid, ...processes] of strangers) {
      it.effect(`a pid that ${whose} is not taken`, () =>
        Effect.gen(function* () {
          const of = yield* cycle(only({ ...done, new_conductor_pid: pid }, ...processes))
          of.world.processes.ancestors = [9]
          yield* of.run
          assert.deepInclude(relaunches(yield* of.log.events)[0], { conductor: null })
        })
      )
    }
    it.effect("a pid of an agent that holds another session is not taken, and that agent is left alone", () =>
      Effect.gen(function* () {
        const of = yield* cycle(
          starts(says({ ...done, new_conductor_pid: 70 }), "s9", { pid: 70, environment: carries })
        )
        yield* of.run
        assert.deepInclude(relaunches(yield* of.log.events)[0], { conductor: null })
        assert.deepStrictEqual(of.world.did, ["SIGTERM 4711"])
      })
    )
    it.effect("a pid of a window counts as the agent below it, which holds the session", () =>
      Effect.gen(function* () {
        const window = { pid: 80, words: ["/usr/bin/postgres"] }
        const below = { ...successor, parent: 80, environment: {} }
        const of = yield* cycle(starts(says({ ...done, new_conductor_pid: 80 }), "s1", below, window))
        yield* of.run
        assert.deepInclude(relaunches(yield* of.log.events)[0], { conductor: identityOf(6000) })
      })
    )
    it.effect(
      "an agent without a sign of its session counts by its command line, or by the launch that it carries",
      () =>
        Effect.gen(function* () {
          for (const words of [
            ["/bin/agent", "--resume", "s1"],
            ["/bin/agent", "--resume=s1"]
          ]) {
            const named = yield* cycle(only(done, { pid: 6000, words }))
            assert.deepStrictEqual(yield* outcome(named), found)
            assert.deepInclude(relaunches(yield* named.log.events)[0], { conductor: identityOf(6000) })
          }
          // The launcher of an agent began before it, and is its process.
          const tagged = yield* cycle(
            only(
              { ...done, new_conductor_pid: null },
              { ...successor, pid: 6001, parent: 6000, startTime: 101 },
              successor
            )
          )
          yield* tagged.run
          assert.deepInclude(relaunches(yield* tagged.log.events)[0], { conductor: identityOf(6000) })
        })
    )
    it.effect("an agent above the ceiling is not taken, and the cycle is closed", () =>
      Effect.gen(function* () {
        const of = yield* cycle(starts(says(done), "s1", successor), { asks: "bypassPermissions" })
        assert.deepStrictEqual((yield* outcome(of))[0], [
          "recovery_command",
          "process 6000, which it launched, has permission bypassPermissions, above the ceiling acceptEdits"
        ])
        assert.deepStrictEqual(of.world.processes.alive, [6000])
      })
    )
  })

  it.effect("another session that it resumed counts where it is of the project, and is else told by comms", () =>
    Effect.gen(function* () {
      const resumed = { ...done, resumed_session_id: "s2" }
      const own = yield* cycle(starts(says(resumed), "s2", successor))
      yield* own.run
      assert.deepInclude(relaunches(yield* own.log.events)[0], { sessionId: "s2", conductor: identityOf(6000) })
      const world = worldOf({ pid: 4711, parent: 1 })
      world.agent.began.set("s2", "/elsewhere")
      world.agent.began.set("../s2", undefined)
      for (const session of ["s2", "../s2", "", 7, null]) {
        const of = yield* cycle(answers(says({ ...done, resumed_session_id: session })), { world })
        yield* of.run
        assert.deepInclude(relaunches(yield* of.log.events)[0], { sessionId: "s1", conductor: null, awaiting: true })
        world.processes.run({ pid: 4711, parent: 1 })
      }
    })
  )

  it.effect("a program is not asked for a hand-over to another agent", () =>
    Effect.sync(() => {
      const settings = { recoveryCommand: "/opt/program" } as never
      const watch = { handedFrom: "claude", recovery: { steps: {} } } as never
      assert.isFalse(recoveryCommand.applies?.(watch, settings))
    })
  )

  describe("across a crash", () => {
    it.effect("a program is asked once, and the successor that it launched is found, wherever souffleur dies", () =>
      Effect.gen(function* () {
        for (const when of ["before", "after"] as const)
          for (let append = 1; ; append++) {
            const of = yield* cycle(starts(says(done), "s1", successor))
            const crashed = yield* inTime(of.log.abandonAt(append, when, of.start))
            yield* of.run
            const at = `crashed ${when} append ${append}`
            assert.isAtMost(of.questions.length, 1, at)
            const last = yield* of.last
            // A program that was not heard of is taken for one that ran.
            if (of.questions.length === 0) assert.strictEqual(closedAt(last)?.[0], "recovery_command", at)
            else assert.strictEqual(last?._tag, "ConductorRelaunched", at)
            assert.deepStrictEqual(launches(of.world), [], at)
            if (crashed) continue
            assert.isAbove(append, 7)
            break
          }
      })
    )
    /** A cycle whose souffleur dies while the program runs. */
    const dying = Effect.fnUntraced(function* (settings: Change["settings"] = {}) {
      const program: FakeProcess = { pid: 90, environment: carries, words: ["/usr/bin/postgres"] }
      const of = yield* cycle(
        (world) =>
          Effect.andThen(
            Effect.sync(() => void world.processes.run(program)),
            Effect.never
          ),
        { settings }
      )
      yield* Effect.forkDetach(of.start)
      while (of.questions.length === 0) yield* TestClock.adjust("1 second")
      return of
    })
    it.effect("a program that outlived souffleur is waited for, and its successor is found", () =>
      Effect.gen(function* () {
        const of = yield* dying()
        yield* Effect.forkDetach(Effect.delay(starts("", "s1", successor)(of.world, of.questions[0]!), "2 minutes"))
        yield* of.run
        assert.deepInclude(relaunches(yield* of.log.events)[0], { conductor: identityOf(6000) })
        assert.deepStrictEqual([of.questions.length, of.world.processes.alive], [1, [90, 6000]])
      })
    )
    it.effect("a program that ends without a successor closes the cycle", () =>
      Effect.gen(function* () {
        const of = yield* dying()
        yield* Effect.forkDetach(
          Effect.delay(
            Effect.sync(() => of.world.processes.end(90)),
            "2 minutes"
          )
        )
        const [closed, , launched] = yield* outcome(of)
        assert.deepStrictEqual(closed, [
          "recovery_command",
          "souffleur was gone before it had answered: whether a successor runs is unknown"
        ])
        assert.deepStrictEqual(launched, [])
      })
    )
    it.effect("a program that does not end in time is ended, and the cycle is closed", () =>
      Effect.gen(function* () {
        const of = yield* dying()
        assert.deepStrictEqual((yield* outcome(of))[0]?.[0], "recovery_command")
        assert.deepStrictEqual(of.world.did, ["SIGTERM 4711", "SIGTERM 90"])
      })
    )
    it.effect("a cycle that has asked is finished by it, though the setting is gone", () =>
      Effect.gen(function* () {
        const of = yield* dying()
        of.world.processes.end(90)
        yield* inTime(Effect.provideService(of.startUnder({}), RecoveryProgram, of.program))
        assert.deepStrictEqual([closedAt(yield* of.last)?.[0], launches(of.world)], ["recovery_command", []])
      })
    )
  })

  it.effect("an agent that a closed cycle left behind forbids the next launch, whoever makes it", () =>
    Effect.gen(function* () {
      // It carries the launch, and says nothing of its session that would be believed.
      const of = yield* cycle(starts("garbage", "s9", { pid: 70, environment: carries }))
      assert.deepStrictEqual((yield* outcome(of))[0]?.[0], "recovery_command")
      yield* of.log.operator.dispatch({ _tag: "Retry" })
      yield* inTime(of.startUnder({}))
      assert.deepStrictEqual(closedAt(yield* of.last), [
        "one writer",
        "process 70, which an earlier recovery launched, still runs: adopt it, or end it"
      ])
      assert.deepStrictEqual(launches(of.world), [])
    })
  )
})
