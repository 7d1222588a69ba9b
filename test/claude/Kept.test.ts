import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { inject } from "vitest"
import { type Lab, makeLab, type Part, until } from "./Lab.ts"
import { headless, tmux, tmuxMissing } from "./ClaudeStage.ts"
import { bash, begin, checks, only, permissionsOf, rehearsal, services, told } from "./Watched.ts"

const claude = inject("claude")
const says = (words: string, said: ReadonlyArray<string>) => said.some((text) => text.includes(words))
const resumed = "Your conversation is as it was."
/** No window for what souffleur launches, so that it ends after its turn. */
const settings = { SOUFFLEUR_LAUNCHER: "headless" }

/** Watches an agent that runs already. */
const watching = Effect.fn("Kept.watching")(function* (lab: Lab, pid: number, session: string) {
  const stage = yield* headless(lab)
  const souffleur = yield* stage.souffleur(["watch", "--json", "--pid", String(pid), "--session-id", session])
  yield* told(souffleur, "WatchSettled")
  return souffleur
})

describe("behaviour#awaiting-a-session-id", () => {
  it.live.skipIf(claude === null || tmuxMissing)(
    "after /clear in a window the new conversation comes back, by the process's own pid file (skipped where tmux is missing)",
    () =>
      Effect.gen(function* () {
        const second = "Rehearse the second act."
        const part: Part = (asked) => {
          if (says(resumed, asked.said) || asked.toolResult !== undefined) return Effect.succeed(checks(asked))
          return Effect.succeed(says(second, asked.said) ? bash(rehearsal) : { text: "The first act is over." })
        }
        const lab = yield* makeLab(claude!, "opera", part, { solo: true, settings })
        const stage = yield* tmux(lab)
        const session = globalThis.crypto.randomUUID()
        const conductor = yield* stage.conductor(session, begin)
        yield* until("a first turn", lab.exists(lab.sessionFile(session)))
        const souffleur = yield* watching(lab, conductor, session)
        yield* stage.type("/clear", "Enter")
        // The agent may still draw its screen: what is typed too early is typed again.
        yield* until(
          "a second task",
          Effect.gen(function* () {
            if (yield* lab.exists("tool.pid")) return true
            yield* stage.type("C-u", second, "Enter")
            yield* Effect.sleep("3 seconds")
            return yield* lab.exists("tool.pid")
          })
        )
        process.kill(conductor, "SIGKILL")
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const log = yield* lab.log
        const relaunched = only(log, "ConductorRelaunched")
        assert.notStrictEqual(relaunched["sessionId"], session)
        assert.strictEqual(relaunched["provider"], "resume")
        const last = (yield* lab.asked).findLast(({ turn }) => turn)!
        assert.strictEqual(last.sessionId, relaunched["sessionId"])
        assert.include(last.known, second)
        assert.notInclude(last.known, begin)
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#first-launch", () => {
  it.live.skipIf(claude === null)("a user's own wrapper may keep the sessions in another folder", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const wrapper = `${yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-wrapper-" })}/claude`
      const moved = `CLAUDE_CONFIG_DIR="$HOME/.claude-work" exec ${claude!} "$@"`
      yield* fs.writeFileString(wrapper, `#!/bin/sh\n${moved}\n`, { mode: 0o755 })
      const part: Part = (asked) =>
        Effect.succeed(says(begin, asked.said) && asked.toolResult === undefined ? bash(rehearsal) : checks(asked))
      const lab = yield* makeLab(claude!, "opera", part, {
        solo: true,
        settings: { ...settings, SOUFFLEUR_AGENT_COMMAND: wrapper }
      })
      const stage = yield* headless(lab)
      const souffleur = yield* stage.souffleur(["run", "--json", "--", wrapper, "-p", "--allowedTools=Bash", begin])
      yield* until("a tool call", lab.exists("tool.pid"))
      yield* told(souffleur, "WatchSettled")
      const [watch] = JSON.parse(yield* lab.said("status", "--json"))
      assert.include(watch.conductor.doing, "runs the tool Bash")
      const { pid } = only(yield* lab.log, "ConductorConfirmed")["conductor"] as { pid: number }
      process.kill(pid, "SIGKILL")
      assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
      const relaunched = only(yield* lab.log, "ConductorRelaunched")
      assert.strictEqual(relaunched["provider"], "resume")
      const file = lab.sessionFile(String(relaunched["sessionId"]))
      assert.deepStrictEqual(
        [yield* lab.exists(file), yield* lab.exists(file.replace("/.claude/", "/.claude-work/"))],
        [false, true]
      )
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#subagents", () => {
  it.live.skipIf(claude === null)("what a subagent alone has done is progress of its session", () =>
    Effect.gen(function* () {
      const errand = "Write the overture."
      const part: Part = (asked) => {
        const { known, said, toolResult } = asked
        if (says(resumed, said)) return Effect.succeed(checks(asked))
        // The subagent's conversation begins with its errand.
        if (known.includes(errand) && !known.includes(begin))
          return Effect.succeed(
            toolResult === undefined
              ? { tool: { name: "Write", input: { file_path: "overture.txt", content: "written" } } }
              : bash(rehearsal)
          )
        return toolResult === undefined
          ? Effect.succeed({
              tool: {
                name: "Agent",
                input: {
                  description: "Overture",
                  prompt: errand,
                  subagent_type: "general-purpose",
                  run_in_background: false
                }
              }
            })
          : Effect.succeed(checks(asked))
      }
      const lab = yield* makeLab(claude!, "opera", part, { solo: true, settings })
      const stage = yield* headless(lab)
      const command = [claude!, "-p", "--allowedTools=Bash", begin]
      const souffleur = yield* stage.souffleur(["run", "--json", "--", ...command])
      yield* until("a tool call of the subagent", lab.exists("tool.pid"))
      yield* told(souffleur, "WatchSettled")
      const { pid } = only(yield* lab.log, "ConductorConfirmed")["conductor"] as { pid: number }
      process.kill(pid, "SIGKILL")
      assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
      assert.strictEqual(yield* lab.read("overture.txt"), "written")
      assert.deepInclude(only(yield* lab.log, "ConductorDied"), { retries: 0 })
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#permission-ceiling", () => {
  it.live.skipIf(claude === null || tmuxMissing)(
    "a session that went over to plan mode comes back planning, and writes nothing (skipped where tmux is missing)",
    () =>
      Effect.gen(function* () {
        const write = { tool: { name: "Write", input: { file_path: "unapproved.txt", content: "nobody approved it" } } }
        const options = ["One", "Two"].map((label) => ({ label, description: label }))
        const questions = [{ question: "Which act?", header: "Act", multiSelect: false, options }]
        const part: Part = ({ said, toolResult }) => {
          if (says(resumed, said)) return Effect.succeed(write)
          if (says(begin, said)) return Effect.succeed({ tool: { name: "EnterPlanMode", input: {} } })
          // The first agent asks a person, and is killed then. Its successor was refused.
          return Effect.succeed(
            toolResult?.includes("plan mode") === true
              ? { tool: { name: "AskUserQuestion", input: { questions } } }
              : { text: "I may not." }
          )
        }
        const lab = yield* makeLab(claude!, "opera", part, { solo: true, settings })
        const stage = yield* tmux(lab)
        const session = globalThis.crypto.randomUUID()
        const conductor = yield* stage.conductor(session, begin)
        const file = lab.sessionFile(session)
        yield* until(
          "a question in plan mode",
          lab.read(file).pipe(
            Effect.orElseSucceed(() => ""),
            Effect.map((text) => text.includes('"permissionMode":"plan"') && text.includes('"AskUserQuestion"'))
          )
        )
        const souffleur = yield* watching(lab, conductor, session)
        process.kill(conductor, "SIGKILL")
        yield* told(souffleur, "ConductorRelaunched")
        yield* until(
          "the successor's second request",
          Effect.map(
            lab.asked,
            (all) =>
              says(
                resumed,
                all.flatMap(({ said }) => said)
              ) && all.at(-1)?.toolResult !== undefined
          )
        )
        const successor = only(yield* lab.log, "ConductorRelaunched")["conductor"] as { pid: number }
        const { all } = yield* lab.agents
        assert.deepStrictEqual(
          [conductor, successor.pid].map((pid) => permissionsOf(all.get(pid)?.argv ?? [])),
          [["acceptEdits"], ["plan"]]
        )
        assert.isFalse(yield* lab.exists("unapproved.txt"))
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
