import * as nodeFs from "node:fs"
import { Agent, Processes } from "@souffleur/domain"
import type { AgentPackage } from "@souffleur/process"
import { type AgentSubject, FakeProcesses } from "@souffleur/testing"
import { Context, Effect, FileSystem, Layer } from "effect"
import { claudeCode, codex, copilot, gemini, openCode, pi, qwen } from "../src/index.ts"
import * as rowsOf from "./opencode/Database.ts"

const text = (path: string) => nodeFs.readFileSync(new URL(path, import.meta.url), "utf8")
/** Returns a session that the real agent wrote. */
export const recorded = (agent: string, name: string) => text(`${agent}/fixtures/${name}.jsonl`)

const session = recorded("claude", "session")
/** Returns the session of Claude Code as it was when its first tool was called. */
const killed = () => {
  const lines = session.split("\n")
  const at = lines.findIndex((line) => line.includes('"type":"assistant"') && line.includes('"type":"tool_use"'))
  return `${lines.slice(0, at + 1).join("\n")}\n`
}
/** Returns the records of a situation that the real Claude Code wrote. */
const situation = (name: string) => {
  const found = JSON.parse(text(`../../../test/fixtures/evidence/${name}.json`)) as {
    readonly session: { readonly lines: ReadonlyArray<unknown> }
  }
  return found.session.lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("")
}
/** Returns a turn of a session of Gemini CLI, by what the agent printed of it. */
const turn = (output: string, name = "finished") => ({
  session: recorded("gemini", name),
  output: recorded("gemini", `${output}.output`)
})

