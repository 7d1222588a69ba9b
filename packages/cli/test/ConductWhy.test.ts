import { type RunEvent, RunLog } from "@souffleur/plan"
import { loadSettings } from "@souffleur/process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { layerStore } from "@souffleur/embed/internal"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { agentKind } from "../src/agent/Kind.ts"
import { services } from "./mcp/McpPlace.ts"
import { printedAt } from "./Printed.ts"

/** A run that has these events, and what its commands print. */
const staged = Effect.fnUntraced(function* (events: ReadonlyArray<RunEvent>) {
  const fs = yield* FileSystem.FileSystem
  const cwd = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-why-" }))
  const variables = { PATH: "/usr/bin:/bin", HOME: cwd, SOUFFLEUR_STATE_DIR: `${cwd}/state` }
  const settings = yield* loadSettings({ agent: agentKind, projectDir: cwd, environment: variables, flags: {} })
  yield* Effect.provide(
    Effect.flatMap(RunLog, (log) => log.append("run/r", 0, [{ ...examples.RunOpened, project: cwd }, ...events])),
    layerStore(settings)
  )
  const said = Effect.fnUntraced(function* (...words: ReadonlyArray<string>) {
    const lines: Array<string> = []
    const ended = yield* Effect.flip(
      Effect.asVoid(printedAt({ cwd, variables, interactive: false, lines }, ...words))
    ).pipe(
      Effect.map(({ code }) => code),
      Effect.orElseSucceed(() => 0)
    )
    return { code: ended, lines, text: lines.join("\n") }
  })
  const write = Effect.fnUntraced(function* (path: string, text: string) {
    const file = `${cwd}/${path}`
    yield* fs.makeDirectory(file.slice(0, file.lastIndexOf("/")), { recursive: true, mode: 0o700 })
    yield* fs.writeFileString(file, text, { mode: 0o600 })
  })
  return { said, write }
})

const sessionId = "0199a213-81c0-7800-8aa1-bbab2a035a53"
const { at } = examples.AgentAsked
/** An implementer of Claude Code that failed ten seconds after it was asked. */
const failed: ReadonlyArray<RunEvent> = [
  { ...examples.TaskStarted },
  { ...examples.AgentAsked, agent: "claude", sessionId },
  { ...examples.AgentPrepared },
  { ...examples.AgentLaunched },
  {
    ...examples.ImplementationFailed,
    at: at + 10_000,
    reason: "no verdict",
    message: "the service ended it by an error"
  }
]
const output = `state/launches/${examples.AgentPrepared.launchId}.out`

describe("command-line#looking", () => {
  it.layer(services)((it) => {
    it.effect("why of a run tells its last decision, with the agent and its last words", () =>
      Effect.gen(function* () {
        const { said, write } = yield* staged(failed)
        yield* write(output, "API Error: 400 no such model\n")
        for (const words of [["why", "r"], ["why"], ["conduct", "why"]]) {
          const { text } = yield* said(...words)
          assert.include(text, "the service ended it by an error")
          assert.include(text, `the implementer, claude, in session ${sessionId} ended 10 s after it was asked`)
          assert.include(text, "Its last words\n  API Error: 400 no such model")
        }
        const json = JSON.parse((yield* said("why", "r", "--json")).text) as Record<string, unknown>
        assert.strictEqual(json["run"], "r")
        assert.notInclude(JSON.stringify(json), "no such model")
      })
    )
    it.effect("why names neither a watch nor a run that is not there, and a run that decided nothing says so", () =>
      Effect.gen(function* () {
        const { said } = yield* staged([])
        const none = yield* said("why", "nonesuch")
        assert.strictEqual(none.code, 2)
        assert.include(none.text, 'no watch is called "nonesuch"')
        assert.deepStrictEqual(yield* said("why", "r").pipe(Effect.map(({ lines }) => lines)), [
          "souffleur: run r has decided nothing yet"
        ])
      })
    )
    it.effect("conduct why of a run that has decided nothing says so, up to a revision where one is named", () =>
      Effect.gen(function* () {
        const { said } = yield* staged([])
        const told = (...revision: ReadonlyArray<string>) =>
          Effect.map(said("conduct", "why", ...revision), ({ code, lines }) => [code, lines])
        assert.deepStrictEqual(yield* told(), [2, ["souffleur: run r has decided nothing yet"]])
        assert.deepStrictEqual(yield* told("1"), [2, ["souffleur: run r has decided nothing up to revision 1"]])
      })
    )
  })
})
