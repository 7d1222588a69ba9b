import { Effect, FileSystem, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import type { AgentHome, RealAgent } from "./AgentLab.ts"

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

const Listed = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.Literal(2),
    result: Schema.Struct({
      data: Schema.Array(
        Schema.Struct({ hooks: Schema.Array(Schema.Struct({ key: Schema.String, currentHash: Schema.String })) })
      )
    })
  })
)

/** Approves every hook, as a person does with `/hooks`: Codex keeps the hash of each in its settings. */
const approved = Effect.fnUntraced(function* (program: string, { home, options, project }: AgentHome) {
  const fs = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const asks = [
    { id: 1, method: "initialize", params: { clientInfo: { name: "test", version: "1" } } },
    { method: "initialized" },
    { id: 2, method: "hooks/list", params: { cwds: [project] } }
  ]
  const lines = Stream.fromIterable(asks.map((ask) => new TextEncoder().encode(`${JSON.stringify(ask)}\n`)))
  // It ends with its input.
  const stdin = Stream.concat(lines, Stream.never)
  const handle = yield* spawner.spawn(ChildProcess.make(program, ["app-server"], { ...options, stdin }))
  const answer = yield* handle.stdout.pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.filter((line) => line.startsWith('{"id":2,')),
    Stream.runHead,
    Effect.flatMap(Effect.fromOption)
  )
  const { result } = yield* Schema.decodeUnknownEffect(Listed)(answer)
  const states = result.data
    .flatMap(({ hooks }) => hooks)
    .map(({ currentHash, key }) => `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${currentHash}"\n`)
  yield* fs.writeFileString(`${home}/.codex/config.toml`, states.join(""), { flag: "a" })
})

/** The real Codex, with `codex exec`. */
export const realCodex: RealAgent = {
  title: "Codex",
  words: ["codex", "exec", "--skip-git-repo-check"],
  resume: (sessionId) => ["codex", "exec", "resume", sessionId],
  flag: "--dangerously-bypass-approvals-and-sandbox",
  shell: { name: "exec_command", argument: "cmd" },
  files: (url) => ({ ".codex/config.toml": configOf(url) }),
  environment: () => ({ TEST_KEY: "none" }),
  config: "",
  hooks: { began: "startup", tool: "PreToolUse", approved },
  // Other programs of the machine wake it.
  stillInCalls: "5 seconds"
}
