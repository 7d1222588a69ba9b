import { RunLog } from "@souffleur/plan"
import { loadSettings } from "@souffleur/process"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { layerStore } from "@souffleur/embed/internal"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { agentKind } from "../src/agent/Kind.ts"
import { services } from "./mcp/McpPlace.ts"
import { printedAt } from "./Printed.ts"

it.layer(services)((it) => {
  it.effect("conduct why of a run that has decided nothing says so, up to a revision where one is named", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const cwd = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-why-" }))
      const variables = { PATH: "/usr/bin:/bin", HOME: cwd, SOUFFLEUR_STATE_DIR: `${cwd}/state` }
      const settings = yield* loadSettings({ agent: agentKind, projectDir: cwd, environment: variables, flags: {} })
      yield* Effect.provide(
        Effect.flatMap(RunLog, (log) => log.append("run/r", 0, [{ ...examples.RunOpened, project: cwd }])),
        layerStore(settings)
      )
      const said = Effect.fnUntraced(function* (...revision: ReadonlyArray<string>) {
        const lines: Array<string> = []
        const { code } = yield* Effect.flip(
          printedAt({ cwd, variables, interactive: false, lines }, "conduct", "why", ...revision)
        )
        return [code, lines]
      })
      assert.deepStrictEqual(yield* said(), [2, ["souffleur: run r has decided nothing yet"]])
      assert.deepStrictEqual(yield* said("1"), [2, ["souffleur: run r has decided nothing up to revision 1"]])
    })
  )
})
