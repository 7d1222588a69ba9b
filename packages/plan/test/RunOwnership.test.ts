import { Agent, AlreadyWatched, Claims, Launcher, type Owner, Processes } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { allRuns, loadRun, moveRunHere, ownRun, RunLog, dispatchRun } from "../src/index.ts"

const ownerOf = (pid: number): Owner => ({
  host: "here",
  machine: "m",
  pidNamespace: "pid:[1]",
  process: { pid, startTime: pid, bootId: "boot" }
})
const operator = { _tag: "Operator" } as const
const opened = (project: string) => ({
  _tag: "Open" as const,
  workflowId: "w",
  project,
  plan: `${project}/plan.yaml`,
  digest: "d",
  tasks: [{ id: "t1", title: "Do t1", dependsOn: [] }],
  progress: null,
  found: null
})

/** The claims, outside every state folder. */
const claimed = () => new Map<string, Owner>()

/** A state folder with runs `r` and `other` of one project, and conductors by their pids. `alive`: those that live. */
const conductors = (...alive: ReadonlyArray<number>) => stateFolder(claimed(), ...alive)
const stateFolder = Effect.fnUntraced(function* (all: ReturnType<typeof claimed>, ...alive: ReadonlyArray<number>) {
  const log = Context.get(yield* Layer.build(RunLog.layerMemory), RunLog)
  const within = <A, E>(
    effect: Effect.Effect<A, E, RunLog | Claims | Agent | Launcher | Processes>,
    self: number,
    isDead = (pid: number) => !alive.includes(pid)
  ) =>
    effect.pipe(
      Effect.provideService(RunLog, log),
      // No agent was asked yet, so none is looked for.
      Effect.provideService(Agent, {} as Agent["Service"]),
      Effect.provideService(Launcher, {} as Launcher["Service"]),
      Effect.provideService(Processes, {} as Processes["Service"]),
      Effect.provideService(
        Claims,
        Claims.of({
          self: ownerOf(self),
          isDead: ({ process }) => Effect.sync(() => isDead(process.pid)),
          claim: (one) =>
            Effect.suspend(() => {
              const [key, owner] = [JSON.stringify(one), all.get(JSON.stringify(one))]
              if (owner !== undefined && owner.process.pid !== self && !isDead(owner.process.pid))
                return Effect.fail(new AlreadyWatched({ owner, problem: "that souffleur is alive" }))
              all.set(key, ownerOf(self))
              return Effect.succeed(owner === undefined)
            }),
          forget: () => Effect.void,
          release: (one) => Effect.sync(() => void all.delete(JSON.stringify(one)))
        })
      )
    )
  for (const id of ["r", "other"]) yield* within(dispatchRun(id, opened("/p"), operator), 1)
  const own = (id: string, self: number, isDead?: (pid: number) => boolean) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const exit = yield* Effect.exit(within(Effect.provideService(ownRun(id), Scope.Scope, scope), self, isDead))
      return { exit, ref: Exit.isSuccess(exit) ? exit.value : undefined, leave: Scope.close(scope, Exit.void) }
    })
  const why = (exit: Exit.Exit<unknown, { readonly _tag: string }>) =>
    Exit.isSuccess(exit)
      ? "owned"
      : Exit.findErrorOption(exit).pipe((error) => (error._tag === "Some" ? error.value._tag : "died"))
  return {
    own: (id: string, self: number, isDead?: (pid: number) => boolean) =>
      Effect.map(own(id, self, isDead), (all) => ({ ...all, why: why(all.exit) })),
    opens: (id: string, where: { readonly project: string; readonly workTree: string }) =>
      within(dispatchRun(id, { ...opened(where.project), ...where }, operator), 1),
    run: (id: string) => within(loadRun(id), 1),
    runs: within(allRuns, 1),
    move: (id: string) => within(moveRunHere(id), 10),
    take: (id: string, pid: number, over: number, owner = ownerOf(pid)) =>
      within(dispatchRun(id, { _tag: "Take", owner, over }, operator), 1)
  }
})

