import { assert, describe, it } from "@effect/vitest"
import { Agent, Claims, Launcher, Processes, type ProcessIdentity, untilSeenOver } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Option } from "effect"
import {
  allRuns,
  type LoadedPlan,
  loadRun,
  openRun,
  ownRun,
  type Plan,
  RunLog,
  stateJson,
  dispatchRun,
  isRunOver,
  needsPerson
} from "../src/index.ts"
import { planOf } from "./PlanStage.ts"

const identity = (pid: number): ProcessIdentity => ({ pid, startTime: pid, bootId: "boot" })
const loaded = (path: string): Omit<LoadedPlan, "understood"> => ({ plan: planOf("t1"), path, digest: "d" })

const daemon = 8
/** The commits that HEAD has. */
const git = { missing: (commits: ReadonlyArray<string>) => Effect.succeed(commits.filter((one) => one !== "3f2a9c1d")) }

/** A process of souffleur. Every other one is alive. */
const souffleur = (pid: number) =>
  Claims.of({
    self: { host: "here", machine: "m", pidNamespace: "pid:[1]", process: identity(pid) },
    isDead: () => Effect.succeed(false),
    claim: () => Effect.succeed(true),
    forget: () => Effect.void,
    release: () => Effect.void
  })

/**
 * Makes a project on one log, and a machine where the processes `alive` run. An agent started at most one of them.
 * `receipt` is of each launch.
 */
const project = Effect.fnUntraced(function* (
  alive: ReadonlyArray<number> = [],
  receipt: () => ProcessIdentity | undefined = () => undefined
) {
  const log = yield* RunLog
  const folder = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
  const condition = ({ pid }: ProcessIdentity) =>
    Effect.sync(() => (alive.includes(pid) ? ("running" as const) : ("gone" as const)))
  const processes = Processes.of({
    ...({} as Processes["Service"]),
    condition,
    untilOver: untilSeenOver(condition),
    commandLine: () => Effect.succeed([]),
    tree: () =>
      Effect.sync(() =>
        alive.flatMap((pid) =>
          pid === daemon
            ? [{ identity: identity(pid), parent: 1, uid: 1, name: "daemon", condition: "running" as const }]
            : []
        )
      )
  })
  const agent = Agent.of({
    ...({} as Agent["Service"]),
    sessions: Effect.succeed([]),
    tags: () => [],
    isAgent: () => false
  })
  const launcher = Launcher.of({
    ...({} as Launcher["Service"]),
    settle: () => Effect.sync(() => Option.fromUndefinedOr(receipt()))
  })
  const as =
    (pid: number) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      effect.pipe(
        Effect.provideService(Claims, souffleur(pid)),
        Effect.provideService(Processes, processes),
        Effect.provideService(Agent, agent),
        Effect.provideService(Launcher, launcher),
        Effect.provideService(RunLog, log)
      )
  return {
    folder,
    opens: (pid: number, plan: string, id: Effect.Effect<string>) =>
      as(pid)(
        openRun(loaded(plan), {
          project: folder,
          statePath: `${folder}/state.json`,
          git: { ...git, root: folder },
          newId: id
        })
      ),
    /** Opens the plan with its current text. */
    opensPlan: (pid: number, plan: Plan, digest: string) =>
      as(pid)(
        openRun(
          { plan, path: "/plan.yaml", digest },
          {
            project: folder,
            statePath: `${folder}/state.json`,
            git: { ...git, root: folder },
            newId: Effect.succeed("one")
          }
        )
      ),
    /** Opens the plan in a folder of the same work tree. */
    opensIn: (pid: number, project: string, plan: string, id: Effect.Effect<string>) =>
      as(pid)(
        openRun(loaded(plan), { project, statePath: `${folder}/state.json`, git: { ...git, root: folder }, newId: id })
      ),
    owns: (pid: number, id: string) => as(pid)(ownRun(id)),
    alone: as(0)
  }
})

const layer = Effect.provide([HostServices.layer, RunLog.layerMemory])

