import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { inject } from "vitest"
import { makeLab, type Part, until } from "./Lab.ts"
import { headless } from "./ClaudeStage.ts"
import type { Answer } from "./ModelEndpoint.ts"
import { bash, begin, only, rehearsal, services, told } from "./Watched.ts"

const claude = inject("claude")
const write = { tool: { name: "Write", input: { file_path: "done.txt", content: "done" } } }

/** A run of the real agent whose model says that after its first tool. */
const running = Effect.fn("Unmendable.running")(function* (answer: Answer, ...flags: ReadonlyArray<string>) {
  const part: Part = ({ said, toolResult }) =>
    Effect.succeed(toolResult === undefined && said.some((text) => text.includes(begin)) ? write : answer)
  const lab = yield* makeLab(claude!, "opera", part, { solo: true })
  const stage = yield* headless(lab)
  return { lab, souffleur: yield* stage.souffleur(["run", "--json", "--", claude!, "-p", ...flags, begin]) }
})

const refusals = [
  ["login", 401, "authentication_error", "OAuth token has expired."],
  ["account", 403, "permission_error", "OAuth authentication is currently not allowed for this organization"],
  ["account", 400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."],
  ["model", 404, "not_found_error", "model: claude-of-tomorrow"]
] as const

describe("behaviour#what-no-launch-mends", () => {
  for (const [stage, status, type, message] of refusals)
    it.live.skipIf(claude === null)(
      `an agent that the service refuses with ${status} is left as it is, and a person is told once: ${message}`,
      () =>
        Effect.gen(function* () {
          const refused = { status, type, message, headers: { "x-should-retry": "false" } }
          const { lab, souffleur } = yield* running({ refused })
          yield* told(souffleur, "RecoveryWithheld")
          yield* until(
            "a notice",
            Effect.map(lab.notices, (all) => all.length > 0)
          )
          const log = yield* lab.log
          assert.deepInclude(only(log, "RecoveryWithheld"), { stage })
          only(log, "LaunchPrepared")
          for (const never of ["ConductorDied", "RecoveryStarted"])
            assert.isUndefined(log.find((e) => e._tag === never))
          const [watch] = JSON.parse(yield* lab.said("status", "--json"))
          assert.deepInclude(watch, { state: "needs you", retries: 0 })
          assert.deepStrictEqual(
            (yield* lab.notices).map(({ kind }) => kind),
            ["waiting_for_a_person"]
          )
          assert.lengthOf([...(yield* lab.agents).all], 1)
        }).pipe(Effect.scoped, Effect.provide(services))
    )
})

describe("behaviour#caps-of-the-user", () => {
  const caps = [
    ["dollars", "--max-budget-usd", "0.01"],
    ["turns", "--max-turns", "3"]
  ] as const
  for (const [ceiling, flag, limit] of caps)
    it.live.skipIf(claude === null)(
      `an agent that used up its ${flag} ends there, and a retry allows as much again`,
      () =>
        Effect.gen(function* () {
          const part: Part = () => Effect.succeed(bash("date >> work"))
          const lab = yield* makeLab(claude!, "opera", part, { solo: true })
          const stage = yield* headless(lab)
          const command = [claude!, "-p", flag, limit, "--allowedTools=Bash", "--", begin]
          const souffleur = yield* stage.souffleur(["run", "--json", "--", ...command])
          yield* told(souffleur, "RecoveryWithheld")
          const log = yield* lab.log
          assert.deepInclude(only(log, "CeilingReached"), { ceiling, flag })
          assert.deepInclude(only(log, "RecoveryWithheld"), { stage: "ceiling" })
          only(log, "LaunchPrepared")
          assert.isUndefined(log.find(({ _tag }) => _tag === "ConductorDied"))
          const [watch] = JSON.parse(yield* lab.said("status", "--json"))
          assert.deepInclude(watch, { state: "needs you", retries: 0 })
          const spent = (yield* lab.asked).filter(({ turn }) => turn).length
          yield* lab.said("retry")
          const counted = (tag: string) => Effect.map(lab.log, (all) => all.filter(({ _tag }) => _tag === tag).length)
          yield* until(
            "a second end",
            Effect.map(counted("RecoveryWithheld"), (count) => count === 2)
          )
          assert.strictEqual(yield* counted("LaunchPrepared"), 2)
          assert.strictEqual((yield* lab.asked).filter(({ turn }) => turn).length, 2 * spent)
        }).pipe(Effect.scoped, Effect.provide(services))
    )
})

describe("behaviour#caps-of-the-user", () => {
  it.live.skipIf(claude === null)("an agent that somebody else started keeps its cap over a recovery", () =>
    Effect.gen(function* () {
      const part: Part = ({ said, toolResult }) =>
        Effect.succeed(
          toolResult === undefined && said.some((text) => text.includes(begin)) ? bash(rehearsal) : bash("date >> work")
        )
      const lab = yield* makeLab(claude!, "opera", part, { solo: true })
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const session = globalThis.crypto.randomUUID()
      const args = ["--session-id", session, "-p", "--max-turns", "4", "--allowedTools=Bash", "--", begin]
      const { pid } = yield* spawner.spawn(ChildProcess.make(claude!, args, lab.options))
      yield* until("a tool call", lab.exists("tool.pid"))
      const stage = yield* headless(lab)
      const souffleur = yield* stage.souffleur(["watch", "--json", "--pid", String(pid), "--session-id", session])
      yield* told(souffleur, "CapsFound")
      process.kill(pid, "SIGKILL")
      yield* told(souffleur, "RecoveryWithheld")
      const log = yield* lab.log
      assert.deepInclude(only(log, "CapsFound"), { caps: [{ kind: "turns", flag: "--max-turns", limit: 4 }] })
      assert.deepInclude(only(log, "CeilingReached"), { ceiling: "turns", flag: "--max-turns", limit: 4 })
      const relaunched = only(log, "ConductorRelaunched")["conductor"] as { pid: number }
      const { all } = yield* lab.agents
      // The turn that was killed counts.
      assert.include(all.get(relaunched.pid)?.argv ?? [], "--max-turns=3")
      assert.strictEqual((yield* lab.asked).filter(({ turn }) => turn).length, 4)
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("claude-code#ends", () => {
  for (const stopReason of ["stop_sequence", "a word of tomorrow", null])
    it.live.skipIf(claude === null)(`an answer is the last one where a gateway ends it with ${stopReason}`, () =>
      Effect.gen(function* () {
        const { lab, souffleur } = yield* running({ text: "All is complete.", stopReason })
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const log = yield* lab.log
        assert.strictEqual(only(log, "ConductorCompleted")["by"], "turn")
        only(log, "LaunchPrepared")
      }).pipe(Effect.scoped, Effect.provide(services))
    )
  it.live.skipIf(claude === null)("a window that is full ends the conversation, and the rest of it is handed on", () =>
    Effect.gen(function* () {
      const { lab, souffleur } = yield* running({ text: "So far.", stopReason: "model_context_window_exceeded" })
      yield* told(souffleur, "RecoveryStarted")
      const log = yield* lab.log
      assert.strictEqual(log.find(({ _tag }) => _tag === "RecoveryStarted")?.["trigger"], "context")
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
