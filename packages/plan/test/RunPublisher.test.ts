import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Comms } from "@souffleur/domain"
import { Cursor } from "@souffleur/eventlog"
import { type NoticeChannel, NoticeChannels, NoticeLost, type NoticeMessage } from "@souffleur/process"
import { Context, Effect, Layer, Option } from "effect"
import { foldRun, type RunEvent, publishRun, RunLog, runNoticeOf } from "../src/index.ts"
import { examples } from "./fixtures/events/RunExamples.ts"

const { RunFinished, RunLeft, RunOpened, RunPaused, RunResumed, RunTaken, RunVerified, TaskAnswered, TaskEscalated } =
  examples
const first = [RunOpened, RunTaken, TaskEscalated, RunLeft]
const second = [RunTaken, TaskAnswered, RunPaused, RunResumed, RunVerified, RunFinished, RunLeft]

describe("behaviour#notices", () => {
  it("a person is told of an escalation, a pause and the end, and when what was told is over", () => {
    const kinds = [...first, ...second].map((event, n, all) => runNoticeOf(event, foldRun(all.slice(0, n)))?.kind)
    assert.deepStrictEqual(
      kinds.filter((kind) => kind !== undefined),
      ["escalated", "cleared", "paused", "cleared", "finished"]
    )
    assert.include(runNoticeOf(TaskEscalated, foldRun(first))?.next, 'souffleur conduct answer task-001 "what to do"')
    assert.include(
      runNoticeOf({ ...RunFinished, finishing: "failed", message: "exit 2" }, foldRun([RunOpened, RunVerified]))?.words,
      "exit 2"
    )
    const one = foldRun([RunOpened, { ...RunVerified, completed: 1, skipped: 0 }])
    assert.match(runNoticeOf(RunFinished, one)?.text ?? "", / 1 task is done, .*, 0 skipped\.$/u)
    assert.isUndefined(runNoticeOf(RunFinished, foldRun(first)), "one whose plan has got more to do is not at its end")
  })
  it.effect("a notice that a channel gave up is in the log of its run, also when its conductor has left", () =>
    Effect.gen(function* () {
      const log = Context.get(yield* Layer.build(RunLog.layerMemory), RunLog)
      const deaf: NoticeChannel = {
        name: "ntfy",
        words: false,
        send: () => Effect.fail(new NoticeLost({ tries: 5, message: "the server could not be reached" }))
      }
      yield* log.append("run/r", 0, first)
      yield* publishRun("r", 0, { project: "/p", comms: Option.none() }).pipe(
        Effect.provideService(RunLog, log),
        Effect.provide(Cursor.layerMemory),
        Effect.provideService(NoticeChannels, [deaf])
      )
      const events = yield* log.read("run/r", first.length)
      assert.lengthOf(events, 1)
      assert.deepInclude(events[0]?.event, {
        _tag: "NoticeLost",
        channel: "ntfy",
        notice: "escalated",
        of: 3,
        tries: 5,
        message: "the server could not be reached"
      })
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("a conductor tells by notices and in comms, each once, and first what the one before it could not", () =>
    Effect.gen(function* () {
      const log = Context.get(yield* Layer.build(RunLog.layerMemory), RunLog)
      const marks = Context.get(yield* Layer.build(Cursor.layerMemory), Cursor)
      const messages: Array<{ readonly key: string; readonly kind: string; readonly text: string }> = []
      const comms = Comms.of({
        ...Comms.solo(Effect.die("not read")),
        post: (message) => Effect.sync(() => void messages.push(message))
      })
      const notices: Array<NoticeMessage> = []
      const channel: NoticeChannel = {
        name: "a person",
        words: true,
        send: (message) => Effect.sync(() => void notices.push(message))
      }
      const heralds = (from: number, read = marks) =>
        publishRun("r", from, { project: "/p", comms: Option.some(comms) }).pipe(
          Effect.provideService(RunLog, log),
          Effect.provideService(Cursor, read),
          Effect.provideService(NoticeChannels, [channel])
        )
      const append = (revision: number, events: ReadonlyArray<RunEvent>) => log.append("run/r", revision, events)
      yield* append(0, first)
      // The first conductor vanished before it could send a notice.
      const vanishing = (mark: string, revision: number) =>
        mark === "run/r" ? marks.advance(mark, revision) : Effect.succeed(false)
      yield* heralds(0, { ...marks, advance: vanishing })
      assert.deepStrictEqual(
        messages.map(({ key, kind }) => [key, kind]),
        [["run/r#3", "error"]]
      )
      yield* append(4, second)
      yield* heralds(4)
      assert.deepStrictEqual(
        messages.map(({ key, kind }) => `${key} ${kind}`),
        ["run/r#3 error", "run/r#6 system", "run/r#7 error", "run/r#8 system", "run/r#10 completion"]
      )
      assert.deepInclude(notices[0], {
        subject: { run: "r", project: "/p" },
        revision: 3,
        at: examples.TaskEscalated.at
      })
      assert.deepStrictEqual(
        notices.map(({ notice: { kind }, revision }) => `${revision} ${kind}`),
        ["3 escalated", "6 cleared", "7 paused", "8 cleared", "10 finished"]
      )
      yield* heralds(4)
      assert.deepStrictEqual([messages.length, notices.length], [5, 5])
    })
  )
})

describe("behaviour#answers", () => {
  it("a notice of an escalation says what is wrong, and still what to do about it, however much there is to say", () => {
    const { ReviewRejected, TaskStarted } = examples
    const taskId = "task-001"
    const before: ReadonlyArray<RunEvent> = [
      RunOpened,
      { ...TaskStarted, taskId },
      {
        ...ReviewRejected,
        taskId,
        feedback: {
          attempt: 3,
          summary: "no",
          issues: ["the empty input", ...Array.from({ length: 20 }, () => "x".repeat(2000))],
          suggestions: []
        }
      }
    ]
    const notice = runNoticeOf(
      { ...TaskEscalated, taskId, reason: "rejections", message: "rejected 3 times: no" },
      foldRun(before)
    )
    assert.strictEqual(notice?.text, "Task task-001 needs a person (rejections).")
    assert.include(notice?.words, "rejected 3 times: no. - the empty input")
    assert.isBelow(notice?.words?.length ?? 0, 1600)
    assert.isTrue(notice?.next.endsWith("or --retry, or --skip"))
  })
})

describe("behaviour#limits-in-a-run", () => {
  it("a person is told once of waits for the service in a row, and when an agent came to something again", () => {
    const { AgentLimited, ImplementationCompleted, LimitWaitEnded } = examples
    const refused = { ...AgentLimited, kind: "login", resetsAt: null } as const
    const history = [
      ...first.slice(0, 2),
      AgentLimited,
      LimitWaitEnded,
      AgentLimited,
      LimitWaitEnded,
      refused,
      LimitWaitEnded,
      refused,
      // Of an agent that was asked before the wait.
      ImplementationCompleted,
      LimitWaitEnded,
      ImplementationCompleted
    ]
    const kinds = history.map((event, n, all) => runNoticeOf(event, foldRun(all.slice(0, n)))?.kind)
    assert.deepStrictEqual(
      kinds.filter((kind) => kind !== undefined),
      ["usage_limit", "waiting_for_a_person", "cleared"]
    )
  })
})

describe("behaviour#plain-words", () => {
  it.effect("comms is told nothing that a terminal obeys", () =>
    Effect.gen(function* () {
      const log = Context.get(yield* Layer.build(RunLog.layerMemory), RunLog)
      const texts: Array<string> = []
      const comms = Comms.of({
        ...Comms.solo(Effect.die("not read")),
        post: ({ text }) => Effect.sync(() => void texts.push(text))
      })
      yield* log.append("run/r", 0, [RunOpened, RunTaken, { ...TaskEscalated, message: "\u001B[2J\u009B\n" }, RunLeft])
      yield* publishRun("r", 0, { project: "/p", comms: Option.some(comms) }).pipe(
        Effect.provideService(RunLog, log),
        Effect.provide(Cursor.layerMemory)
      )
      assert.include(texts[0], "\\u001b[2J\\u009b\\u000a")
      assert.include(texts[0], 'Answer with: souffleur conduct answer task-001 "what to do"')
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