describe("behaviour#run", () => {
  describe("two conductors at once", () => {
    it.effect("two conductors of one plan open one run, and one of them owns it", () =>
      Effect.gen(function* () {
        const the = yield* project()
        // Each looks for the run before the other has opened it.
        const id = Effect.as(Effect.yieldNow, "play-3f2a")
        const opened = yield* Effect.all([the.opens(1, "/plan.yaml", id), the.opens(2, "/plan.yaml", id)], {
          concurrency: 2
        })
        assert.deepStrictEqual(
          opened.map(({ id }) => id),
          ["play-3f2a", "play-3f2a"]
        )
        assert.lengthOf(yield* allRuns, 1)
        yield* the.owns(1, "play-3f2a")
        assert.deepInclude(yield* Effect.flip(the.owns(2, "play-3f2a")), { _tag: "AlreadyWatched" })
      }).pipe(Effect.scoped, Effect.provide([HostServices.layer, RunLog.layerMemory]))
    )
    it.effect("two conductors of two plans in one project: the later one leaves its run to another time", () =>
      Effect.gen(function* () {
        const the = yield* project()
        yield* the.opens(1, "/one.yaml", Effect.succeed("one"))
        yield* the.opens(2, "/two.yaml", Effect.succeed("two"))
        yield* the.owns(1, "one")
        const refused = yield* Effect.flip(Effect.scoped(the.owns(2, "two")))
        assert.deepInclude(refused, { _tag: "AlreadyWatched" })
        assert.isNull((yield* loadRun("two")).owner)
        assert.strictEqual((yield* loadRun("one")).owner?.process.pid, 1)
      }).pipe(Effect.scoped, Effect.provide([HostServices.layer, RunLog.layerMemory]))
    )
  })

  describe("a plan waits for what the conductor of another plan has left at work in its project", () => {
    const operator = { _tag: "Operator" } as const
    const asked = Effect.fnUntraced(function* (id: string) {
      yield* dispatchRun(id, { _tag: "StartTask", taskId: "t1", base: null }, operator)
      yield* dispatchRun(id, { _tag: "Ask", role: "implementer", sessionId: "s", head: null }, operator)
    })
    it.effect("its agent, and what that has started", () =>
      Effect.gen(function* () {
        const alive = [daemon, 7]
        const the = yield* project(alive)
        const { id } = yield* the.opens(1, "/one.yaml", Effect.succeed("one"))
        yield* asked(id)
        yield* dispatchRun(id, { _tag: "Launched", token: "a1", launchId: "l", process: identity(7) }, operator)
        for (const _ of [7, daemon]) {
          const refused = yield* Effect.flip(the.opens(2, "/two.yaml", Effect.succeed("two")))
          assert.include(refused._tag === "Refused" ? refused.message : refused._tag, "souffleur conduct /one.yaml")
          assert.lengthOf(yield* allRuns, 1)
          alive.pop()
        }
        yield* the.opens(2, "/two.yaml", Effect.succeed("two"))
      }).pipe(Effect.scoped, Effect.provide([HostServices.layer, RunLog.layerMemory]))
    )
    it.effect(
      "an agent whose launch is not settled in the log, also where it was asked after this plan was opened",
      () =>
        Effect.gen(function* () {
          const receipts = [identity(7), undefined]
          const the = yield* project([7], () => receipts.shift())
          const { id } = yield* the.opens(1, "/one.yaml", Effect.succeed("one"))
          yield* the.opens(2, "/two.yaml", Effect.succeed("two"))
          yield* asked(id)
          assert.deepInclude(yield* Effect.flip(Effect.scoped(the.owns(2, "two"))), {
            _tag: "Refused",
            reason: "not now"
          })
          assert.isNull((yield* loadRun("two")).owner)
          yield* the.owns(2, "two")
        }).pipe(Effect.scoped, Effect.provide([HostServices.layer, RunLog.layerMemory]))
    )
  })

  it.effect("a plan is not opened where another one is conducted", () =>
    Effect.gen(function* () {
      const the = yield* project()
      yield* the.opens(1, "/one.yaml", Effect.succeed("one"))
      yield* the.owns(1, "one")
      assert.deepInclude(yield* Effect.flip(the.opens(2, "/two.yaml", Effect.succeed("two"))), {
        _tag: "AlreadyWatched"
      })
      assert.lengthOf(yield* allRuns, 1)
    }).pipe(Effect.scoped, layer)
  )
  it.effect("a plan is not opened where another one is conducted in another folder of the same work tree", () =>
    Effect.gen(function* () {
      const the = yield* project()
      yield* the.opensIn(1, `${the.folder}/pkg/a`, "/one.yaml", Effect.succeed("one"))
      yield* the.owns(1, "one")
      assert.deepInclude(
        yield* Effect.flip(the.opensIn(2, `${the.folder}/pkg/b`, "/one.yaml", Effect.succeed("two"))),
        {
          _tag: "AlreadyWatched"
        }
      )
      assert.lengthOf(yield* allRuns, 1)
    }).pipe(Effect.scoped, layer)
  )
})

