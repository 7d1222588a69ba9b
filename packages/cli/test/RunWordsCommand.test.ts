import { type RunEvent, RunLog } from "@souffleur/plan"
import { loadSettings } from "@souffleur/process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FileSystem } from "effect"
import { TestClock } from "effect/testing"
import { agentKind } from "../src/agent/Kind.ts"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { layerStore } from "@souffleur/embed/internal"
import { services } from "./mcp/McpPlace.ts"
import { printedAt } from "./Printed.ts"

const task = (id: string, dependsOn: ReadonlyArray<string> = [], digest = "d1") => ({
  id,
  title: id,
  dependsOn,
  digest
})
const at = examples.RunOpened.at
/** A task that is complete, with one commit. */
const done = (taskId: string): ReadonlyArray<RunEvent> => [
  { ...examples.TaskStarted, taskId },
  { ...examples.AgentAsked, taskId, sessionId: "s" },
  { ...examples.ImplementationCompleted, taskId },
  { ...examples.TaskCompleted, taskId }
]

/** Returns a folder with a run of three tasks that these events follow, and what says words there. */
const folder = Effect.fnUntraced(function* (...events: ReadonlyArray<RunEvent>) {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-words-" }))
  const variables = { PATH: "/usr/bin:/bin", HOME: home, SOUFFLEUR_STATE_DIR: `${home}/state` }
  const settings = yield* loadSettings({ agent: agentKind, projectDir: home, environment: variables, flags: {} })
  const tasks = [task("t1"), task("t2", ["t1"]), task("t3", ["t2"])]
  const store = layerStore(settings)
  const opened = { ...examples.RunOpened, project: home, tasks }
  yield* Effect.provide(
    RunLog.use((log) => log.append("run/r", 0, [opened, ...events])),
    store
  )
  const saidWith = Effect.fnUntraced(function* (marks: object, ...args: ReadonlyArray<string>) {
    const lines: Array<string> = []
    const exit = yield* Effect.exit(
      printedAt({ cwd: home, variables: { ...variables, ...marks }, interactive: false, lines }, ...args)
    )
    return { text: lines.join("\n"), failed: Exit.isFailure(exit) }
  })
  return {
    saidWith,
    said: (...args: ReadonlyArray<string>) => saidWith({}, ...args),
    tags: Effect.map(
      Effect.provide(
        RunLog.use((log) => log.read("run/r", 0)),
        store
      ),
      (all) => all.map(({ event }) => event._tag)
    )
  }
})

