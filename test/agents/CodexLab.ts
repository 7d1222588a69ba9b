import { Effect, FileSystem, Path, Schema } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { swept } from "../claude/AgentProcesses.ts"
import { headless } from "../claude/ClaudeStage.ts"
import { type Logged, until } from "../claude/Lab.ts"
import { compiledOf } from "../cli/Build.ts"
import { bundle } from "../cli/Built.ts"
import { type Answer, type Asked, responsesEndpoint } from "./ResponsesEndpoint.ts"

/** Seconds in place of minutes (spec: settings#keys). */
const timings = {
  SOUFFLEUR_WATCHER_INITIAL_WAIT: "1 second",
  SOUFFLEUR_WATCHER_INTERVAL: "500 millis",
  SOUFFLEUR_MONITOR_INITIAL_WAIT: "5 seconds",
  SOUFFLEUR_MONITOR_INTERVAL: "5 seconds",
  SOUFFLEUR_MONITOR_STALE_AFTER: "5 seconds",
  SOUFFLEUR_STOP_GRACE: "1 second",
  SOUFFLEUR_LAUNCH_SPACING: "0 seconds",
  SOUFFLEUR_LIMIT_MARGIN: "0 seconds",
  SOUFFLEUR_STALL_AFTER: "6 seconds"
}

/** In a writable folder the sandbox makes a `.git` that is empty. In /tmp it would be everybody's repository. */
const configOf = (url: string) => `model = "test-model"
model_provider = "test"
check_for_update_on_startup = false
[model_providers.test]
name = "test"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "TEST_KEY"
[analytics]
enabled = false
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
`
const decodeLogged = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.StructWithRest(Schema.Struct({ _tag: Schema.String, revision: Schema.Int }), [
      Schema.Record(Schema.String, Schema.Unknown)
    ])
  )
)

/** The end of the first turn of a conversation: only it knows the word. */
export const word = "quinquereme"
/** A prompt that looks like a flag. */
export const begin = `--dangerously-bypass-approvals-and-sandbox is a word here. The stage word is ${word}. Rehearse.`

/** Goes on until somebody ends it. The shell of the sandbox has pids of its own, so that it writes none. */
export const rehearsal = "touch tool; sleep 300"

/** A home and a project of a user's own, a model on loopback, and souffleur for the real Codex. */
export const codexLab = Effect.fn("CodexLab")(function* (codex: string, part: (asked: Asked) => Effect.Effect<Answer>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-codex-" }))
  const [home, project] = [path.join(root, "home"), path.join(root, "opera")]
  for (const folder of [path.join(home, ".codex"), project])
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
  yield* Effect.addFinalizer(() => swept(home))
  const model = yield* responsesEndpoint(part)
  yield* fs.writeFileString(path.join(home, ".codex", "config.toml"), configOf(model.url))
  const environment = {
    ...timings,
    PATH: `${path.dirname(codex)}:${path.dirname(process.execPath)}:${process.env["PATH"] ?? "/usr/bin:/bin"}`,
    HOME: home,
    NODE_COMPILE_CACHE: compiledOf(bundle),
    LANG: "C.UTF-8",
    TERM: "dumb",
    TEST_KEY: "none",
    SOUFFLEUR_AGENT_ENVIRONMENT: "TEST_KEY",
    SOUFFLEUR_STATE_DIR: path.join(home, "state")
  }
  const options = { cwd: project, env: environment, extendEnv: false, stdin: "ignore" } as const
  const souffleur = [process.execPath, bundle] as const
  const stage = yield* headless({ claude: codex, options, souffleur: ["env", ...souffleur] } as never)
  const saidIn = (cwd: string, ...args: ReadonlyArray<string>) =>
    spawner.string(ChildProcess.make(souffleur[0], [bundle, ...args], { ...options, cwd }), { includeStderr: true })
  const said = (...args: ReadonlyArray<string>) => saidIn(project, ...args)
  const log = Effect.flatMap(said("log", "--json"), (text) =>
    Effect.forEach(text.trim().split("\n"), (line): Effect.Effect<Logged, unknown> => decodeLogged(line))
  )
  return {
    home,
    project,
    options,
    asked: model.asked,
    said,
    saidIn,
    log,
    run: (...flags: ReadonlyArray<string>) =>
      stage.souffleur(["run", "--json", "--", "codex", "exec", "--skip-git-repo-check", ...flags]),
    /** Waits for a tool of the agent, and forgets it. */
    tool: Effect.andThen(
      until("a tool call", fs.exists(path.join(project, "tool"))),
      Effect.orDie(fs.remove(path.join(project, "tool")))
    ),
    read: (file: string) => fs.readFileString(path.resolve(project, file))
  }
})
