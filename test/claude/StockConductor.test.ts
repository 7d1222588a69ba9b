import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { inject } from "vitest"
import { type AgentWindow, tmux, tmuxMissing, type Windows } from "./ClaudeStage.ts"
import { type Lab, makeLab, type Part, until } from "./Lab.ts"
import { bash, begin, first, services, waiting } from "./Watched.ts"

const claude = inject("claude")

/** The Conductor works on until it is told to go; the agent that starts its watchdog repeats what it was told. */
const part: Part = ({ known, toolResult }) =>
  Effect.succeed(
    !known.includes(begin) ? { text: "So it is." } : toolResult === undefined ? bash(waiting) : { text: "Done." }
  )

/** The words of a Conductor that hands over its window, and that window. */
const askedBy = Effect.fnUntraced(function* (lab: Lab, stage: Windows) {
  const conductor = yield* stage.conductor(first, begin)
  yield* until("a tool call", lab.exists("tool.pid"))
  const window = (yield* lab.read(`/proc/${conductor}/stat`)).split(") ").at(-1)!.split(" ")[1]!
  return `/souffleur PID:${window} SESSION_ID:${first}`
})

const row = (lab: Lab, state: string, window: AgentWindow) =>
  until(
    `the row ${state}`,
    Effect.map(lab.stateOf("souffleur"), (now) => now === state),
    window.said
  )

const says = (window: AgentWindow, words: RegExp) =>
  until(
    String(words),
    Effect.map(window.said, (said) => words.test(said)),
    window.said
  )

describe("behaviour#plugin", () => {
  for (const how of ["first prompt", "typed"] as const)
    it.live.skipIf(claude === null || tmuxMissing)(
      `the line of a stock Conductor starts a detached watch, without a question: ${how} (skipped where tmux is missing)`,
      () =>
        Effect.gen(function* () {
          const lab = yield* makeLab(claude!, "opera", part)
          yield* lab.said("plugin", "install")
          const stage = yield* tmux(lab)
          const line = yield* askedBy(lab, stage)
          const window = yield* stage.agent(...(how === "typed" ? [] : ["--permission-mode", "manual", "--", line]))
          if (how === "typed") {
            yield* says(window, /❯/u)
            yield* window.type("-l", line)
            yield* says(window, new RegExp(`SESSION_ID:${first}`, "u"))
            yield* window.type("Enter")
          }
          yield* row(lab, "confirmed", window)
          yield* says(window, /So it is\./u)
          const told = (yield* lab.asked).find(({ known, turn }) => turn && !known.includes(begin))
          assert.match(told?.known ?? "", /\nsouffleur, pid \d+, watches opera-[\da-f]{4}; /u)

          // The session that started the watch may end at once.
          process.kill(window.pid, "SIGKILL")
          yield* lab.commsDb.complete
          yield* row(lab, "complete", window)
        }).pipe(Effect.scoped, Effect.provide(services))
    )

  it.live.skipIf(claude === null || tmuxMissing)(
    "a line that names no Conductor ends with what is wrong, and the row says error (skipped where tmux is missing)",
    () =>
      Effect.gen(function* () {
        const lab = yield* makeLab(claude!, "opera", part)
        yield* lab.said("plugin", "install")
        const stage = yield* tmux(lab)
        const window = yield* stage.agent("--", `/souffleur PID:4190000 SESSION_ID:${first}`)
        yield* row(lab, "error", window)
        yield* says(window, /is not watched/u)
        assert.deepStrictEqual(yield* lab.asked, [], "no model was needed")
      }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live.skipIf(claude === null)("no shell of the agent reads what is typed behind the command", () =>
    Effect.gen(function* () {
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const lab = yield* makeLab(claude!, "opera", part)
      yield* lab.said("plugin", "install")
      for (const typed of [
        "PID:12 SESSION_ID:a; touch touched",
        "PID:12 SESSION_ID:$(touch touched)",
        "PID:12 SESSION_ID:!`touch touched`",
        "PID:12\n```\n```!\ntouch touched\n```"
      ]) {
        // In this mode a shell may change files of the project without a question.
        const args = ["-p", "--permission-mode", "acceptEdits", "--", `/souffleur ${typed}`]
        const said = yield* spawner.string(ChildProcess.make(claude!, args, lab.options), { includeStderr: true })
        assert.match(said, /exactly one SESSION_ID:… is needed|is no session id/u, typed)
        assert.isFalse(yield* lab.exists("touched"), typed)
      }
      assert.strictEqual(yield* lab.stateOf("souffleur"), "watching")
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
