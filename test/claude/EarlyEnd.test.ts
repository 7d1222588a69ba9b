import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { makeLab, type Part, until } from "./Lab.ts"
import { headless } from "./ClaudeStage.ts"
import { bash, begin, checks, only, rehearsal, services, told } from "./Watched.ts"

const claude = inject("claude")
const says = (said: ReadonlyArray<string>, words: string) => said.some((text) => text.includes(words))

/** A run of the real agent in the folder of a lab, with these flags. */
const running = Effect.fn("EarlyEnd.running")(function* (part: Part, ...flags: ReadonlyArray<string>) {
  const lab = yield* makeLab(claude!, "opera", part, { solo: true })
  const stage = yield* headless(lab)
  return { lab, souffleur: yield* stage.souffleur(["run", "--json", "--", claude!, "-p", ...flags, begin]) }
})

describe("claude-code#signals", () => {
  it.live.skipIf(claude === null)(
    "an agent that a signal ends within its turn has not completed, although its exit code is 0",
    () =>
      Effect.gen(function* () {
        const part: Part = (asked) =>
          Effect.succeed(asked.said.includes(begin) && asked.toolResult === undefined ? bash(rehearsal) : checks(asked))
        const { lab, souffleur } = yield* running(part, "--allowedTools=Bash")
        yield* until("a tool call", lab.exists("tool.pid"))
        yield* told(souffleur, "WatchSettled")
        const { pid } = only(yield* lab.log, "ConductorConfirmed")["conductor"] as { pid: number }
        process.kill(pid, "SIGINT")
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const log = yield* lab.log
        assert.deepInclude(only(log, "ConductorDied")["evidence"], { end: { _tag: "Exited", code: 0 } })
        assert.strictEqual(only(log, "ConductorRelaunched")["provider"], "resume")
        assert.strictEqual(only(log, "ConductorCompleted")["by"], "turn")
        assert.deepStrictEqual((yield* lab.agents).most, 1)
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("claude-code#permissions", () => {
  it.live.skipIf(claude === null)("an agent whose permission was refused goes on, and is told so", () =>
    Effect.gen(function* () {
      const write = { tool: { name: "Write", input: { file_path: "done.txt", content: "done" } } }
      const part: Part = ({ said, toolResult }) => {
        if (says(said, "a permission refused your tool")) return Effect.succeed(write)
        if (toolResult === undefined) return Effect.succeed(bash("curl http://127.0.0.1:1/"))
        return Effect.succeed({ text: toolResult.includes("approval") ? "I may not." : "All is complete." })
      }
      const { lab, souffleur } = yield* running(part)
      assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
      const log = yield* lab.log
      const early = only(log, "EndedEarly")
      assert.deepInclude(early, { reason: "refused", retries: 1 })
      const relaunched = only(log, "ConductorRelaunched")
      assert.strictEqual(relaunched["provider"], "continue_turn")
      assert.strictEqual(relaunched["sessionId"], only(log, "ConductorConfirmed")["sessionId"])
      assert.strictEqual(only(log, "ConductorCompleted")["by"], "turn")
      assert.include(yield* lab.said("why", String(early.revision)), "right after a refused permission")
      assert.strictEqual(yield* lab.read("done.txt"), "done")
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#early-ends", () => {
  it.live.skipIf(claude === null)(
    "a successor that does nothing but answer is asked to check, and completes then",
    () =>
      Effect.gen(function* () {
        const part: Part = (asked) => {
          if (says(asked.said, "check it with a tool first") || asked.toolResult?.includes("checked") === true)
            return Effect.succeed(checks(asked))
          return Effect.succeed(
            says(asked.said, "Your conversation is as it was.") ? { text: "I have read it." } : bash(rehearsal)
          )
        }
        const { lab, souffleur } = yield* running(part, "--allowedTools=Bash")
        yield* until("a tool call", lab.exists("tool.pid"))
        yield* told(souffleur, "WatchSettled")
        const { pid } = only(yield* lab.log, "ConductorConfirmed")["conductor"] as { pid: number }
        process.kill(pid, "SIGKILL")
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const log = yield* lab.log
        assert.deepInclude(only(log, "EndedEarly"), { reason: "only-answered", retries: 2 })
        assert.deepStrictEqual(
          log.flatMap((event) => (event._tag === "ConductorRelaunched" ? [event["provider"]] : [])),
          ["resume", "continue_turn"]
        )
        assert.strictEqual(only(log, "ConductorCompleted")["by"], "turn")
        assert.deepStrictEqual(
          (yield* lab.notices).map(({ kind }) => kind),
          ["died", "recovered", "unconfirmed"]
        )
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
