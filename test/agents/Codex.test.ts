import { codex } from "@souffleur/agents"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, FileSystem, Option } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { inject } from "vitest"
import { until } from "../claude/Lab.ts"
import { loginSaid } from "../claude/LoginSaid.ts"
import { only, services, told } from "../claude/Watched.ts"
import { agentLab, sessionIn } from "./AgentLab.ts"
import { agentNights } from "./AgentNights.ts"
import { checks, isBack } from "./ModelParts.ts"
import { realCodex } from "./RealCodex.ts"

const program = inject("codex")

describe("codex#turns, codex#sessions, codex#hooks", () => {
  agentNights(realCodex, program)
})

describe("behaviour#permission-ceiling", () => {
  it.live.skipIf(program === null)("a person's session that may only read comes back so, and writes nothing", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const lab = yield* agentLab(realCodex, program!, (asked) =>
        Effect.succeed(
          !isBack(asked)
            ? { shell: "sleep 300" }
            : asked.toolResult === undefined || asked.toolResult.includes("aborted")
              ? { shell: "echo written > unapproved; echo tried" }
              : { text: "I may not." }
        )
      )
      const args = ["exec", "--skip-git-repo-check", "--sandbox", "read-only", "--", "Rehearse."]
      const { pid } = yield* spawner.spawn(ChildProcess.make(program!, args, lab.options))
      const sessions = `${lab.home}/.codex/sessions`
      const find = fs.readDirectory(sessions, { recursive: true }).pipe(
        Effect.map((files) => files.find((file) => file.endsWith(".jsonl"))),
        Effect.orElseSucceed(() => undefined)
      )
      yield* until(
        "a tool call",
        Effect.flatMap(find, (file) =>
          file === undefined
            ? Effect.succeed(false)
            : Effect.map(fs.readFileString(`${sessions}/${file}`), (text) => text.includes("sleep 300"))
        )
      )
      const session = /[\da-f-]{36}(?=\.jsonl$)/u.exec((yield* find) ?? "")![0]
      const souffleur = yield* lab.start("watch", "--json", "--pid", String(pid), "--session-id", session)
      yield* told(souffleur, "WatchSettled")
      process.kill(pid, "SIGKILL")
      yield* until(
        "its answer",
        Effect.map(lab.asked, (all) => all.some(({ toolResult }) => toolResult?.includes("tried") === true))
      )
      const log = yield* lab.log
      assert.deepInclude(only(log, "LaunchPrepared"), { sessionId: session, heldTo: "asks" })
      assert.isFalse(yield* fs.exists(`${lab.project}/unapproved`))
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#what-no-launch-mends", () => {
  it.live.skipIf(program === null)(
    "an answer is finished without a word of its use, and resumed where it was cut off",
    () =>
      Effect.gen(function* () {
        for (const stopReason of [undefined, "max_output_tokens", "odd"]) {
          const lab = yield* agentLab(realCodex, program!, (asked) =>
            Effect.succeed(
              stopReason === undefined || isBack(asked)
                ? { ...checks(asked), unmetered: true }
                : asked.toolResult === undefined
                  ? { shell: "echo played" }
                  : { text: "All is", stopReason }
            )
          )
          const souffleur = yield* lab.run("Rehearse.")
          if (stopReason !== undefined) {
            yield* told(souffleur, "WaitStarted")
            yield* lab.said("go")
          }
          assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
          const log = yield* lab.log
          assert.strictEqual(only(log, "ConductorCompleted")["by"], "turn")
          const back = log.filter(({ _tag }) => _tag === "ConductorRelaunched")
          const session = sessionIn(log, only(log, "ConductorConfirmed"))
          assert.deepStrictEqual(
            back.map(({ provider, sessionId }) => [provider, sessionId]),
            stopReason === undefined ? [] : [["continue_turn", session]],
            stopReason
          )
        }
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

/** The one cap that it has, in its settings alone: its feature is under development. */
const budget = `[features.rollout_budget]
enabled = true
enforce_limit = true
limit_tokens = 2500
reminder_at_remaining_tokens = [500]
`

describe("behaviour#caps-of-the-user", () => {
  it.live.skipIf(program === null)("an agent that used up the tokens of its own settings is left so", () =>
    Effect.gen(function* () {
      const files = (url: string) =>
        Object.fromEntries(Object.entries(realCodex.files(url)).map(([file, text]) => [file, text + budget]))
      const lab = yield* agentLab({ ...realCodex, files }, program!, () =>
        Effect.succeed({ shell: "echo played >> acts" })
      )
      const souffleur = yield* lab.run("Rehearse.")
      yield* told(souffleur, "RecoveryWithheld")
      const log = yield* lab.log
      only(log, "LaunchPrepared")
      assert.isUndefined(log.find(({ _tag }) => _tag === "ConductorDied"))
      assert.lengthOf(yield* lab.asked, 3)
      assert.include(yield* lab.said("status"), "cap")
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("command-line#screen", () => {
  it.live.skipIf(program === null)("records that the user asked for stay records in a pipe, also in attach", () =>
    Effect.gen(function* () {
      const attached = yield* Deferred.make<void>()
      const words = [...realCodex.words, "--json"]
      const lab = yield* agentLab({ ...realCodex, words }, program!, ({ toolResult }) =>
        toolResult === undefined
          ? Effect.succeed({ shell: "touch tool" })
          : Effect.as(Deferred.await(attached), { text: "All is complete." })
      )
      const souffleur = yield* lab.start("run", "--", ...words, "--", "Rehearse.")
      yield* lab.tool
      const attach = yield* lab.start("attach")
      yield* until(
        "its output",
        Effect.map(attach.said, (said) => said.includes("its output, until the watch ends"))
      )
      yield* Deferred.succeed(attached, undefined)
      for (const { exitCode, said } of [souffleur, attach]) {
        assert.strictEqual(yield* exitCode, 0, yield* said)
        assert.match(yield* said, /^\{.*"text":"All is complete\."/mu)
      }
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#a-renewed-login", () => {
  it.live.skipIf(program === null)(
    "Codex says whether an account is logged in; one that cannot start says nothing",
    () =>
      Effect.gen(function* () {
        const command = { program: program!, args: [] }
        assert.deepStrictEqual(yield* loginSaid(codex, command), Option.some(false))
        const nowhere = { CODEX_HOME: "/nowhere" }
        assert.deepStrictEqual(yield* loginSaid(codex, command, nowhere), Option.none())
        const kept = (agentDir: string) =>
          Effect.flatMap(FileSystem.FileSystem, (fs) =>
            fs.writeFileString(`${agentDir}/auth.json`, '{"OPENAI_API_KEY":"sk-test"}')
          )
        assert.deepStrictEqual(yield* loginSaid(codex, command, {}, kept), Option.some(true))
      })
  )
})