/** Every agent with session files that its real program has written. */
export const subjects = {
  claudeCode: {
    kind: claudeCode,
    sessionId: "3f2a0b9d-ff2e-42cb-8275-f2cdd9cea75a",
    file: "projects/-home-user-project/3f2a0b9d-ff2e-42cb-8275-f2cdd9cea75a.jsonl",
    login: ".credentials.json",
    finished: session,
    told: ["gowrite a file", "**Tool call: Write**", "goedit it"],
    killed: killed(),
    failed: [
      { text: situation("limit-stated"), reason: "usage-limit", resetsAt: Date.parse("2026-11-21T07:32:56.000Z") },
      { text: situation("limit-unstated"), reason: "usage-limit" },
      { text: situation("outage-529"), reason: "outage" },
      { text: situation("too-long"), reason: "prompt-too-long" },
      { text: situation("account-credit"), reason: "account" }
    ],
    words: ["--model", "m", "-p"],
    lifting: [
      ["--settings", "x"],
      ['--settings={"permissions":{"defaultMode":"bypassPermissions"}}'],
      ["--agents", "{}"],
      ["--plugin-dir", "x"],
      ["--permission-prompt-tool", "x"],
      ["--allow-dangerously-skip-permissions"],
      ["--dangerously-skip-perm"],
      ["--dangerously-skip-permissions=false"],
      ["--PERMISSION-MODE", "plan"],
      ["--continue"],
      ["-c"],
      ["-cp"],
      ["--fork-session"],
      ["--bg"],
      ["--worktree"],
      ["--input-format", "stream-json"],
      ["--verbose=--settings"],
      ["--name", "--settings=y"],
      ["--plugin-dir-no-mcp"],
      ["--sdk-url", "x"]
    ]
  },
  codex: {
    kind: codex,
    sessionId: "01a20631-6832-7772-a731-0eceba6359e0",
    file: "sessions/2026/11/23/rollout-2026-11-23T02-17-11-01a20631-6832-7772-a731-0eceba6359e0.jsonl",
    login: "auth.json",
    finished: recorded("codex", "finished"),
    told: ["**Tool call: exec_command**"],
    killed: recorded("codex", "killed"),
    failed: [
      { text: recorded("codex", "limited"), reason: "usage-limit", resetsAt: 1_795_999_999_000 },
      { text: recorded("codex", "throttled"), reason: "usage-limit" },
      { text: recorded("codex", "full"), reason: "prompt-too-long" },
      { text: recorded("codex", "outage"), reason: "outage" },
      { text: recorded("codex", "account"), reason: "login" }
    ],
    words: ["exec", "-m", "gpt-5"],
    byInput: ["-"],
    lifting: [["--add-dir", "/"], ["--full-auto"], ["-p", "night"], ["-c", 'sandbox_mode="danger-full-access"']]
  },
  copilot: {
    kind: copilot,
    sessionId: "fin-1",
    file: "session-state/fin-1/events.jsonl",
    finished: recorded("copilot", "finished"),
    told: ["echo hello > made.txt", "**Tool call: bash**", "tool said: hello"],
    killed: recorded("copilot", "killed"),
    failed: [
      { text: recorded("copilot", "limited"), reason: "usage-limit" },
      { text: recorded("copilot", "full"), reason: "prompt-too-long" },
      { text: recorded("copilot", "outage"), reason: "outage" },
      { text: recorded("copilot", "account"), reason: "login" }
    ],
    refused: recorded("copilot", "refused"),
    words: ["--model", "m", "--disable-builtin-mcps", "--allow-all-tools"],
    byInput: ["--no-ask-user"],
    lifting: [
      ["--allow-all"],
      ["--yolo"],
      ["--allow-all-paths"],
      ["--allow-tool", "shell"],
      ["--allow-tool=write,shell"],
      ["--add-dir", "/"],
      ["--trust-folder"],
      ["--additional-mcp-config", "{}"],
      ["--agent", "x"],
      ["--excluded-tools", "lsp"]
    ]
  },
  gemini: {
    kind: gemini,
    sessionId: "90000001-1111-4111-8111-111111111111",
    file: ".gemini/tmp/opera/chats/session-2026-11-23T12-44-90000001.jsonl",
    login: ".gemini/oauth_creds.json",
    finished: turn("finished"),
    told: ["echo hello > made.txt", "**Tool call: run_shell_command**", "tool said: "],
    killed: { ...turn("killed"), session: recorded("gemini", "killed").replaceAll("90000002", "90000001") },
    failed: [
      { text: turn("limited"), reason: "usage-limit" },
      { text: turn("full"), reason: "prompt-too-long" },
      { text: turn("outage"), reason: "outage" },
      { text: turn("account"), reason: "login" }
    ],
    words: ["--model", "m", "--skip-trust", "-y", "-p", "sing"],
    lifting: [
      ["--allowed-tools", "run_shell_command"],
      ["--policy", "x.toml"],
      ["--admin-policy=x.toml"],
      ["--allowed-mcp-server-names", "x"],
      ["-e", "x"],
      ["--include-directories=/"]
    ],
    permissions: ["bypassPermissions"]
  },
  openCode: {
    kind: openCode,
    sessionId: rowsOf.sessionId,
    file: rowsOf.file,
    keep: rowsOf.keep,
    login: "opencode/auth.json",
    finished: recorded("opencode", "finished"),
    told: ["echo made > made.txt", "**Tool call: bash**", "tool said: "],
    killed: recorded("opencode", "killed"),
    failed: [
      { text: recorded("opencode", "full"), reason: "prompt-too-long" },
      { text: recorded("opencode", "account"), reason: "login" },
      { text: recorded("opencode", "cut"), reason: "other" },
      { text: recorded("opencode", "filtered"), reason: "other" }
    ],
    words: ["run", "--model", "fake/m", "--auto"],
    lifting: [["--share"], ["--attach", "http://localhost:1"], ["--attach=http://localhost:1"]],
    permissions: ["bypassPermissions"]
  },
  pi: {
    kind: pi,
    sessionId: "fin-1",
    file: "sessions/--srv-opera--/2026-11-23T05-14-48-733Z_fin-1.jsonl",
    login: "auth.json",
    finished: recorded("pi", "finished"),
    told: ["echo hello", "**Tool call: bash**", "tool said: hello"],
    killed: recorded("pi", "killed"),
    failed: [
      { text: recorded("pi", "limited"), reason: "usage-limit" },
      { text: recorded("pi", "full"), reason: "prompt-too-long" },
      { text: recorded("pi", "outage"), reason: "outage" },
      { text: recorded("pi", "account"), reason: "login" }
    ],
    words: ["--model", "m", "-p"],
    lifting: [["--approve"], ["-a"], ["-e", "x.ts"], ["--extension", "x.ts"]],
    permissions: ["bypassPermissions"]
  },
  qwen: {
    kind: qwen,
    sessionId: "fin-1",
    file: "projects/-srv-opera/chats/fin-1.jsonl",
    login: "oauth_creds.json",
    finished: recorded("qwen", "finished"),
    told: ["echo hello > made.txt", "**Tool call: run_shell_command**", "tool said: Command"],
    killed: recorded("qwen", "killed"),
    failed: [
      { text: recorded("qwen", "limited"), reason: "usage-limit" },
      { text: recorded("qwen", "full"), reason: "prompt-too-long" },
      { text: recorded("qwen", "outage"), reason: "outage" },
      { text: recorded("qwen", "account"), reason: "login" }
    ],
    refused: recorded("qwen", "refused"),
    words: ["--model", "m", "--safe-mode", "--yolo"],
    byInput: ["--input-format", "text"],
    lifting: [
      ["--allowed-tools", "run_shell_command"],
      ["--core-tools", "run_shell_command"],
      ["--mcp-config", "x.json"],
      ["-e", "x"],
      ["--add-dir", "/"],
      ["--include-directories=/"]
    ]
  }
} satisfies Readonly<Record<string, AgentSubject>>