describe("behaviour#the-plan-is-a-persons", () => {
  it.effect("a finished run whose plan has got another task since is paused for a person's word", () =>
    Effect.gen(function* () {
      const the = yield* project()
      const log = yield* RunLog
      const plan = planOf("t1")
      yield* the.opensPlan(1, plan, "d")
      const events = (yield* log.read("run/one", 0)).length
      yield* log.append("run/one", events, [
        { _tag: "RunVerified", at: 1, completed: 1, skipped: 0, commits: 1, files: 1, missing: [], dropped: [] },
        { _tag: "RunFinished", at: 1, finishing: "none", message: "", delivered: null }
      ])
      yield* the.opensPlan(1, plan, "other bytes")
      assert.isTrue(isRunOver(yield* loadRun("one")))
      yield* the.opensPlan(1, planOf("t1", "t2"), "e")
      const paused = yield* loadRun("one")
      assert.deepInclude(paused.paused, { reason: "plan", message: "added: t2" })
      assert.deepStrictEqual([isRunOver(paused), needsPerson(paused)], [false, true])
    }).pipe(Effect.scoped, layer)
  )
})

describe("behaviour#state-file", () => {
  it.effect("a plan refuses a file that is no state file, whether it begins or goes on", () =>
    Effect.gen(function* () {
      const the = yield* project()
      const fs = yield* FileSystem.FileSystem
      const opens = the.opens(1, "/one.yaml", Effect.succeed("one"))
      for (const known of [0, 1]) {
        for (const text of ['{"name": "somebody else\'s"}', "# Read me\n"]) {
          yield* fs.writeFileString(`${the.folder}/state.json`, text)
          assert.deepInclude(yield* Effect.flip(opens), { _tag: "StateForeign" })
          assert.strictEqual(yield* fs.readFileString(`${the.folder}/state.json`), text)
        }
        assert.lengthOf(yield* allRuns, known)
        yield* fs.remove(`${the.folder}/state.json`)
        yield* opens
      }
    }).pipe(Effect.scoped, layer)
  )
  it.effect.each([
    ["{", "plan", "pending"],
    ["# Progress\n", "backup", "completed"]
  ] as const)(
    "a plan that begins takes a spoiled state file for what it was: %j, from the %s",
    ([text, from, status]) =>
      Effect.gen(function* () {
        const the = yield* project()
        const fs = yield* FileSystem.FileSystem
        const log = yield* RunLog
        const tasks = [{ id: "t1", status: "completed", implementer_commits: ["3f2a9c1d"] }]
        const backup = JSON.stringify({ workflow_id: "play", phase: "implementation", tasks })
        if (from === "backup") yield* fs.writeFileString(`${the.folder}/state.json.backup`, backup)
        yield* fs.writeFileString(`${the.folder}/state.json`, text)
        yield* the.opens(1, "/one.yaml", Effect.succeed("one"))
        const told = (yield* log.read("run/one", 0)).map(({ event }) => event)
        assert.deepInclude(told[1], { _tag: "StateFileRebuilt", found: "corrupt", from })
        assert.strictEqual((yield* loadRun("one")).tasks[0]?.status, status)
      }).pipe(Effect.scoped, layer)
  )
  it.effect("a plan takes over no state file of another workflow, unless that is complete", () =>
    Effect.gen(function* () {
      const the = yield* project()
      const fs = yield* FileSystem.FileSystem
      const { id } = yield* the.opens(1, "/one.yaml", Effect.succeed("one"))
      const other = { ...stateJson(yield* loadRun(id)), workflow_id: "another" }
      const write = (state: object) => fs.writeFileString(`${the.folder}/state.json`, JSON.stringify(state))
      yield* write(other)
      const refused = yield* Effect.flip(the.opens(1, "/two.yaml", Effect.succeed("two")))
      assert.include(
        refused._tag === "StateForeign" ? refused.problem : refused._tag,
        '"another", which is not complete'
      )
      yield* write({ ...other, phase: "completion" })
      yield* the.opens(1, "/two.yaml", Effect.succeed("two"))
    }).pipe(Effect.scoped, layer)
  )
  it.effect(
    "a task that a state file calls complete is so where git has all its commits; a person decides on the rest",
    () =>
      Effect.gen(function* () {
        const the = yield* project()
        const fs = yield* FileSystem.FileSystem
        const at = "2026-01-25T10:00:00Z"
        const state = {
          workflow_id: "play",
          phase: "completion",
          current_task: null,
          created_at: at,
          updated_at: at,
          finishing: "done"
        }
        const taken = Effect.fnUntraced(function* (name: string, more: object) {
          const tasks = [{ id: "t1", status: "completed", ...more }]
          yield* fs.writeFileString(`${the.folder}/state.json`, JSON.stringify({ ...state, tasks }))
          const { id } = yield* the.opens(1, `/${name}.yaml`, Effect.succeed(name))
          return yield* loadRun(id)
        })
        const proven = yield* taken("a", { implementer_commits: ["3f2a9c1d"] })
        assert.deepInclude(proven, { finishing: "done" })
        assert.deepInclude(proven.tasks[0], { status: "completed", escalation: null })
        const others = [["--help", "deadbeef"], ["3f2a9c1d", "deadbeef"], [], undefined]
        for (const [index, commits] of others.entries()) {
          const run = yield* taken(`b${index}`, { implementer_commits: commits, skipped: true })
          assert.deepInclude(run, { finishing: "not begun" })
          assert.deepInclude(run.tasks[0], { status: "escalated" })
          assert.strictEqual(run.tasks[0]?.escalation?.reason, "unproven")
        }
      }).pipe(Effect.scoped, layer)
  )
  it.effect(
    "a plan warns of no state file where none ever was; where only its own backup is there, that is taken",
    () =>
      Effect.gen(function* () {
        const the = yield* project()
        const fs = yield* FileSystem.FileSystem
        const log = yield* RunLog
        const tagsOf = (id: string) => Effect.map(log.read(`run/${id}`, 0), (all) => all.map(({ event }) => event._tag))
        yield* the.opens(1, "/one.yaml", Effect.succeed("one"))
        assert.deepStrictEqual(yield* tagsOf("one"), ["RunOpened"])
        const at = "2026-01-25T10:00:00Z"
        const state = (workflow_id: string) =>
          JSON.stringify({
            workflow_id,
            phase: "implementation",
            current_task: null,
            created_at: at,
            updated_at: at,
            tasks: [{ id: "t1", status: "completed", implementer_commits: ["3f2a9c1d"] }]
          })
        yield* fs.writeFileString(`${the.folder}/state.json.backup`, state("another"))
        yield* the.opens(1, "/two.yaml", Effect.succeed("two"))
        assert.deepStrictEqual(yield* tagsOf("two"), ["RunOpened"], "another's is no progress of this one")
        yield* fs.writeFileString(`${the.folder}/state.json.backup`, state("play"))
        yield* the.opens(1, "/three.yaml", Effect.succeed("three"))
        const told = (yield* log.read("run/three", 0)).map(({ event }) => event)
        assert.deepInclude(told[1], { _tag: "StateFileRebuilt", found: "missing", from: "backup" })
        assert.strictEqual((yield* loadRun("three")).tasks[0]?.status, "completed")
      }).pipe(Effect.scoped, layer)
  )
  it.effect("a plan that goes on tells that its state file is gone", () =>
    Effect.gen(function* () {
      const the = yield* project()
      const log = yield* RunLog
      const opens = the.opens(1, "/one.yaml", Effect.succeed("one"))
      yield* opens
      const before = (yield* log.read("run/one", 0)).length
      yield* opens
      const [told] = yield* log.read("run/one", before)
      assert.deepInclude(told?.event, { _tag: "StateFileRebuilt", found: "missing" })
    }).pipe(Effect.scoped, layer)
  )
})
