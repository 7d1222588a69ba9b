import { assert, describe } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Fiber, Stream } from "effect"
import { isRunOver, type Plan, type RunEvent } from "../src/index.ts"
import { branchesOf, excluding } from "./BranchPlay.ts"
import { type Act, approves, complete, planOf, refusedFor } from "./PlanStage.ts"
import { live, type Play, say, type theatre } from "./PlanTheatre.ts"

type Work = Parameters<Parameters<typeof theatre>[0]>[0]

const two = { worktrees: true, parallel: 2 } as const
const taskOf = (prompt: string) => /\*\*Task ID:\*\* (\S+)/u.exec(prompt)?.[1] ?? ""

/** Commits a file in the agent's own folder. */
const makes = Effect.fnUntraced(function* ({ at }: Work, cwd: string, name: string, text = name) {
  const { git, write } = at(cwd)
  yield* write(name, `${text}\n`)
  yield* git("add", name)
  yield* git("commit", "-q", "-m", `make ${name}`)
  return complete
})

/** Makes an act of which none ends before so many have begun. */
const meeting = (count: number) => {
  const all = Deferred.makeUnsafe<void>()
  let begun = 0
  return Effect.suspend(() => (++begun === count ? Deferred.succeed(all, undefined) : Deferred.await(all)))
}

/** Returns the tasks of the agents that were at work right after each was asked, by the log. */
const atOnce = (events: ReadonlyArray<RunEvent>) => {
  const live = new Map<string, string | null>()
  return events.flatMap((event) => {
    if (event._tag === "AgentAsked") live.set(event.token, event.taskId)
    else if ("token" in event && !["AgentPrepared", "AgentLaunched", "AgentSpent", "AgentEnding"].includes(event._tag))
      live.delete(event.token)
    return event._tag === "AgentAsked" ? [[...live.values()].join(" ")] : []
  })
}
const filesOf = ({ git }: Play) => Effect.map(git("ls-files"), (text) => text.trim().split("\n"))
const isTidy = Effect.fnUntraced(function* (play: Play) {
  assert.deepStrictEqual(yield* branchesOf(play), ["main"])
  assert.strictEqual(yield* play.git("status", "--porcelain"), "")
})
const playing = (implementer: (work: Work) => Act, plan: Partial<Plan> = two, tasks = ["t1", "t2"]) =>
  excluding((work) => ({ implementer: [implementer(work)], reviewer: [say(approves)] }), { plan, tasks })