describe("behaviour#run", () => {
  describe("a work tree", () => {
    it.effect(
      "the work tree is claimed, not the project's folder: another state folder's conductor in another folder is refused",
      () =>
        Effect.gen(function* () {
          const all = claimed()
          const one = yield* stateFolder(all, 10)
          const two = yield* stateFolder(all, 10)
          yield* one.opens("sub", { project: "/tree/pkg/a", workTree: "/tree" })
          yield* two.opens("sub", { project: "/tree/pkg/b", workTree: "/tree" })
          assert.strictEqual((yield* one.own("sub", 10)).why, "owned")
          assert.strictEqual((yield* two.own("sub", 11)).why, "AlreadyWatched")
        }).pipe(Effect.scoped)
    )
  })

  describe("the conductor of a run", () => {
    it.effect("a conductor takes a run under the next fence, and leaves it when it ends", () =>
      Effect.gen(function* () {
        const { own, run } = yield* conductors(10)
        const { leave, ref, why } = yield* own("r", 10)
        assert.deepStrictEqual([why, (yield* run("r")).fence, (yield* run("r")).owner], ["owned", 1, ownerOf(10)])
        assert.strictEqual((yield* ref!.state).fence, 1)
        yield* leave
        assert.isNull((yield* run("r")).owner)
      })
    )
    it.effect("a conductor overtakes no live owner, and a dead one", () =>
      Effect.gen(function* () {
        const { own, run } = yield* conductors(10, 20)
        yield* own("r", 10)
        assert.strictEqual((yield* own("r", 20)).why, "AlreadyWatched")
        assert.deepStrictEqual((yield* run("r")).owner, ownerOf(10))
        assert.strictEqual((yield* own("r", 20, (pid) => pid === 10)).why, "owned")
        assert.strictEqual((yield* run("r")).fence, 2)
      })
    )
    it.effect("a person's word moves a run here from an owner that cannot be seen, and from no other", () =>
      Effect.gen(function* () {
        const { move, own, run, take } = yield* conductors(7, 10)
        const far = { ...ownerOf(7), pidNamespace: "pid:[2]" }
        yield* take("r", 7, 0, far)
        const refused = (yield* own("r", 10)).exit
        assert.deepInclude(Option.getOrThrow(Exit.findErrorOption(refused)), { _tag: "AlreadyWatched", unseen: true })
        yield* move("r")
        assert.isNull((yield* run("r")).owner)
        assert.strictEqual((yield* own("r", 10)).why, "owned")
        assert.strictEqual((yield* Effect.flip(move("r")))._tag, "Refused")
      })
    )
    it.effect("a conductor must have seen the current fence: an owner that came between is not overtaken", () =>
      Effect.gen(function* () {
        const { own, run, take } = yield* conductors(10, 20)
        yield* take("r", 9, 0)
        let between = take("r", 20, 1)
        const dead = (pid: number) => {
          if (pid === 9) {
            Effect.runSync(Effect.orDie(between))
            between = Effect.die("once")
          }
          return pid === 9
        }
        assert.strictEqual((yield* own("r", 10, dead)).why, "Refused")
        assert.deepStrictEqual((yield* run("r")).owner, ownerOf(20))
      })
    )
    it.effect(
      "a conductor has the one run of a project: a live conductor of another run is seen, a dead one does not count",
      () =>
        Effect.gen(function* () {
          const { own, run } = yield* conductors(10, 20)
          yield* own("r", 10)
          const second = yield* own("other", 20)
          assert.strictEqual(second.why, "AlreadyWatched")
          yield* second.leave
          assert.isNull((yield* run("other")).owner)
          assert.strictEqual((yield* own("other", 20, (pid) => pid === 10)).why, "owned")
        })
    )
    it.effect("a conductor has its project to itself, whatever state folder another uses, until it leaves", () =>
      Effect.gen(function* () {
        const all = claimed()
        const one = yield* stateFolder(all, 10, 20)
        const two = yield* stateFolder(all, 10, 20)
        const { leave } = yield* one.own("r", 10)
        assert.strictEqual((yield* two.own("r", 20)).why, "AlreadyWatched")
        assert.strictEqual((yield* two.run("r")).fence, 0)
        yield* leave
        assert.strictEqual((yield* two.own("r", 20)).why, "owned")
      })
    )
    it.effect("a claim that has vanished is made again, and left to another that claimed meanwhile", () =>
      Effect.gen(function* () {
        const all = claimed()
        const one = yield* stateFolder(all, 10, 20)
        const two = yield* stateFolder(all, 10, 20)
        const { leave, ref } = yield* one.own("r", 10)
        all.clear()
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* two.own("r", 20)).why, "AlreadyWatched")
        all.clear()
        assert.strictEqual((yield* two.own("r", 20)).why, "owned")
        yield* ref!.granted(() => true)
        yield* TestClock.adjust("1 minute")
        for (const act of [ref!.granted(() => true), Effect.asVoid(ref!.dispatch({ _tag: "Resume" }))]) {
          const refused = yield* Effect.flip(act)
          assert.deepInclude(refused, { _tag: "Refused", reason: "fenced", message: "that souffleur is alive" })
        }
        yield* leave
        assert.isNull((yield* one.run("r")).owner)
      })
    )
    it.effect(
      "a conductor says and does nothing more once it is overtaken, and nothing that is not true of the run",
      () =>
        Effect.gen(function* () {
          const { own, take } = yield* conductors(10)
          const { ref } = yield* own("r", 10)
          yield* ref!.granted(() => true)
          assert.strictEqual((yield* Effect.flip(ref!.granted(() => false)))._tag, "Refused")
          yield* take("r", 20, 1)
          assert.strictEqual((yield* Effect.flip(ref!.granted(() => true)))._tag, "Refused")
          assert.deepInclude(yield* Effect.flip(ref!.dispatch({ _tag: "RebuildStateFile", found: "missing" })), {
            reason: "fenced"
          })
        })
    )
  })
})
