import { assert, describe, it } from "@effect/vitest"
import { CycleSettings, type EventLog, type Launcher, Settings } from "@souffleur/domain"
import { release } from "@souffleur/supervisor"
import { RunLog } from "@souffleur/plan"
import { FakeAgent, FakeWorld, fakeKind, identityOf, passes, untilDone, untilEvent } from "@souffleur/testing"
import { Context, Effect, Fiber, type FileSystem, Layer, Option, type Path, Stream } from "effect"
import { TestClock } from "effect/testing"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { Parts, parseRestoration, type Remark, Remarks, Souffleur } from "../src/index.ts"

const conductor = { pid: 4711, sessionId: "s1" }

/** The service in a world of fakes, whose Conductor works in `s1`. */
const faked = (settings: Partial<Settings["Service"]> = {}) => {
  const world = new FakeWorld({ conductor, settings })
  return {
    world,
    layer: Souffleur.layer.pipe(Layer.provide(Parts.layerFixed(fakeKind)), Layer.provideMerge(world.layer))
  }
}
const asked = { ...conductor, project: "/p", comms: null }

it.effect("a watched Conductor that dies has a successor, and the word done ends the watch", () => {
  const { layer, world } = faked()
  return Effect.gen(function* () {
    const souffleur = yield* Souffleur
    const watch = yield* souffleur.watch(asked)
    const told = yield* Effect.forkScoped(Stream.runCollect(watch.events))
    yield* untilEvent(watch.id, "WatchSettled")
    yield* world.conductor.dies
    yield* untilEvent(watch.id, "ConductorRelaunched")
    yield* world.conductor.answers
    yield* untilEvent(watch.id, "HandoffTaken")
    yield* souffleur.done("s1")
    const { end, generation } = yield* watch.awaitEnd
    assert.deepStrictEqual([end, generation], ["completed", 2])
    const tags = (yield* Fiber.join(told)).map(({ event }) => event._tag)
    assert.deepStrictEqual([tags[0], tags.at(-1)], ["WatchOpened", "ConductorCompleted"])
    // Its caller's scope is still open.
    assert.deepStrictEqual([...world.claims.held], [])
  }).pipe(Effect.scoped, Effect.provide(layer))
})

it.effect("a watch ends with its scope, its Conductor is left, and it goes on from its log", () => {
  const { layer, world } = faked()
  return Effect.gen(function* () {
    const souffleur = yield* Souffleur
    const first = yield* Effect.scoped(Effect.tap(souffleur.watch(asked), ({ id }) => untilEvent(id, "WatchSettled")))
    const left = yield* souffleur.state(first.id)
    assert.deepStrictEqual([left.phase, left.owner], ["Watching", undefined])
    assert.deepStrictEqual(world.signals, [])
    const again = yield* souffleur.resume("s1")
    assert.deepStrictEqual([again.id, again.from], [first.id, left.revision])
    yield* world.conductor.dies
    yield* untilEvent(first.id, "ConductorRelaunched")
    // The same words mean the same watch.
    const error = yield* Effect.flip(souffleur.watch(asked))
    assert.strictEqual(error._tag, "AlreadyWatched")
  }).pipe(Effect.scoped, Effect.provide(layer))
})

describe("command-line#watches", () => {
  it.effect(
    "a watch that goes on keeps its comms and its Conductor, and says so to a caller who asks for others",
    () => {
      const { layer } = faked()
      return Effect.gen(function* () {
        const souffleur = yield* Souffleur
        const { id } = yield* Effect.scoped(
          Effect.tap(souffleur.watch(asked), ({ id }) => untilEvent(id, "WatchSettled"))
        )
        const other = yield* Effect.flip(souffleur.watch({ ...asked, comms: "/p/other.db" }))
        assert.deepInclude(other, {
          _tag: "OpenedOtherwise",
          watch: id,
          message: `watch ${id} goes on with no comms, and takes no other`
        })
        assert.strictEqual((yield* Effect.flip(souffleur.watch({ ...asked, force: true })))._tag, "OpenedOtherwise")
        assert.deepStrictEqual(
          (yield* souffleur.living).map((one) => one.id),
          [id]
        )
        const { before, from, ports } = yield* souffleur.watch({ ...conductor, project: "/p" })
        assert.strictEqual(before.revision, from)
        assert.strictEqual(Context.get(ports, Settings).stateDir, (yield* Settings).stateDir)
        yield* souffleur.release(id)
        assert.deepInclude(yield* souffleur.ended(5), { count: 1 })
        assert.deepStrictEqual(yield* souffleur.living, [])
      }).pipe(Effect.scoped, Effect.provide(layer))
    }
  )
})

