import { assert, describe, it } from "@effect/vitest"
import { RunLog } from "@souffleur/plan"
import { loadSettings } from "@souffleur/process"
import { layerStore } from "@souffleur/embed/internal"
import { Effect, FileSystem } from "effect"
import { spawnSync } from "node:child_process"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { agentKind } from "../src/agent/Kind.ts"
import { place, services, watching } from "./mcp/McpPlace.ts"
import { printed } from "./Printed.ts"

const isThere = (program: string) => spawnSync(program, ["--version"]).status === 0

/** What is typed, with its completion. */
const typed = [
  ["souffleur stop op", "opera-3f2a"],
  ["souffleur conduct answer ta", "task-07"]
] as const
/**
 * How each shell is asked. `line`: it is started for a person, with `rc` in its file, and keys are pressed. fish drops
 * keys that come before its prompt, and is asked by its own word.
 */
const shells = [
  {
    shell: "bash",
    line: "bash --noprofile --rcfile .bashrc -i",
    rc: [".bashrc", ". .local/share/bash-completion/completions/souffleur"]
  },
  {
    shell: "zsh",
    line: "zsh -i",
    rc: [".zshrc", "fpath=($HOME/.local/share/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D"]
  },
  { shell: "fish", line: undefined, rc: undefined }
] as const

describe("command-line#setting-up", () => {
  it.layer(services)((it) => {
    it.effect("the ids that a completion offers are the watches, and the tasks that wait for an answer", () =>
      Effect.gen(function* () {
        const the = yield* place({ comms: false })
        const variables = { HOME: the.stateDir, PATH: "/usr/bin:/bin", SOUFFLEUR_STATE_DIR: the.stateDir }
        const ids = (kind: string) => printed(the.project, variables, "completions", "ids", kind)
        assert.deepStrictEqual(yield* ids("watches"), [])
        yield* the.watch("opera-3f2a", watching({ project: the.project, comms: null }))
        assert.deepStrictEqual(yield* ids("watches"), ["opera-3f2a"])

        const settings = yield* loadSettings({
          agent: agentKind,
          projectDir: the.project,
          environment: variables,
          flags: {}
        })
        const { RunOpened, TaskEscalated, TaskStarted } = examples
        const events = [
          { ...RunOpened, project: the.project },
          TaskStarted,
          { ...TaskEscalated, taskId: TaskStarted.taskId }
        ]
        yield* Effect.provide(
          Effect.flatMap(RunLog, (log) => log.append("run/r", 0, events)),
          layerStore(settings)
        )
        assert.deepStrictEqual(yield* ids("tasks"), [TaskStarted.taskId])
      })
    )

    for (const { line, rc, shell } of shells)
      it.effect.skipIf(!isThere(shell) || !isThere("script"))(
        `${shell} completes the id of a watch and of a task`,
        () =>
          Effect.gen(function* () {
            const fs = yield* FileSystem.FileSystem
            const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-shell-" }))
            yield* printed(home, { HOME: home, SOUFFLEUR_STATE_DIR: `${home}/state` }, "completions", "install", shell)
            if (rc !== undefined) yield* fs.writeFileString(`${home}/${rc[0]}`, `${rc[1]}\n`)
            yield* fs.makeDirectory(`${home}/bin`)
            yield* fs.writeFileString(
              `${home}/bin/souffleur`,
              `#!/bin/sh
case "$*" in
  "completions ids watches") printf 'opera-3f2a\\naria-1234\\n' ;;
  "completions ids tasks") echo task-07 ;;
  *) echo "$*" >> "$HOME/typed" ;;
esac
`,
              { mode: 0o755 }
            )
            const at = { cwd: home, env: { HOME: home, PATH: `${home}/bin:/usr/bin:/bin`, TERM: "dumb" } }
            if (line === undefined) {
              const asked = typed.map(([words]) => `complete -C '${words}'`).join("; ")
              const { stdout } = spawnSync(shell, ["-c", asked], { ...at, encoding: "utf8" })
              assert.deepStrictEqual(
                stdout
                  .trim()
                  .split("\n")
                  .map((one) => one.split("\t")[0]),
                typed.map(([, id]) => id)
              )
              return
            }
            const keys = typed.map(([words]) => `${words}\t\n`).join("")
            spawnSync("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
              ...at,
              input: `${keys}exit\n`
            })
            assert.strictEqual(yield* fs.readFileString(`${home}/typed`), "stop opera-3f2a\nconduct answer task-07\n")
          })
      )
  })
})
