import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { inject } from "vitest"
import { bundle } from "../cli/Built.ts"
import { tmux, tmuxMissing } from "./ClaudeStage.ts"
import { type Lab, makeLab, type Part, until } from "./Lab.ts"
import { bash, begin, services, waiting } from "./Watched.ts"

const claude = inject("claude")

const Watches = Schema.fromJsonString(Schema.Array(Schema.Struct({ watch: Schema.String, generation: Schema.Int })))
const decode = Schema.decodeUnknownEffect(Watches)
const watchesOf = (lab: Lab) => Effect.flatMap(lab.said("status", "--all", "--json"), (text) => decode(text))

/** Has another agent work in the midst of its turn, and goes on until it is told. */
const part: Part = ({ known, toolResult }) =>
  Effect.succeed(
    known.includes("Help out.")
      ? toolResult === undefined
        ? bash("echo helped > helped")
        : { text: "I have helped." }
      : toolResult === undefined
        ? bash(`${claude} -p --allowedTools=Bash -- "Help out."; ${waiting}`)
        : { text: "Done." }
  )

describe("behaviour#hooks-of-the-agent", () => {
  it.live.skipIf(claude === null || tmuxMissing)(
    "a session of a project is watched from its first prompt on, and neither an agent that it starts nor its successor (skipped where tmux is missing)",
    () =>
      Effect.gen(function* () {
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const lab = yield* makeLab(claude!, "opera", part, { solo: true })
        // The word of a person, and not of an agent's session.
        const install = ChildProcess.make(process.execPath, [bundle, "hooks", "install", "--watch"], lab.options)
        assert.strictEqual(yield* spawner.exitCode(install), 0)
        const stage = yield* tmux(lab)
        const window = yield* stage.agent("--permission-mode", "acceptEdits", "--allowedTools=Bash")
        yield* until(
          "a prompt to type at",
          Effect.map(window.said, (said) => said.includes("❯"))
        )
        assert.deepStrictEqual(yield* watchesOf(lab), [], "nothing is begun yet")
        yield* window.type("-l", begin)
        yield* until(
          "what is typed",
          Effect.map(window.said, (said) => said.includes(begin))
        )
        yield* window.type("Enter")
        yield* until("the other agent", lab.exists("helped"), window.said)
        yield* until("the tool that waits", lab.exists("tool.pid"), window.said)
        yield* until(
          "a confirmed watch",
          Effect.map(lab.log, (log) => log.some(({ _tag }) => _tag === "ConductorConfirmed")),
          window.said
        )
        const [watch, ...more] = yield* watchesOf(lab)
        assert.lengthOf(more, 0)

        process.kill(window.pid, "SIGKILL")
        yield* until(
          "a successor that goes on",
          Effect.map(lab.log, (log) => log.some(({ _tag }) => _tag === "HandoffTaken")),
          Effect.orDie(lab.said("log"))
        )
        assert.deepStrictEqual(
          (yield* watchesOf(lab)).map(({ generation, watch }) => [watch, generation]),
          [[watch?.watch, 2]]
        )
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
