import { Effect, FileSystem, Path } from "effect"
import { readFileSync } from "node:fs"
import { keep } from "../../packages/agents/test/opencode/Database.ts"

const recorded = (path: string) => readFileSync(new URL(`../../packages/${path}.jsonl`, import.meta.url), "utf8")
const finished = (agent: string) => recorded(`agents/test/${agent}/fixtures/finished`)
const codexId = /"id":"([^"]+)"/u.exec(finished("codex"))?.[1] ?? ""

/** A session that each agent's own program has written: its id, and its file in a person's home. */
export const sessions = {
  claude: {
    id: "3f2a0b9d-ff2e-42cb-8275-f2cdd9cea75a",
    file: ".claude/projects/-opera/3f2a0b9d-ff2e-42cb-8275-f2cdd9cea75a.jsonl",
    text: recorded("agents/test/claude/fixtures/session"),
    says: ["go", "Write"]
  },
  codex: {
    id: codexId,
    file: `.codex/sessions/2026/11/23/rollout-2026-11-23T02-17-11-${codexId}.jsonl`,
    text: finished("codex"),
    says: ["exec_command"]
  },
  copilot: {
    id: "fin-1",
    file: ".copilot/session-state/fin-1/events.jsonl",
    text: finished("copilot"),
    says: ["bash", "echo hello > made.txt"]
  },
  gemini: {
    id: "90000001-1111-4111-8111-111111111111",
    file: ".gemini/tmp/opera/chats/session-2026-11-23T12-44-90000001.jsonl",
    text: finished("gemini"),
    says: ["run_shell_command", "echo hello > made.txt"]
  },
  opencode: {
    id: "ses_90000001ffeOperaOperaOpera",
    file: ".local/share/opencode/opencode.db/ses_90000001ffeOperaOperaOpera",
    text: finished("opencode"),
    says: ["bash", "echo made > made.txt"]
  },
  pi: {
    id: "fin-2",
    file: ".pi/agent/sessions/--srv-opera--/2026-11-23T05-14-48-733Z_fin-2.jsonl",
    text: finished("pi").replaceAll("fin-1", "fin-2"),
    says: ["bash", "echo hello"]
  },
  qwen: {
    id: "fin-3",
    file: ".qwen/projects/-srv-opera/chats/fin-3.jsonl",
    text: finished("qwen").replaceAll("fin-1", "fin-3"),
    says: ["run_shell_command", "echo hello > made.txt"]
  }
} as const

/** Keeps these sessions in a person's home. */
export const keepSessions = Effect.fnUntraced(function* (home: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (const [agent, { file, text }] of Object.entries(sessions)) {
    const at = path.join(home, file)
    yield* agent === "opencode"
      ? keep(at, text)
      : Effect.andThen(
          fs.makeDirectory(path.dirname(at), { recursive: true }),
          fs.writeFileString(at, text, { mode: 0o600 })
        )
  }
})
