import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Comms } from "@souffleur/domain"
import { Cursor } from "@souffleur/eventlog"
import { Context, Effect, FileSystem, Layer, Option } from "effect"
import { foldRun, type RunEvent, publishRun, RunLog, runNoticeOf } from "../src/index.ts"
import { examples } from "./fixtures/events/RunExamples.ts"

const { RunFinished, RunLeft, RunOpened, RunPaused, RunResumed, RunTaken, RunVerified, TaskAnswered, TaskEscalated } =
  examples
const first = [RunOpened, RunTaken, TaskEscalated, RunLeft]
const second = [RunTaken, TaskAnswered, RunPaused, RunResumed, RunVerified, RunFinished, RunLeft]

it("a person is told of an escalation, a pause and the end, and when what was told is over", () => {
  const kinds = [...first, ...second].map((event, n, all) => runNoticeOf(event, foldRun(all.slice(0, n)))?.kind)
  assert.deepStrictEqual(
    kinds.filter((kind) => kind !== undefined),
    ["escalated", "cleared", "paused", "cleared", "finished"]
  )
  assert.include(runNoticeOf(TaskEscalated, foldRun(first))?.text, 'souffleur conduct answer task-001 "what to do"')
  assert.include(
    runNoticeOf({ ...RunFinished, finishing: "failed", message: "exit 2" }, foldRun([RunOpened, RunVerified]))?.text,
    "exit 2"
  )
  assert.isUndefined(runNoticeOf(RunFinished, foldRun(first)), "one whose plan has got more to do is not at its end")
})

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
  const text =
    runNoticeOf({ ...TaskEscalated, taskId, reason: "rejections", message: "rejected 3 times: no" }, foldRun(before))
      ?.text ?? ""
  assert.include(text, "rejected 3 times: no. - the empty input")
  assert.isBelow(text.length, 2000)
  assert.isTrue(text.endsWith("or --retry, or --skip"))
})

it("a person is told once of waits for the service in a row, and when an agent came to something again", () => {
  const { AgentLimited, ImplementationCompleted, LimitWaitEnded } = examples
  const history = [
    ...first.slice(0, 2),
    AgentLimited,
    LimitWaitEnded,
    AgentLimited,
    LimitWaitEnded,
    ImplementationCompleted
  ]
  const kinds = history.map((event, n, all) => runNoticeOf(event, foldRun(all.slice(0, n)))?.kind)
  assert.deepStrictEqual(
    kinds.filter((kind) => kind !== undefined),
    ["usage_limit", "cleared"]
  )
})

it.effect("comms is told nothing that a terminal obeys", () =>
  Effect.gen(function* () {
    const log = Context.get(yield* Layer.build(RunLog.layerMemory), RunLog)
    const texts: Array<string> = []
    const comms = Comms.of({
      ...Comms.solo(Effect.die("not read")),
      post: ({ text }) => Effect.sync(() => void texts.push(text))
    })
    yield* log.append("run/r", 0, [RunOpened, RunTaken, { ...TaskEscalated, message: "\u001B[2J\u009B\n" }, RunLeft])
    yield* publishRun("r", 0, { project: "/p", comms: Option.some(comms), command: null }).pipe(
      Effect.provideService(RunLog, log),
      Effect.provide(Cursor.layerMemory)
    )
    assert.include(texts[0], "\\u001b[2J\\u009b\\u000a")
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

it.live("a conductor tells by the command and in comms, each once, and first what the one before it could not", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const log = Context.get(yield* Layer.build(RunLog.layerMemory), RunLog)
    const marks = Context.get(yield* Layer.build(Cursor.layerMemory), Cursor)
    const file = `${yield* fs.makeTempDirectoryScoped()}/told`
    const write = 'const fs = require("node:fs"); fs.appendFileSync(process.argv[1], fs.readFileSync(0))'
    const messages: Array<{ readonly key: string; readonly kind: string; readonly text: string }> = []
    const comms = Comms.of({
      ...Comms.solo(Effect.die("not read")),
      post: (message) => Effect.sync(() => void messages.push(message))
    })
    const heralds = (from: number, command: string | null = JSON.stringify([process.execPath, "-e", write, file])) =>
      publishRun("r", from, { project: "/p", comms: Option.some(comms), command }).pipe(
        Effect.provideService(RunLog, log),
        Effect.provideService(Cursor, marks)
      )
    const append = (revision: number, events: ReadonlyArray<RunEvent>) => log.append("run/r", revision, events)
    yield* append(0, first)
    // The first conductor vanished before it could page.
    yield* heralds(0, null)
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
    const told = (yield* fs.readFileString(file))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.deepInclude(told[0], {
      run: "r",
      project: "/p",
      revision: 3,
      at: "2026-01-25T10:00:00.000Z",
      kind: "escalated"
    })
    assert.deepStrictEqual(
      told.map(({ kind, revision }) => `${revision} ${kind}`),
      ["3 escalated", "6 cleared", "7 paused", "8 cleared", "10 finished"]
    )
    yield* heralds(4)
    assert.deepStrictEqual([messages.length, (yield* fs.readFileString(file)).trim().split("\n").length], [5, 5])
  }).pipe(Effect.provide(NodeServices.layer), Effect.scoped)
)