/** An agent whose processes carry the session, with those of a launcher, and of the agent behind it. */
interface Carrying {
  readonly kind: AgentPackage
  readonly file: string
  readonly sessionId: string
  readonly variable: string
  readonly launcher: ReadonlyArray<string>
  readonly behind?: ReadonlyArray<string>
}

/** The agents that carry their session. */
export const carrying = {
  copilot: {
    kind: copilot,
    file: "session-state/fin-1/events.jsonl",
    sessionId: "fin-1",
    variable: "COPILOT_AGENT_SESSION_ID",
    launcher: ["node", "/opt/bin/copilot", "--session-id", "fin-1"],
    behind: ["/opt/node_modules/@github/copilot-linux-x64/copilot", "--session-id", "fin-1"]
  },
  gemini: {
    kind: gemini,
    file: ".gemini/tmp/opera/chats/session-2026-11-23T12-44-90000001.jsonl",
    sessionId: "90000001-1111-4111-8111-111111111111",
    variable: "GEMINI_SESSION_ID",
    launcher: ["node", "/opt/bin/gemini", "--resume", "1"],
    behind: ["/opt/bin/node", "/opt/bin/gemini", "--resume", "1"]
  },
  pi: {
    kind: pi,
    file: "sessions/--srv-opera--/2026-11-23T05-14-48-733Z_fin-1.jsonl",
    sessionId: "fin-1",
    variable: "PI_SESSION_ID",
    launcher: ["pi", "", ""]
  },
  qwen: {
    kind: qwen,
    file: "projects/-srv-opera/chats/fin-1.jsonl",
    sessionId: "fin-1",
    variable: "QWEN_CODE_SESSION_ID",
    launcher: ["node", "/opt/bin/qwen", "--resume", "fin-1"],
    behind: ["/opt/bin/node", "--expose-gc", "/opt/node_modules/@qwen-code/qwen-code/cli.js", "--resume", "fin-1"]
  }
} satisfies Readonly<Record<string, Carrying>>

/** Makes the folder of such an agent with this session. `lives`: its launcher runs, and the agent behind it. */
export const sessionOf = Effect.fnUntraced(function* (of: Carrying, records: string, lives = false) {
  const fs = yield* FileSystem.FileSystem
  const agentDir = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-carrying-" })
  const file = `${agentDir}/${of.file}`
  yield* fs.makeDirectory(file.slice(0, file.lastIndexOf("/")), { recursive: true })
  yield* fs.writeFileString(file, records)
  const processes = new FakeProcesses()
  const environment = { [of.variable]: of.sessionId }
  if (lives) processes.run({ pid: 70, words: of.launcher, environment })
  if (lives && of.behind !== undefined) processes.run({ pid: 71, parent: 70, words: of.behind, environment })
  const options = { agentDir, agentCommand: { program: of.kind.program, args: [] }, environment: {} }
  const layer = Layer.provide(of.kind.layer(options), Layer.succeed(Processes, processes.service))
  return Context.get(yield* Layer.build(layer), Agent)
})
