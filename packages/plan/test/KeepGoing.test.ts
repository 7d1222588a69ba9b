import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { isRunOver, needsPerson, next, type Run, taskOf } from "../src/index.ts"
import { excluding } from "./BranchPlay.ts"
import { approves, complete, planOf } from "./PlanStage.ts"
import { live, say } from "./PlanTheatre.ts"

const keepsGoing = { worktrees: true, keepsGoing: true } as const
const blocked = "IMPLEMENTATION_BLOCKED\nreason: no key"

/** A plan of tasks, each `id` or `id<other`, whose first implementer on a task of `stuck` is blocked. */
const playing = Effect.fnUntraced(function* (tasks: ReadonlyArray<string>, stuck: ReadonlyArray<string>) {
  const blockedOnce = new Set(stuck)
  const outlines = tasks.map((text) => text.split("<") as [string, string?])
  const plan = planOf(...outlines.map(([id]) => id))
  const order: Array<string> = []
  const play = yield* excluding(
    ({ at }) => ({
      implementer: [
        ({ cwd, prompt }) =>
          Effect.gen(function* () {
            const id = /\*\*Task ID:\*\* (\S+)/u.exec(prompt)?.[1] ?? ""
            order.push(id)
            const { git, write } = at(cwd)
            yield* write(`${id}.txt`, `${id} ${order.length}\n`)
            yield* git("add", `${id}.txt`)
            yield* git("commit", "-q", "-m", id)
            return blockedOnce.delete(id) ? blocked : complete
          })
      ],
      reviewer: [say(approves)]
    }),
    {
      plan: {
        ...keepsGoing,
        tasks: plan.tasks.map((task, at) => {
          const on = outlines[at]?.[1]
          return { ...task, dependsOn: on === undefined ? [] : [on] }
        })
      }
    }
  )
  const files = Effect.map(play.git("ls-files"), (text) => text.trim().split("\n"))
  return { ...play, order, files }
})
const statusOf = (run: Run) => run.tasks.map(({ status }) => status)
const retry = (taskId: string) => ({ _tag: "Answer", taskId, answer: "retry", text: "" }) as const

describe.concurrent("behaviour#on-escalation", () => {
  live("the tasks that do not depend on a stuck one are done before a person is waited for", () =>
    Effect.gen(function* () {
      const play = yield* playing(["t1", "t2<t1", "t3", "t4<t2", "t5<t3"], ["t1"])
      const run = yield* play.conducts
      assert.deepStrictEqual(statusOf(run), ["escalated", "pending", "completed", "pending", "completed"])
      assert.deepStrictEqual([next(run)._tag, needsPerson(run)], ["Escalated", true])
      assert.deepStrictEqual(yield* play.files, ["base.txt", "t3.txt", "t5.txt"])
      yield* play.dispatch(retry("t1"))
      const ended = yield* play.conducts
      assert.isTrue(isRunOver(ended), JSON.stringify(ended.paused))
      assert.deepStrictEqual(play.order, ["t1", "t3", "t5", "t1", "t2", "t4"])
      assert.deepStrictEqual(yield* play.files, ["base.txt", "t1.txt", "t2.txt", "t3.txt", "t4.txt", "t5.txt"])
    })
  )
  live("the third stuck task ends the going on; an answer begins it again", () =>
    Effect.gen(function* () {
      const play = yield* playing(["t1", "t2", "t3", "t4"], ["t1", "t2", "t3"])
      assert.deepStrictEqual(statusOf(yield* play.conducts), ["escalated", "escalated", "escalated", "pending"])
      assert.deepStrictEqual(play.order, ["t1", "t2", "t3"])
      yield* play.dispatch({ ...retry("t2"), answer: "skip" })
      const run = yield* play.conducts
      assert.deepStrictEqual(statusOf(run), ["escalated", "completed", "escalated", "completed"])
      assert.isTrue(needsPerson(run))
    })
  )
  live("an answer while another task is at work is taken after that one", () =>
    Effect.gen(function* () {
      const play = yield* playing(["t1", "t2", "t3"], ["t1"])
      // The reviewer of t2 works.
      for (let moment = 2; !(yield* play.tags).includes("LandingPlanned"); moment += 4) {
        yield* play.abandonedAt(moment)
        const run = yield* play.run
        if (taskOf(run, "t1")?.status === "escalated" && run.assignments.length > 0) break
      }
      yield* play.dispatch(retry("t1"))
      assert.strictEqual((yield* play.run).current[0], "t2")
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run), JSON.stringify(run.paused))
      assert.deepStrictEqual(play.order, ["t1", "t2", "t1", "t3"])
    })
  )
})