it.effect("the status of a watch has the conditions of its processes, and is not looked for once it has ended", () => {
  const { layer, world } = faked()
  return Effect.gen(function* () {
    const souffleur = yield* Souffleur
    const { id } = yield* souffleur.watch(asked)
    yield* untilEvent(id, "WatchSettled")
    assert.deepInclude((yield* souffleur.sessions("/p"))[0], conductor)
    const seen = yield* souffleur.status(yield* souffleur.find(id))
    assert.deepInclude(seen, { id, conductor: "running", owner: "running", comms: "none", heartbeatAge: null })
    assert.isNumber(seen.beatAge)
    yield* souffleur.release(id)
    yield* world.conductor.dies
    const ended = yield* souffleur.status(yield* souffleur.find(id))
    assert.deepInclude(ended, { conductor: "gone", beatAge: null, comms: "none" })
  }).pipe(Effect.scoped, Effect.provide(layer))
})

describe("behaviour#signs", () => {
  it.effect(
    "the status of a watch tells what its agent does, also where only the output of its launch tells it",
    () => {
      const { layer, world } = faked()
      return Effect.gen(function* () {
        const souffleur = yield* Souffleur
        const { id } = yield* souffleur.watch(asked)
        yield* untilEvent(id, "WatchSettled")
        yield* world.conductor.dies
        yield* untilEvent(id, "ConductorRelaunched")
        const { launchId } = yield* souffleur.state(id)
        world.agent.turnIn = `/state/launches/${launchId}.out`
        world.agent.signs = (_, now) => ({
          writtenAt: now,
          context: undefined,
          turn: { _tag: "Tool", at: now - 8000, name: "Bash", limit: undefined, spawns: true }
        })
        const { doing } = yield* souffleur.status(yield* souffleur.find(id))
        assert.strictEqual(doing, "runs the tool Bash, for 8 s")
      }).pipe(Effect.scoped, Effect.provide(layer))
    }
  )
})

