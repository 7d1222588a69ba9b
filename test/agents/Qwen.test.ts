import { assert, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { inject } from "vitest"
import { services } from "../claude/Watched.ts"
import { agentLab, type RealAgent } from "./AgentLab.ts"
import { agentNights } from "./AgentNights.ts"

const qwen: RealAgent = {
  title: "Qwen Code",
  words: ["qwen", "--auth-type", "openai", "--output-format", "stream-json", "--approval-mode", "yolo"],
  resume: (sessionId) => ["qwen", "--resume", sessionId, "-p"],
  flag: "--mcp-config",
  shell: { name: "run_shell_command", argument: "command" },
  files: () => ({
    // It tries a limited call ten times over an hour. Here it gives up at once.
    ".qwen/settings.json": JSON.stringify({
      general: { enableAutoUpdate: false },
      model: { generationConfig: { maxRetries: 0 } },
      privacy: { usageStatisticsEnabled: false }
    })
  }),
  environment: (url) => ({ OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "test-model" }),
  // It has a shell with this permission alone.
  config: "MAX_EXTERNAL_PERMISSION=bypassPermissions\n",
  launcher: true,
  hooks: { began: "startup", tool: "PreToolUse" },
  limitWithoutEnd: true
}
agentNights(qwen, inject("qwen"))

it.live.skipIf(inject("qwen") === null)("below the highest permission it may edit a file outside of its folder", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const outside = `${yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-outside-" })}/made.txt`
    const words = ["qwen", "--auth-type", "openai", "--output-format", "stream-json"]
    const shell = { name: "write_file", argument: "file_path", more: { content: "made" } }
    const lab = yield* agentLab({ ...qwen, config: "", words, shell }, inject("qwen") ?? "", ({ toolResult }) =>
      Effect.succeed(toolResult === undefined ? { shell: outside } : { text: "All is complete." })
    )
    const dry = yield* lab.said("run", "--dry-run", "--", ...words, "-p", "do it")
    assert.include(dry, "acceptEdits, with which it may edit any file of yours")
    assert.include(yield* lab.said("run", "--", ...words, "-p", "do it"), "the agent finished")
    assert.strictEqual(yield* fs.readFileString(outside), "made")
  }).pipe(Effect.scoped, Effect.provide(services))
)