describe.concurrent("behaviour#parallel", () => {
  live("two tasks are at work at once, each in its tree, and both land: the second with a commit of both", () =>
    Effect.gen(function* () {
      const met = meeting(2)
      const play = yield* playing(
        (work) =>
          ({ cwd, prompt }) =>
            Effect.andThen(met, makes(work, cwd, `${taskOf(prompt)}.txt`))
      )
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run), JSON.stringify(run.paused))
      assert.deepStrictEqual(atOnce(yield* play.events).slice(0, 2), ["t1", "t1 t2"])
      assert.deepStrictEqual(yield* filesOf(play), ["base.txt", "t1.txt", "t2.txt"])
      assert.strictEqual((yield* play.git("rev-list", "--count", "--merges", "HEAD")).trim(), "1")
      assert.lengthOf(play.asked, 4)
      yield* isTidy(play)
    })
  )
  live("the second of two that are at odds goes back to its session, is reviewed again, and lands", () =>
    Effect.gen(function* () {
      const met = meeting(2)
      const play = yield* playing(
        (work) =>
          ({ cwd, prompt, resumed }) =>
            resumed
              ? Effect.as(work.at(cwd).git("merge", "-q", "-s", "ours", "main"), complete)
              : Effect.andThen(met, makes(work, cwd, "base.txt", taskOf(prompt)))
      )
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run), JSON.stringify([run.paused, yield* play.tags]))
      assert.lengthOf(
        (yield* play.tags).filter((tag) => tag === "LandingRefused"),
        1
      )
      const again = play.asked.filter(({ resumed }) => resumed)
      assert.deepStrictEqual(
        again.map(({ role }) => role),
        ["implementer"]
      )
      const last = (yield* play.events).findLast((event) => event._tag === "TaskCompleted")
      assert.strictEqual(yield* play.git("show", "HEAD:base.txt"), `${last?.taskId}\n`)
      yield* isTidy(play)
    })
  )
  live("tasks that touch the same files are at work one after the other", () =>
    Effect.gen(function* () {
      const { tasks } = planOf("t1", "t2", "t3")
      const met = meeting(2)
      const play = yield* playing(
        (work) =>
          ({ cwd, prompt }) =>
            Effect.andThen(taskOf(prompt) === "t2" ? Effect.void : met, makes(work, cwd, `${taskOf(prompt)}.txt`)),
        { ...two, tasks: tasks.map((task) => ({ ...task, touches: [task.id === "t3" ? "docs/**" : "src/*.ts"] })) }
      )
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run), JSON.stringify(run.paused))
      const beside = atOnce(yield* play.events)
      assert.deepStrictEqual(beside.slice(0, 2), ["t1", "t1 t3"])
      assert.isTrue(
        beside.every((ids) => !ids.includes("t1") || !ids.includes("t2")),
        beside.join(", ")
      )
    })
  )
  live("a stop at once ends the agents of all tasks; each session goes on later, and no attempt is counted", () =>
    Effect.gen(function* () {
      const play = yield* playing(
        (work) =>
          ({ cwd, prompt, resumed }) =>
            resumed ? makes(work, cwd, `${taskOf(prompt) || cwd.slice(-2)}.txt`) : Effect.as(Effect.void, undefined)
      )
      const launches = play.changes.pipe(
        Stream.filter(({ event }) => event._tag === "AgentLaunched"),
        Stream.take(2),
        Stream.runDrain
      )
      const conducting = yield* Effect.forkChild(play.conducts)
      yield* launches
      yield* play.dispatch({ _tag: "Stop", atOnce: true })
      const stopped = yield* Fiber.join(conducting)
      assert.deepStrictEqual([stopped.assignments.length, stopped.stop?.now], [0, true])
      assert.lengthOf(play.signals, 2)
      yield* play.dispatch({ _tag: "EndStop" })
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run), JSON.stringify([run.paused, yield* play.tags]))
      assert.deepStrictEqual(
        run.tasks.map(({ attempts }) => attempts),
        [1, 1]
      )
      yield* isTidy(play)
    })
  )
  live("a service that refuses both is waited for once, and both sessions go on", () =>
    Effect.gen(function* () {
      const met = meeting(2)
      const play = yield* playing(
        (work) => (assignment) =>
          assignment.resumed
            ? makes(work, assignment.cwd, `${taskOf(assignment.prompt)}.txt`)
            : Effect.andThen(met, refusedFor(2000)(assignment))
      )
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run), JSON.stringify([run.paused, yield* play.tags]))
      const count = (tag: RunEvent["_tag"]) => Effect.map(play.tags, (all) => all.filter((one) => one === tag).length)
      assert.deepStrictEqual([yield* count("AgentLimited"), yield* count("LimitWaitEnded")], [2, 1])
      assert.deepStrictEqual(
        run.tasks.map(({ attempts }) => attempts),
        [1, 1]
      )
      yield* isTidy(play)
    })
  )
  live("an agent that cannot be ended pauses the run; the other goes on to its end, and nothing begins", () =>
    Effect.gen(function* () {
      const [begun, paused] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const play = yield* excluding(
        (work) => ({
          implementer: [
            ({ cwd, prompt }) =>
              taskOf(prompt) === "t1"
                ? Effect.as(Effect.void, undefined)
                : Deferred.succeed(begun, undefined).pipe(
                    Effect.andThen(Deferred.await(paused)),
                    Effect.andThen(makes(work, cwd, "t2.txt"))
                  )
          ],
          reviewer: [say(approves)],
          ends: () => Effect.as(Deferred.await(begun), false)
        }),
        { plan: two, tasks: ["t1", "t2", "t3"], settings: { implementerTimeout: Duration.seconds(1) } }
      )
      yield* play.changes.pipe(
        Stream.filter(({ event }) => event._tag === "RunPaused"),
        Stream.take(1),
        Stream.runDrain,
        Effect.andThen(Deferred.succeed(paused, undefined)),
        Effect.forkChild
      )
      const run = yield* play.conducts
      assert.strictEqual(run.paused?.reason, "not gone")
      assert.deepStrictEqual(
        run.assignments.map(({ taskId }) => taskId),
        ["t1"]
      )
      const after = (yield* play.tags).slice((yield* play.tags).indexOf("RunPaused"))
      assert.include(after, "ImplementationCompleted")
      assert.notInclude(after, "AgentAsked")
    })
  )
  live("after the deadline both tasks in hand are finished, before the run pauses; no other begins", () =>
    Effect.gen(function* () {
      const deadline = (yield* Clock.currentTimeMillis) + 10_000
      const play = yield* playing(
        (work) =>
          ({ cwd, prompt }) =>
            Effect.gen(function* () {
              const left = deadline - (yield* Clock.currentTimeMillis)
              yield* Effect.sleep(Math.max(0, left) + (taskOf(prompt) === "t1" ? 0 : 3000))
              return yield* makes(work, cwd, `${taskOf(prompt)}.txt`)
            }),
        two,
        ["t1", "t2", "t3", "t4"]
      )
      yield* play.until(deadline)
      const run = yield* play.conducts
      assert.strictEqual(run.paused?.reason, "deadline")
      const done = run.tasks.flatMap(({ id, status }) => (status === "completed" ? [id] : []))
      assert.deepStrictEqual(
        run.tasks.flatMap(({ begun, id }) => (begun ? [id] : [])),
        done
      )
      assert.deepStrictEqual(done, ["t1", "t2"])
    })
  )
  live("a conductor that is killed while two are at work: the next one finds both, and none is doubled or lost", () =>
    Effect.gen(function* () {
      let both = 0
      for (const moment of [14, 18, 20, 22, 24, 28, 34]) {
        const met = meeting(2)
        const play = yield* playing(
          (work) =>
            ({ cwd, prompt }) =>
              Effect.andThen(met, makes(work, cwd, `${taskOf(prompt)}.txt`))
        )
        if (!(yield* play.abandonedAt(moment))) continue
        const left = (yield* play.run).assignments
        if (left.length === 2) both += 1
        const run = yield* play.conducts
        assert.isTrue(isRunOver(run), `${moment}: ${JSON.stringify(run.paused)}`)
        assert.deepStrictEqual(yield* filesOf(play), ["base.txt", "t1.txt", "t2.txt"])
        const subjects = (yield* play.git("log", "--format=%s", "--no-merges")).trim().split("\n").toSorted()
        assert.deepStrictEqual(subjects, ["base", "make t1.txt", "make t2.txt"], `moment ${moment}`)
        assert.lengthOf(play.asked, 4, `moment ${moment}`)
        yield* isTidy(play)
      }
      assert.isAtLeast(both, 2)
    })
  )
})
