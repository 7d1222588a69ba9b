import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { inject } from "vitest"
import { services } from "../claude/Watched.ts"
import { agentLab } from "./AgentLab.ts"
import { agentNights } from "./AgentNights.ts"
import { realQwen } from "./RealQwen.ts"

describe("qwen#records, qwen#sessions, qwen#hooks", () => {
  agentNights(realQwen, inject("qwen"))
})

describe("qwen#the-ceiling", () => {
  it.live.skipIf(inject("qwen") === null)("below the highest permission it may edit a file outside of its folder", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const outside = `${yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-outside-" })}/made.txt`
      const words = ["qwen", "--auth-type", "openai", "--output-format", "stream-json"]
      const shell = { name: "write_file", argument: "file_path", more: { content: "made" } }
      const lab = yield* agentLab({ ...realQwen, config: "", words, shell }, inject("qwen") ?? "", ({ toolResult }) =>
        Effect.succeed(toolResult === undefined ? { shell: outside } : { text: "All is complete." })
      )
      const dry = yield* lab.said("run", "--dry-run", "--", ...words, "-p", "do it")
      assert.include(dry, "acceptEdits, with which it may edit any file of yours")
      assert.include(yield* lab.said("run", "--", ...words, "-p", "do it"), "the agent finished")
      assert.strictEqual(yield* fs.readFileString(outside), "made")
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