describe("behaviour#awaiting-a-session-id", () => {
  it.effect("a look from another process finds the session where its watch found that the agent keeps it", () => {
    const { layer, world } = faked()
    return Effect.gen(function* () {
      const { agent } = world
      agent.folders = ["/home/ada/.claude-work"]
      agent.signs = (_, now) =>
        agent.looksIn.length === 0
          ? undefined
          : { writtenAt: now, context: undefined, turn: { _tag: "Asked", at: now - 8000 } }
      const souffleur = yield* Souffleur
      const { id } = yield* souffleur.watch(asked)
      yield* untilEvent(id, "AgentFolderFound")
      // Another process knows the settings alone, and the log.
      agent.looksIn = []
      const { doing } = yield* souffleur.status(yield* souffleur.find(id))
      assert.strictEqual(doing, "waits for the model, for 8 s")
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("a process is adopted with a session that only its own environment tells where to find", () => {
    const { layer, world } = faked()
    return Effect.gen(function* () {
      const { agent, conductor } = world
      const folder = "/home/ada/.claude-work"
      const souffleur = yield* Souffleur
      const { id } = yield* souffleur.watch(asked)
      yield* untilEvent(id, "WatchSettled")
      conductor.begin({ pid: 4800, sessionId: "s2" })
      agent.elsewhere.set("s2", folder)
      agent.folders = [folder]
      agent.looksIn = []
      assert.deepInclude(yield* souffleur.adopt(id, { pid: 4800, sessionId: "s2" }), { sessionId: "s2" })
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})

describe("behaviour#hand-off", () => {
  it.effect("a successor that has answered is at work by its status, before its watcher has told so", () => {
    const { layer, world } = faked()
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const { id } = yield* souffleur.watch(asked)
      yield* untilEvent(id, "WatchSettled")
      yield* world.conductor.dies
      yield* untilEvent(id, "ConductorRelaunched")
      const look = Effect.flatMap(souffleur.find(id), souffleur.status)
      assert.deepInclude(yield* look, { state: "recovering", standing: "watching, hand-off not taken yet" })
      world.agent.taken = () => ({ at: 0, context: undefined })
      assert.deepInclude(yield* look, { state: "working", standing: "watching" })
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})

it.effect("an app sees the agents that no watch follows, and the watches with their need of a person", () => {
  const { layer } = faked()
  return Effect.gen(function* () {
    const souffleur = yield* Souffleur
    const before = yield* souffleur.overview("/p")
    assert.deepStrictEqual([before.agents.map(({ pid }) => pid), before.jobs], [[conductor.pid], []])
    const id = yield* Effect.scoped(
      Effect.gen(function* () {
        const { id } = yield* souffleur.watch(asked)
        yield* untilEvent(id, "WatchSettled")
        const { agents, jobs } = yield* souffleur.overview("/p")
        assert.deepStrictEqual(agents, [])
        assert.deepInclude(jobs[0], { kind: "watch", id, project: "/p", need: null })
        return id
      })
    )
    const [left] = (yield* souffleur.overview("/p")).jobs
    assert.strictEqual(left?.need?.next, `souffleur resume ${id}`)
  }).pipe(Effect.scoped, Effect.provide(layer))
})

describe("command-line#without-a-command", () => {
  it.effect("a Conductor whose session is not known yet, and an agent that it started, are not unwatched", () => {
    const { layer, world } = faked()
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const { id } = yield* Effect.tap(souffleur.watch(asked), (watch) => untilEvent(watch.id, "WatchSettled"))
      world.processes.run({ pid: 4712, parent: 4711 }, { pid: 4713, parent: 4712 }, { pid: 4800, parent: 1 })
      const environment = { SOUFFLEUR_LAUNCH_ID: `${id}-g2-c1-resume-in-place-1` }
      world.processes.run({ pid: 4714, parent: 1, environment })
      const sessions = [4711, 4713, 4714, 4800].map((pid) => ({ pid, sessionId: `unsaid-${pid}` }))
      world.agent.sessions = sessions
      const { agents } = yield* souffleur.overview("/p")
      assert.deepStrictEqual(
        agents.map(({ pid }) => pid),
        [4800]
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("an agent of a run is not unwatched, also while its conductor is gone", () => {
    const { layer, world } = faked()
    world.processes.run({ pid: 4712, parent: 4711 }, { pid: 4800, parent: 1 })
    world.agent.sessions = [4711, 4712, 4800].map((pid) => ({ pid, sessionId: `s${pid}` }))
    const { AgentAsked, AgentLaunched, RunOpened, TaskStarted } = examples
    return Effect.gen(function* () {
      const log = yield* RunLog
      const launched = { ...AgentLaunched, process: identityOf(4711) }
      yield* log.append("run/r", 0, [RunOpened, TaskStarted, AgentAsked, launched])
      const { agents } = yield* Souffleur.use((souffleur) => souffleur.overview("/p"))
      assert.deepStrictEqual(
        agents.map(({ pid }) => pid),
        [4800]
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})

describe("behaviour#naming-a-conductor", () => {
  it.effect("a session in a process that no launch can replace is refused, with what to type instead", () => {
    const { layer, world } = faked()
    world.agent.sessions = [{ ...conductor, unwatchable: { why: "a server has it", next: "stop it" } }]
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const [agent] = (yield* souffleur.overview("/p")).agents
      assert.deepInclude(agent, { why: "a server has it", next: "stop it" })
      const error = yield* Effect.flip(souffleur.watch(asked))
      assert.deepInclude(error, { _tag: "BadTarget", message: "a server has it: type stop it" })
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})

it.effect("a watch is taken by its guardian's word from that owner alone, and not where the owner has left", () => {
  const { layer } = faked()
  return Effect.gen(function* () {
    const souffleur = yield* Souffleur
    const restored = Option.getOrThrow(parseRestoration("died:1"))
    assert.deepStrictEqual(restored, { reason: "died", over: 1 })
    const id = yield* Effect.scoped(
      Effect.gen(function* () {
        const { id } = yield* souffleur.watch(asked)
        yield* untilEvent(id, "WatchSettled")
        const another = { ...restored, over: 7 }
        assert.strictEqual((yield* Effect.flip(souffleur.resume(id, { restored: another })))._tag, "AlreadyWatched")
        return id
      })
    )
    // A person is told first, as far as anything is left to tell.
    assert.strictEqual((yield* untilDone(Effect.flip(souffleur.resume(id, { restored }))))._tag, "NotRestored")
    assert.strictEqual((yield* souffleur.resume(id)).id, id)
  }).pipe(Effect.scoped, Effect.provide(layer))
})

it.effect("a watch remarks what is wrong in its config file", () => {
  const world = new FakeWorld({ conductor, settings: { source: "/p/souffleur.toml", warnings: ["HUNG is unknown"] } })
  const layer = Souffleur.layer.pipe(Layer.provide(Parts.layerFixed(fakeKind)), Layer.provideMerge(world.layer))
  const said: Array<Remark> = []
  return Effect.gen(function* () {
    const souffleur = yield* Souffleur
    yield* souffleur.watch(asked)
    assert.deepInclude(said, { level: "warning", text: "/p/souffleur.toml: HUNG is unknown" })
  }).pipe(
    Effect.scoped,
    Effect.provideService(Remarks, (one) => Effect.sync(() => void said.push(one))),
    Effect.provide(layer)
  )
})

describe("behaviour#caps-of-the-user", () => {
  it.effect("a start says which caps were understood, and nothing where there are none", () => {
    const started = Effect.fnUntraced(function* (caps: FakeAgent["caps"]) {
      const { layer, world } = faked()
      world.agent.caps = caps
      const said: Array<Remark> = []
      yield* Effect.flatMap(Souffleur, ({ watch }) => watch(asked)).pipe(
        Effect.scoped,
        Effect.provideService(Remarks, (one) => Effect.sync(() => void said.push(one))),
        Effect.provide(layer)
      )
      return said.filter(({ text }) => text.includes("at most"))
    })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* started([{ kind: "dollars", flag: "--max-budget-usd", limit: 0.5 }]), [
        { level: "info", text: "over all its launches it gets at most $0.50 (--max-budget-usd)" }
      ])
      assert.deepStrictEqual(yield* started([]), [])
    })
  })

  it.effect("the caps of a process of the user's own count from its start, over a recovery and an adoption", () => {
    const { layer, world } = faked()
    const { agent, conductor, launcher, processes } = world
    agent.capNames = { flags: {}, variables: { AGENT_MAX_TURNS: "turns" } }
    return Effect.gen(function* () {
      yield* TestClock.setTime(100_000)
      processes.run({ pid: 4711, words: ["agent"], environment: { AGENT_MAX_TURNS: "12" }, startedAt: 40_000 })
      const souffleur = yield* Souffleur
      const { id } = yield* souffleur.watch(asked)
      const event = yield* untilEvent(id, "CapsFound")
      assert.deepInclude(event, { caps: [{ kind: "turns", flag: "AGENT_MAX_TURNS", limit: 12 }], began: 40_000 })
      agent.turns = 5
      yield* conductor.dies
      yield* untilEvent(id, "ConductorRelaunched")
      assert.deepStrictEqual([...launcher.prepared.values()].at(-1)?.command.environment, { AGENT_MAX_TURNS: "7" })
      conductor.begin({ pid: 4800, sessionId: "s2" })
      yield* souffleur.adopt(id, { pid: 4800, sessionId: "s2" })
      agent.turns = 12
      processes.end(4800)
      const reached = yield* untilEvent(id, "CeilingReached")
      assert.deepInclude(reached, { used: 12, limit: 12, flag: "AGENT_MAX_TURNS" })
      assert.strictEqual(agent.spentSince, 40_000)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})

it.effect("fixed parts refuse a guardian, and open no watch for it", () => {
  const { layer } = faked()
  return Effect.gen(function* () {
    const souffleur = yield* Souffleur
    const error = yield* Effect.flip(souffleur.watch({ ...asked, guardian: { line: () => ["node"], cwd: "/" } }))
    assert.deepInclude(error, { _tag: "NoGuardian", message: "fixed parts have no guardian: leave it out" })
    assert.strictEqual((yield* Effect.flip(souffleur.preview({ watch: "w" })))._tag, "NoPreview")
    assert.deepStrictEqual(yield* souffleur.watches, [])
  }).pipe(Effect.scoped, Effect.provide(layer))
})

describe("behaviour#first-launch", () => {
  it.effect(
    "a run whose folder's watch ends in the same moment looks at the folder again, and begins its command",
    () => {
      const world = new FakeWorld({ conductor })
      const fixed = Parts.layerFixed(fakeKind)
      // The watch is released after it was found, and before it is owned.
      const releasing = Layer.effect(
        Parts,
        Effect.gen(function* () {
          const parts = yield* Parts
          const context = yield* Effect.context<EventLog | Launcher | Settings | FileSystem.FileSystem | Path.Path>()
          return Parts.of({
            ...parts,
            goingOn: (known) =>
              Effect.andThen(Effect.orDie(Effect.provideContext(release(known.id), context)), parts.goingOn(known))
          })
        })
      ).pipe(Layer.provide(fixed))
      const layer = Souffleur.layer.pipe(Layer.provide(releasing), Layer.provideMerge(world.layer))
      return Effect.gen(function* () {
        const souffleur = yield* Souffleur
        const first = yield* Effect.scoped(
          Effect.tap(souffleur.watch(asked), ({ id }) => untilEvent(id, "WatchSettled"))
        )
        // This world has no programs, so that the command which is begun cannot be found.
        const error = yield* Effect.flip(souffleur.run({ project: "/p", command: ["/bin/make"], force: true }))
        assert.deepInclude(error, { _tag: "AgentNotFound", program: "/bin/make" })
        assert.strictEqual((yield* souffleur.state(first.id)).end, "released")
      }).pipe(Effect.scoped, Effect.provide(layer))
    }
  )
})

describe("behaviour#last-words", () => {
  it.effect("an app gets the whole last answer of an agent, also of one that printed nothing, and its use", () => {
    const { layer, world } = faked()
    world.launcher.terminals = ["tmux"]
    const answer = `${"All tests pass. ".repeat(100)}\n\n${"line\n".repeat(9)}`
    world.agent.answers.set("s1", answer)
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const { id } = yield* souffleur.watch(asked)
      yield* untilEvent(id, "WatchSettled")
      assert.strictEqual(yield* souffleur.lastWords("s1"), answer)
      yield* souffleur.done(id)
      assert.deepInclude(yield* souffleur.result(id), { id, end: "completed", exit: null, words: answer })
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})

describe("command-line#output", () => {
  it.effect(
    "an agent that souffleur did not start, or that has a window, has no output, and the error says why",
    () => {
      const { layer, world } = faked()
      world.launcher.terminals = ["tmux"]
      return Effect.gen(function* () {
        const souffleur = yield* Souffleur
        const { id } = yield* souffleur.watch(asked)
        yield* untilEvent(id, "WatchSettled")
        const none = Effect.flip(Stream.runDrain(souffleur.output(id)))
        const started = yield* none
        assert.deepStrictEqual([started._tag, started.message.includes("did not start its agent")], ["NoOutput", true])
        yield* world.conductor.dies
        yield* untilEvent(id, "ConductorRelaunched")
        const windowed = yield* none
        assert.deepStrictEqual([windowed._tag, windowed.message.includes("a window of its own")], ["NoOutput", true])
      }).pipe(Effect.scoped, Effect.provide(layer))
    }
  )
})

it.effect("a command runs in the fake world where its program was put there, and is run again to its end", () => {
  const { layer, world } = faked()
  world.files.program("/bin/make")
  return Effect.gen(function* () {
    const souffleur = yield* Souffleur
    const { awaitEnd, id } = yield* souffleur.run({ project: "/q", command: ["/bin/make", "night"] })
    yield* untilEvent(id, "WatchSettled")
    yield* world.conductor.dies
    assert.strictEqual((yield* untilEvent(id, "ConductorRelaunched")).generation, 2)
    yield* world.conductor.completes
    assert.strictEqual((yield* untilEvent(id, "ConductorCompleted")).by, "exit")
    assert.strictEqual((yield* awaitEnd).end, "completed")
  }).pipe(Effect.scoped, Effect.provide(layer))
})

describe("behaviour#limits-of-a-job", () => {
  it.effect("a job ends at the time that its program gave it, and that end is a value", () => {
    const { layer, world } = faked()
    world.files.program("/bin/make")
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const order = { project: "/q", command: ["/bin/make", "night"], limits: { time: "20 minutes" } } as const
      const { awaitEnd, id } = yield* souffleur.run(order)
      yield* untilEvent(id, "WatchSettled")
      yield* passes("19 minutes")
      assert.isUndefined((yield* souffleur.state(id)).end)
      yield* passes("1 minute")
      const ended = yield* awaitEnd
      assert.deepStrictEqual([ended.end, ended.ceiling?.used], ["limit reached", 1_200_000])
      assert.isFalse(world.processes.alive.includes(ended.conductor?.pid ?? 0))
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
  it.effect("amounts that are none, or that a command never tells, are refused", () => {
    const { layer, world } = faked()
    world.files.program("/bin/make")
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      for (const [limits, why] of [
        [{ time: "soon" as "1 hour" }, "a limit of time must be more than none, and finite"],
        [{ tokens: 0.5 }, "a limit of tokens must be more than none, and finite"],
        [{ dollars: 0.001 }, "a limit of dollars must be more than none, and finite"],
        [{ tokens: 5 }, "a plain command tells of no tokens and no dollars: limit its time"]
      ] as const) {
        const order = { project: "/q", command: ["/bin/make"], limits } as const
        assert.deepInclude(yield* Effect.flip(souffleur.run(order)), { _tag: "CommandRefused", message: why })
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})

it.effect(
  "a watch that is released before souffleur has looked at its config file ends well, and launches nothing",
  () => {
    const { layer, world } = faked()
    world.files.program("/bin/make")
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const settings = yield* Effect.flatten(CycleSettings)
      const released = Effect.gen(function* () {
        for (const { id } of yield* souffleur.watches) yield* Effect.ignore(souffleur.release(id))
        return settings
      }).pipe(Effect.orDie)
      const { awaitEnd, id } = yield* Effect.provideService(
        souffleur.run({ project: "/q", command: ["/bin/make", "night"] }),
        CycleSettings,
        released
      )
      assert.strictEqual((yield* awaitEnd).end, "released")
      assert.notInclude(
        (yield* souffleur.history(id)).map(({ event }) => event._tag),
        "ConductorConfirmed"
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
  }
)

it.effect("the state and the decisions of a watch are there at each revision", () => {
  const { layer, world } = faked()
  return Effect.gen(function* () {
    const souffleur = yield* Souffleur
    const { id } = yield* souffleur.watch(asked)
    assert.isTrue(Option.isNone(yield* souffleur.why(id)))
    yield* untilEvent(id, "WatchSettled")
    const before = yield* souffleur.state(id)
    yield* world.conductor.dies
    yield* untilEvent(id, "ConductorDied")
    const why = Option.getOrThrow(yield* souffleur.why(id))
    assert.include(why.lines.join("\n"), why.rule)
    const died = (yield* souffleur.history(id)).find(({ event }) => event._tag === "ConductorDied")
    const decided = Option.getOrThrow(yield* souffleur.why(id, died!))
    assert.strictEqual(decided.recorded.event._tag, "ConductorDied")
    assert.include(decided.seen.join("\n"), "process 4711")
    assert.deepStrictEqual(yield* souffleur.state(id, { revision: before.revision }), before)
    assert.deepStrictEqual(yield* souffleur.state({ project: "/p" }, { time: before.lastEventAt }), before)
    const after = yield* souffleur.history(id, { after: before.revision })
    assert.strictEqual(after[0]?.revision, before.revision + 1)
    const released = yield* souffleur.release(id)
    assert.strictEqual(released.end, "released")
    for (const name of ["another", { project: "/another" }])
      assert.strictEqual((yield* Effect.flip(souffleur.state(name)))._tag, "WatchNotFound")
  }).pipe(Effect.scoped, Effect.provide(layer))
})

describe("behaviour#hold", () => {
  it.effect("an operator holds a watch, and lets it go on with what was held back", () => {
    const { layer, world } = faked()
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const { id } = yield* souffleur.watch(asked)
      yield* untilEvent(id, "WatchSettled")
      assert.strictEqual((yield* Effect.flip(souffleur.go(id)))._tag, "Refused")
      assert.isDefined((yield* souffleur.hold(id)).held)
      yield* world.conductor.dies
      yield* untilEvent(id, "RecoveryWithheld")
      assert.deepStrictEqual([world.launches, world.signals], [[], []])
      // The session is quiet already, so that the launch may come at once.
      const relaunched = yield* Effect.forkScoped(untilEvent(id, "ConductorRelaunched"), { startImmediately: true })
      assert.isDefined((yield* souffleur.go(id)).recovery)
      yield* Fiber.join(relaunched)
      assert.strictEqual(world.launches.length, 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})

it.effect("an operator makes another process the Conductor, and a recovery that failed is tried again", () => {
  const { layer, world } = faked()
  return Effect.gen(function* () {
    const souffleur = yield* Souffleur
    const { id } = yield* souffleur.watch(asked)
    yield* untilEvent(id, "WatchSettled")
    world.conductor.begin({ pid: 4800, sessionId: "s2" })
    const adopted = yield* souffleur.adopt(id, { pid: 4800, sessionId: "s2" })
    assert.deepStrictEqual([adopted.generation, adopted.conductor?.pid], [2, 4800])
    assert.strictEqual((yield* Effect.flip(souffleur.adopt(id, { pid: 1, sessionId: "s2" })))._tag, "BadTarget")
    assert.strictEqual((yield* Effect.flip(souffleur.retry(id)))._tag, "Refused")
  }).pipe(Effect.scoped, Effect.provide(layer))
})

/** The same world with another agent beside the first. */
const withCodex = (settings: Partial<Settings["Service"]> = {}) => {
  const { layer, world } = faked(settings)
  const codex = new FakeAgent(world.processes)
  codex.files = new Set()
  world.agent.files = new Set(["s1"])
  world.agent.signs = () => ({ writtenAt: 0, turn: { _tag: "Finished", at: 0 }, context: undefined })
  world.agent.others.set("codex", codex)
  return { codex, layer, world }
}

describe("behaviour#hand-over", () => {
  it.effect("a person hands a running agent's conversation over, and the watch goes on with the other agent", () => {
    const { codex, layer, world } = withCodex()
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const { id } = yield* souffleur.watch(asked)
      yield* untilEvent(id, "WatchSettled")
      const relaunched = yield* Effect.forkScoped(untilEvent(id, "ConductorRelaunched"), { startImmediately: true })
      const { agent, handedFrom } = yield* souffleur.retry(id, { agent: "codex" })
      assert.deepStrictEqual([agent, handedFrom], ["codex", "agent"])
      const { provider } = yield* Fiber.join(relaunched)
      assert.strictEqual(provider, "handover")
      // The look of the person's command, that of the recovery before it stops anything, and the launch.
      assert.lengthOf(codex.orders, 3)
      assert.include(codex.orders[2]?.prompt, "Another agent, agent, did it until now")
      assert.deepStrictEqual(world.signals, ["SIGTERM 4711"])
      codex.files?.add(codex.orders[2]!.session.sessionId)
      const again = yield* Effect.forkScoped(untilEvent(id, "ConductorRelaunched"), { startImmediately: true })
      yield* world.conductor.dies
      yield* Fiber.join(again)
      // At the begin of the watch the first agent was looked for, and never launched.
      assert.deepStrictEqual([codex.orders.length, world.agent.orders.length], [4, 1])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
  it.effect("a hand-over to an agent that has gone since stops nothing, and the agent before goes on", () => {
    const { codex, layer, world } = withCodex()
    // It goes between the word and the recovery.
    Object.defineProperty(codex, "missing", { get: () => codex.orders.length > 1 })
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const { id, state } = yield* souffleur.watch(asked)
      yield* untilEvent(id, "WatchSettled")
      const closed = yield* Effect.forkScoped(untilEvent(id, "RecoveryFailedClosed"), { startImmediately: true })
      yield* souffleur.retry(id, { agent: "codex" })
      assert.strictEqual((yield* Fiber.join(closed)).stage, "hand-over")
      const refused = yield* Effect.flip(souffleur.retry(id))
      assert.include(refused.message, "a retry with agent agent has that one go on")
      yield* souffleur.retry(id, { agent: "agent" })
      const { agent, generation, standby } = yield* state
      assert.deepStrictEqual([agent, generation, standby, world.signals], ["agent", 1, undefined, []])
      const relaunched = yield* Effect.forkScoped(untilEvent(id, "ConductorRelaunched"), { startImmediately: true })
      yield* world.conductor.dies
      const { provider, sessionId } = yield* Fiber.join(relaunched)
      assert.deepStrictEqual([provider, sessionId], ["resume", "s1"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("a watch that was handed over goes on without the agent that it began with", () => {
    const { codex, layer, world } = withCodex()
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const id = yield* Effect.gen(function* () {
        const { id } = yield* souffleur.watch(asked)
        yield* untilEvent(id, "WatchSettled")
        const relaunched = yield* Effect.forkScoped(untilEvent(id, "ConductorRelaunched"), { startImmediately: true })
        yield* souffleur.retry(id, { agent: "codex" })
        yield* Fiber.join(relaunched)
        return id
      }).pipe(Effect.scoped)
      const before = [codex.orders.length, world.agent.orders.length]
      assert.strictEqual((yield* souffleur.resume(id)).id, id)
      // It looks whether it could launch the agent that goes on, and no other.
      assert.deepStrictEqual([codex.orders.length, world.agent.orders.length], [before[0]! + 1, before[1]])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect(
    "an agent that is unknown, missing or without a conversation takes nothing over, and nothing is stopped",
    () => {
      const { codex, layer, world } = withCodex()
      return Effect.gen(function* () {
        const souffleur = yield* Souffleur
        const { id, state } = yield* souffleur.watch(asked)
        yield* untilEvent(id, "WatchSettled")
        const { revision } = yield* state
        const refusal = Effect.fnUntraced(function* (agent: string) {
          const error = yield* Effect.flip(souffleur.retry(id, { agent }))
          assert.strictEqual(error._tag, "AgentUnfit")
          return error.message
        })
        assert.strictEqual(yield* refusal("nonesuch"), 'no agent is called "nonesuch": name agent, codex')
        codex.missing = true
        assert.strictEqual(yield* refusal("codex"), "codex cannot be launched: not found in PATH")
        codex.missing = false
        world.agent.signs = () => undefined
        assert.strictEqual(yield* refusal("codex"), "the watch has no conversation that can be read")
        assert.deepStrictEqual([world.signals, (yield* state).revision], [[], revision])
      }).pipe(Effect.scoped, Effect.provide(layer))
    }
  )
})

describe("behaviour#adopt", () => {
  it.effect("a watch whose new Conductor is another agent goes on with that agent, also in a fresh session", () => {
    const { codex, layer, world } = withCodex({ recovery: "export" })
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const { id } = yield* souffleur.watch(asked)
      yield* untilEvent(id, "WatchSettled")
      world.conductor.begin({ pid: 4800, sessionId: "s2" })
      codex.files?.add("s2")
      const { agent } = yield* souffleur.adopt(id, { pid: 4800, sessionId: "s2", force: true })
      assert.strictEqual(agent, "codex")
      // The first one has ended too.
      world.agent.sessions = world.agent.sessions.filter(({ sessionId }) => sessionId === "s2")
      const relaunched = yield* Effect.forkScoped(untilEvent(id, "ConductorRelaunched"), { startImmediately: true })
      yield* world.conductor.dies
      const { provider } = yield* Fiber.join(relaunched)
      assert.strictEqual(provider, "claude_export")
      assert.strictEqual(codex.orders.at(-1)?.session._tag, "Fresh")
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})

describe("behaviour#launch", () => {
  it.effect("an agent that takes no window goes on without one in tmux", () => {
    const { codex, layer, world } = withCodex()
    world.launcher.terminals = ["tmux"]
    codex.windowless = true
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const { id } = yield* souffleur.watch(asked)
      yield* untilEvent(id, "WatchSettled")
      const relaunched = yield* Effect.forkScoped(untilEvent(id, "ConductorRelaunched"), { startImmediately: true })
      yield* souffleur.retry(id, { agent: "codex" })
      const { print } = yield* Fiber.join(relaunched)
      assert.deepStrictEqual([print, world.launches.map(({ command }) => command.window)], [true, [undefined]])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})
