import { assert, describe, it } from "@effect/vitest"
import type { Choice } from "@souffleur/domain"
import { Cursor } from "@souffleur/eventlog"
import { HostServices } from "@souffleur/node"
import { makeNoticeChannels } from "@souffleur/notify"
import { NoticeChannels } from "@souffleur/process"
import { Context, Effect, Layer, Option, Result, Schedule } from "effect"
import { deliver } from "../../notify/src/Delivery.ts"
import { ntfyStandIn, ntfyToken, pressButton } from "../../notify/test/NtfyStandIn.ts"
import {
  decideRun,
  foldRun,
  hearRun,
  publishRun,
  runChoices,
  RunLog,
  type RunEvent,
  type RunIntent
} from "../src/index.ts"
import { examples } from "./fixtures/events/RunExamples.ts"

const { NoticeLost, RunHeld, RunOpened, RunTaken, TaskAnswered, TaskEscalated } = examples
const escalated = [RunOpened, RunTaken, TaskEscalated]
const { taskId } = TaskEscalated
const pressed = (events: ReadonlyArray<RunEvent>, choice: Choice, of = events.length) => {
  const intent: RunIntent = {
    _tag: "TakePress",
    channel: "ntfy",
    message: "m",
    digest: "d",
    of,
    until: 2000,
    ...choice
  }
  return decideRun(foldRun(events), { ...intent, now: 1000, by: { _tag: "Operator" } })
}
const tagsOf = (events: ReadonlyArray<RunEvent>, choice: Choice, of?: number) =>
  Result.match(pressed(events, choice, of), {
    onSuccess: (all) => all.map(({ _tag }) => _tag),
    onFailure: ({ reason }) => reason
  })

describe("behaviour#answers-from-a-phone", () => {
  it("a run takes hold, go, and of an escalated task retry and skip, at that escalation alone", () => {
    for (const [events, choice, tags] of [
      [escalated, { word: "retry", task: taskId }, ["PhoneWordTaken", "TaskAnswered"]],
      [escalated, { word: "skip", task: taskId }, ["PhoneWordTaken", "TaskAnswered"]],
      [escalated, { word: "hold", task: null }, ["PhoneWordTaken", "RunHeld"]],
      [[...escalated, RunHeld], { word: "go", task: null }, ["PhoneWordTaken", "RunHoldEnded"]],
      [escalated, { word: "done", task: null }, "never"],
      [escalated, { word: "retry", task: null }, "never"],
      [escalated, { word: "go", task: taskId }, "never"],
      [escalated, { word: "retry", task: "another" }, "never"]
    ] as const)
      assert.deepStrictEqual<unknown>(tagsOf(events, choice), tags)
    const retry = { word: "retry", task: taskId } as const
    const again = [...escalated, TaskAnswered, TaskEscalated]
    assert.strictEqual(tagsOf(again, retry, escalated.length), "not now", "the task is escalated again since")
    assert.strictEqual(tagsOf([...escalated, RunHeld], retry, escalated.length), "not now")
    assert.isArray(tagsOf([...escalated, NoticeLost], retry, escalated.length))
    const once = Result.getOrThrow(pressed(escalated, { word: "hold", task: null }))
    assert.strictEqual(tagsOf([...escalated, ...once], retry, escalated.length), "not now", "one of its buttons counts")
  })
  it("a notice of a run offers no word that raises anything", () => {
    for (const event of Object.values(examples))
      for (const { task, word } of runChoices(event))
        assert.include(task === null ? ["hold", "go"] : ["retry", "skip"], word, event._tag)
  })
  it.live("a press on the phone answers the escalation of a run", () =>
    Effect.gen(function* () {
      const { published, url } = yield* ntfyStandIn()
      const log = Context.get(yield* Layer.build(RunLog.layerMemory), RunLog)
      const post = (line: string) => deliver(line)
      const channels = yield* makeNoticeChannels([{ _tag: "ntfy", url: `${url}/night`, words: false }], {
        quietHours: null,
        stateDir: "/nowhere",
        variables: { SOUFFLEUR_NTFY_TOKEN: `${ntfyToken}@${url}` },
        platform: "linux",
        post,
        ask: post
      })
      yield* log.append("run/r", 0, escalated)
      const both = Effect.all([publishRun("r", 0, { project: "/p", comms: Option.none() }), hearRun("r", "/p")], {
        concurrency: 2
      })
      yield* Effect.forkScoped(
        both.pipe(
          Effect.provideService(RunLog, log),
          Effect.provideService(NoticeChannels, channels),
          Effect.provide(Cursor.layerMemory)
        )
      )
      const within = { schedule: Schedule.spaced("20 millis") }
      const [notice] = yield* Effect.repeat(
        Effect.sync(() => published),
        { until: (all) => all.length > 0, ...within }
      )
      const actions = notice?.actions ?? []
      assert.deepStrictEqual(
        actions.map(({ label }) => label),
        ["Hold", "Retry", "Skip"]
      )
      yield* pressButton(actions[1]!)
      const events = yield* Effect.repeat(log.read("run/r", escalated.length), {
        until: (all) => all.length > 2,
        ...within
      })
      assert.deepStrictEqual(
        events.map(({ event }) => event._tag),
        ["ButtonsOffered", "PhoneWordTaken", "TaskAnswered"]
      )
      assert.deepInclude(events[2]?.event, { taskId, answer: "retry", text: "" })
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})
