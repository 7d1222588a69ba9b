import { type RunEvent, RunLog } from "@souffleur/plan"
import { loadSettings } from "@souffleur/process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { agentKind } from "../src/agent/Kind.ts"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { layerStore } from "@souffleur/embed/internal"
import { services } from "./mcp/McpPlace.ts"
import { printed } from "./Printed.ts"

/** Returns the words of a command to a person in the folder of a run with these events after its opening. */
const said = (events: ReadonlyArray<RunEvent>, ...command: ReadonlyArray<string>) => saidWith({}, events, ...command)

/** The same, with more variables. */
const saidWith = Effect.fnUntraced(function* (
  marks: Readonly<Record<string, string>>,
  events: ReadonlyArray<RunEvent>,
  ...command: ReadonlyArray<string>
) {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-answer-" }))
  const variables = { PATH: "/usr/bin:/bin", HOME: home, SOUFFLEUR_STATE_DIR: `${home}/state`, ...marks }
  const settings = yield* loadSettings({ agent: agentKind, projectDir: home, environment: variables, flags: {} })
  const told = [{ ...examples.RunOpened, project: home }, ...events]
  yield* Effect.provide(
    Effect.flatMap(RunLog, (log) => log.append("run/r", 0, told)),
    layerStore(settings)
  )
  return (yield* printed(home, variables, ...command)).join("\n")
}, Effect.scoped)

/** Returns the words to a person who leaves a task out that was rejected with these commits. */
const skipped = (commits: ReadonlyArray<string>) => {
  const { ImplementationCompleted, TaskEscalated, TaskStarted } = examples
  const taskId = "task-001"
  const done = commits.length === 0 ? [] : [{ ...ImplementationCompleted, taskId, commits }]
  return said(
    [{ ...TaskStarted, taskId }, ...done, { ...TaskEscalated, taskId }],
    "conduct",
    "answer",
    taskId,
    "--skip"
  )
}

describe("behaviour#answers", () => {
  it.layer(services)((it) => {
    it.effect("conduct answer --skip says how many commits of the task stay in HEAD, and how git takes them back", () =>
      Effect.gen(function* () {
        const back = "in HEAD, and later tasks build upon that: git revert takes it back; "
        assert.include(
          yield* skipped(["3f2a9c1d", "77aa77aa", "b0b0b0b0"]),
          `task task-001 is skipped; its 3 commits stay ${back}`
        )
        assert.include(yield* skipped(["3f2a9c1d"]), `task task-001 is skipped; its commit stays ${back}`)
        const none = yield* skipped([])
        assert.match(none, /^run r: task task-001 is skipped; it goes on with: /u)
      })
    )
  })
})

describe("behaviour#limits-in-a-run", () => {
  it.layer(services)((it) => {
    it.effect("go ends the wait of a run, by its name or in its folder, and nothing else of a run", () =>
      Effect.gen(function* () {
        const { AgentAsked, AgentLimited, TaskStarted } = examples
        const refused = [TaskStarted, AgentAsked, { ...AgentLimited, kind: "login", resetsAt: null } as const]
        const words = /^run r goes on when it is conducted again: souffleur conduct /u
        assert.match(yield* said(refused, "go"), words)
        assert.match(yield* said(refused, "go", "r"), words)
        assert.strictEqual((yield* Effect.flip(said([TaskStarted], "go", "r")))._tag, "Ended")
        const byAgent = yield* Effect.flip(saidWith({ CLAUDECODE: "1" }, refused, "go", "r"))
        assert.deepInclude(byAgent, { _tag: "Ended", code: 2 })
      })
    )
  })
})

describe("behaviour#allowance-of-a-run", () => {
  it.layer(services)((it) => {
    it.effect("conduct answer --allow allows a run as much again, and goes with no other answer", () =>
      Effect.gen(function* () {
        const paused = [{ ...examples.RunPaused, reason: "ceiling", files: [], message: "m" } as const]
        const words = /^run r is allowed as much again; it goes on with: souffleur conduct /u
        assert.match(yield* said(paused, "conduct", "answer", "--allow"), words)
        for (const other of ["--plan", "--retry", "task-001"])
          assert.strictEqual((yield* Effect.flip(said(paused, "conduct", "answer", "--allow", other)))._tag, "Ended")
      })
    )
  })
})
