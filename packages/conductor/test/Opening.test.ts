import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Claims, Processes, type ProcessIdentity } from "@souffleur/domain"
import { Effect, FileSystem } from "effect"
import { allRuns, type LoadedPlan, loadRun, openRun, ownRun, RunLog, tellRun } from "../src/index.ts"
import { planOf } from "./Stage.ts"

const identity = (pid: number): ProcessIdentity => ({ pid, startTime: pid, bootId: "boot" })
const loaded = (path: string): LoadedPlan => ({ plan: planOf("t1"), path, digest: "d" })

/** A process of souffleur; each other one is alive. */
const souffleur = (pid: number) =>
  Claims.of({
    self: { host: "here", pidNamespace: "pid:[1]", process: identity(pid) },
    isDead: () => Effect.succeed(false),
    claim: () => Effect.void,
    release: () => Effect.void
  })

/** A project on one log, and a machine where `alive` run. */
const project = Effect.fnUntraced(function* (alive: ReadonlyArray<number> = []) {
  const [log, folder] = [yield* RunLog, yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()]
  const processes = new Proxy({} as Processes["Service"], {
    get:
      () =>
      ({ pid }: ProcessIdentity) =>
        Effect.succeed(alive.includes(pid) ? "running" : "gone")
  })
  const as =
    (pid: number) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      effect.pipe(
        Effect.provideService(Claims, souffleur(pid)),
        Effect.provideService(Processes, processes),
        Effect.provideService(RunLog, log)
      )
  return {
    folder,
    opens: (pid: number, plan: string, id: Effect.Effect<string>) => as(pid)(openRun(loaded(plan), folder, `${folder}/state.json`, id)),
    owns: (pid: number, id: string) => as(pid)(ownRun(id)),
    alone: as(0)
  }
})

describe("two conductors at once", () => {
  it.effect("of one plan open one run, and one of them owns it", () =>
    Effect.gen(function* () {
      const the = yield* project()
      // Each has looked for such a run before the other has made it.
      const id = Effect.as(Effect.yieldNow, "play-3f2a")
      const opened = yield* Effect.all([the.opens(1, "/plan.yaml", id), the.opens(2, "/plan.yaml", id)], { concurrency: 2 })
      assert.deepStrictEqual(
        opened.map(({ id }) => id),
        ["play-3f2a", "play-3f2a"]
      )
      assert.lengthOf(yield* allRuns, 1)
      yield* the.owns(1, "play-3f2a")
      assert.deepInclude(yield* Effect.flip(the.owns(2, "play-3f2a")), { _tag: "AlreadyWatched" })
    }).pipe(Effect.scoped, Effect.provide([NodeServices.layer, RunLog.layerMemory]))
  )
  it.effect("of two plans of one project: the later one leaves its run to another time", () =>
    Effect.gen(function* () {
      const the = yield* project()
      yield* the.opens(1, "/one.yaml", Effect.succeed("one"))
      yield* the.opens(2, "/two.yaml", Effect.succeed("two"))
      yield* the.owns(1, "one")
      const refused = yield* Effect.flip(Effect.scoped(the.owns(2, "two")))
      assert.deepInclude(refused, { _tag: "AlreadyWatched" })
      assert.isNull((yield* loadRun("two")).owner)
      assert.strictEqual((yield* loadRun("one")).owner?.process.pid, 1)
    }).pipe(Effect.scoped, Effect.provide([NodeServices.layer, RunLog.layerMemory]))
  )
})

it.effect("a plan waits for the agent that the conductor of another plan has left at work in its project", () =>
  Effect.gen(function* () {
    const alive = [7]
    const the = yield* project(alive)
    const { id } = yield* the.opens(1, "/one.yaml", Effect.succeed("one"))
    const tell = (intent: Parameters<typeof tellRun>[1]) => tellRun(id, intent, { _tag: "Operator" })
    yield* tell({ _tag: "StartTask", taskId: "t1", base: null })
    yield* tell({ _tag: "Ask", role: "implementer", sessionId: "s", head: null })
    yield* tell({ _tag: "Launched", token: "a1", launchId: "l", process: identity(7) })
    const refused = yield* Effect.flip(the.opens(2, "/two.yaml", Effect.succeed("two")))
    assert.include(refused._tag === "Refused" ? refused.detail : refused._tag, "souffleur conduct /one.yaml")
    assert.lengthOf(yield* allRuns, 1)
    alive.pop()
    yield* the.opens(2, "/two.yaml", Effect.succeed("two"))
  }).pipe(Effect.scoped, Effect.provide([NodeServices.layer, RunLog.layerMemory]))
)
