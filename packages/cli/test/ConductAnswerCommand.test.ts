import { RunLog } from "@souffleur/plan"
import { loadSettings } from "@souffleur/process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { agentKind } from "../src/agent/Kind.ts"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { layerStore } from "@souffleur/embed/internal"
import { services } from "./mcp/McpPlace.ts"
import { printed } from "./Printed.ts"

/** Returns the words to a person who leaves a task out that was rejected with these commits. */
const skipped = Effect.fnUntraced(function* (commits: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-answer-" }))
  const variables = { PATH: "/usr/bin:/bin", HOME: home, SOUFFLEUR_STATE_DIR: `${home}/state` }
  const settings = yield* loadSettings({ agent: agentKind, projectDir: home, environment: variables, flags: {} })
  const { ImplementationCompleted, RunOpened, TaskEscalated, TaskStarted } = examples
  const taskId = "task-001"
  const told = [
    { ...RunOpened, project: home },
    { ...TaskStarted, taskId },
    ...(commits.length === 0 ? [] : [{ ...ImplementationCompleted, taskId, commits }]),
    { ...TaskEscalated, taskId }
  ]
  yield* Effect.provide(
    Effect.flatMap(RunLog, (log) => log.append("run/r", 0, told)),
    layerStore(settings)
  )
  const lines = yield* printed(home, variables, "conduct", "answer", taskId, "--skip")
  return lines.join("\n")
}, Effect.scoped)

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