describe("behaviour#a-persons-word-to-a-run", () => {
  it.layer(services)((it) => {
    it.effect("hold and go mean the run of a folder that has no watch, and any run by its id", () =>
      Effect.gen(function* () {
        for (const name of [[], ["r"]]) {
          const { said, tags } = yield* folder()
          assert.strictEqual(
            (yield* said("hold", ...name)).text,
            'run r is held: nothing further begins until "souffleur go"'
          )
          assert.include((yield* said("conduct", "status")).text, "no souffleur conducts it")
          const status = JSON.parse((yield* said("conduct", "status", "--json")).text)
          assert.deepInclude(status, { standing: 'held until "souffleur go"', stopped_since: null })
          assert.isString(status.held_since)
          assert.include((yield* said("go", ...name)).text, "run r goes on when it is conducted again")
          assert.deepStrictEqual((yield* tags).slice(-2), ["RunHeld", "RunHoldEnded"])
        }
      })
    )
    it.effect("stop says what ends, and how the run goes on; status shows it, and no need of a person", () =>
      Effect.gen(function* () {
        const { said, tags } = yield* folder()
        const stopped = yield* said("stop", "--reason", "the plan is wrong")
        assert.match(stopped.text, /^run r is stopped; it goes on with: souffleur conduct \S+$/u)
        assert.strictEqual((yield* tags).at(-1), "RunStopAsked")
        assert.include((yield* said("conduct", "status")).text, "idle: stopped by a person")
        assert.notInclude((yield* said("status")).text, "NEXT")
        assert.include(
          (yield* said("why")).text + (yield* said("conduct", "why")).text,
          "run r has decided nothing yet"
        )
        yield* said("go", "r")
        assert.strictEqual((yield* tags).at(-1), "RunStopEnded")
      })
    )
    it.effect("stop says what still runs: a gate under its conductor, or an agent that nobody conducts", () =>
      Effect.gen(function* () {
        const asked: ReadonlyArray<RunEvent> = [
          { ...examples.TaskStarted, taskId: "t1" },
          { ...examples.AgentAsked, taskId: "t1", sessionId: "s" }
        ]
        const gated = { ...task("t1"), gateDigest: "g" }
        const judged = yield* folder(
          { ...examples.PlanRevised, tasks: [gated], changed: [], dropped: [] },
          ...asked,
          { ...examples.ImplementationCompleted, taskId: "t1" },
          examples.RunTaken
        )
        assert.match((yield* judged.said("stop")).text, /^run r stops once its gate is over; /u)
        const left = yield* folder(...asked, examples.AgentLaunched)
        const { text } = yield* left.said("stop")
        assert.match(
          text,
          /^run r is stopped, and nobody conducts it: "souffleur stop r --now" ends its implementer, /u
        )
      })
    )
    it.effect("stop --now does not wait for ever for a conductor that cannot be seen from here", () =>
      Effect.gen(function* () {
        const { saidWith } = yield* folder({ ...examples.TaskStarted, taskId: "t1" }, examples.RunTaken)
        const { failed, text } = yield* saidWith({ SOUFFLEUR_STOP_GRACE: "50 millis" }, "stop", "r", "--now")
        assert.isTrue(failed)
        assert.match(text, /may be alive where its processes cannot be seen from here.* --moved/su)
      }).pipe(TestClock.withLive)
    )
    it.effect("release has no meaning for a run, and says what has", () =>
      Effect.gen(function* () {
        const { said } = yield* folder()
        const { failed, text } = yield* said("release")
        assert.isTrue(failed)
        assert.include(text, 'r is a run, which has no agent to give up: "souffleur stop r"')
      })
    )
    it.effect("attach says that no agent of a run is at work", () =>
      Effect.gen(function* () {
        const { said } = yield* folder()
        assert.include((yield* said("attach", "r")).text, "no agent of run r is at work")
      })
    )
    it.effect("a task is done again by --redo; what builds on it is named, and stays", () =>
      Effect.gen(function* () {
        const { said, tags } = yield* folder(...done("t1"), ...done("t2"))
        const { text } = yield* said("conduct", "answer", "t1", "mind the gap", "--redo")
        assert.match(text, /^run r: task t1 is done again; what builds on it stays as it is: t2 \(--redo of each/u)
        assert.strictEqual((yield* tags).at(-1), "TaskRedoAsked")
        assert.include((yield* said("conduct", "answer", "t3", "--redo")).text, "only a complete task is done again")
      })
    )
    it.effect("a complete task whose text has changed is shown with the command that does it again", () =>
      Effect.gen(function* () {
        const revised = {
          ...examples.PlanRevised,
          tasks: [task("t1", [], "d2"), task("t2", ["t1"]), task("t3", ["t2"])],
          changed: ["t1"],
          dropped: []
        }
        const { said } = yield* folder(...done("t1"), ...done("t2"), revised)
        const shown = (yield* said("conduct", "status")).text
        assert.match(
          shown,
          /t1 {2}completed.*\n {4}its text has changed since it was done; .* souffleur conduct answer t1 --redo\n/u
        )
        assert.notInclude(shown, "answer t2 --redo")
      })
    )
    it.effect(
      "skip with revert says how many commits are taken back; alone, or where there is none, it is refused",
      () =>
        Effect.gen(function* () {
          const escalated = { ...examples.TaskEscalated, at, taskId: "t1" }
          const { said, tags } = yield* folder(
            ...done("t1").slice(0, 2),
            { ...examples.ImplementationCompleted, taskId: "t1", commits: ["3f2a9c1d", "c0ffee00"] },
            escalated
          )
          for (const wrong of [
            ["t1", "--revert"],
            ["t1", "--retry", "--revert"],
            ["--finishing", "--skip", "--revert"],
            ["t1", "--redo", "--skip"]
          ])
            assert.isTrue((yield* said("conduct", "answer", ...wrong)).failed, wrong.join(" "))
          assert.include(
            (yield* said("conduct", "answer", "t1", "--skip", "--revert")).text,
            "run r: task t1 is skipped; 1 commit of its implementers is taken back next, 1 other since it began stays; it goes on with:"
          )
          assert.deepStrictEqual((yield* tags).slice(-2), ["TaskAnswered", "RevertAsked"])
          const none = yield* folder({ ...examples.TaskStarted, taskId: "t1" }, escalated)
          const refused = yield* none.said("conduct", "answer", "t1", "--skip", "--revert")
          assert.include(refused.text, "has no rejected commit of its implementers to take back")
        })
    )
    it.effect("no agent's session says any of these words", () =>
      Effect.gen(function* () {
        const escalated = { ...examples.TaskEscalated, at, taskId: "t3" }
        const { saidWith, tags } = yield* folder(...done("t1"), escalated, { _tag: "RunHeld", at })
        const before = yield* tags
        for (const word of [
          ["hold"],
          ["go"],
          ["stop"],
          ["stop", "r", "--now"],
          ["release"],
          ["conduct", "answer", "t1", "--redo"],
          ["conduct", "answer", "t1", "words", "--redo"],
          ["conduct", "answer", "t3", "--skip", "--revert"]
        ]) {
          const { failed, text } = yield* saidWith({ CLAUDECODE: "1" }, ...word)
          assert.deepStrictEqual([failed, text.includes("only a person may use")], [true, true], word.join(" "))
        }
        assert.deepStrictEqual(yield* tags, before)
      })
    )
  })
})
