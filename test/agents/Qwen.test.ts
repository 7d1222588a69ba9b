import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { inject } from "vitest"
import { only, services, told } from "../claude/Watched.ts"
import { agentLab } from "./AgentLab.ts"
import { agentNights } from "./AgentNights.ts"
import { realQwen } from "./RealQwen.ts"

describe("qwen#records, qwen#sessions, qwen#hooks", () => {
  agentNights(realQwen, inject("qwen"))
})

describe("behaviour#caps-of-the-user", () => {
  it.live.skipIf(inject("qwen") === null)("an agent that used up its own cap of turns ends there, and is left so", () =>
    Effect.gen(function* () {
      const words = [...realQwen.words, "--max-session-turns", "3"]
      const lab = yield* agentLab({ ...realQwen, words }, inject("qwen") ?? "", () =>
        Effect.succeed({ shell: "echo played >> acts" })
      )
      const souffleur = yield* lab.run("Rehearse.")
      yield* told(souffleur, "RecoveryWithheld")
      const log = yield* lab.log
      assert.deepInclude(only(log, "CeilingReached"), { ceiling: "turns", flag: "--max-session-turns", limit: 3 })
      only(log, "LaunchPrepared")
      assert.isUndefined(log.find(({ _tag }) => _tag === "ConductorDied"))
      assert.lengthOf(yield* lab.asked, 3)
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#what-no-launch-mends", () => {
  it.live.skipIf(inject("qwen") === null)("a finished answer is finished, whatever a gateway calls its end", () =>
    Effect.gen(function* () {
      const lab = yield* agentLab(realQwen, inject("qwen") ?? "", ({ toolResult }) =>
        Effect.succeed(
          toolResult === undefined ? { shell: "echo played" } : { text: "All is complete.", stopReason: "eos_token" }
        )
      )
      const souffleur = yield* lab.run("Rehearse.")
      assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
      const log = yield* lab.log
      assert.strictEqual(only(log, "ConductorCompleted")["by"], "turn")
      only(log, "LaunchPrepared")
    }).pipe(Effect.scoped, Effect.provide(services))
  )
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
      assert.include(
        yield* lab.said("run", "--", ...words, "-p", "do it"),
        "the agent stopped; nothing confirms that its work is done"
      )
      assert.strictEqual(yield* fs.readFileString(outside), "made")
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
