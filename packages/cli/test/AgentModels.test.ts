import { assert, describe, it } from "@effect/vitest"
import { type AgentOrder, clamp, type ModelChoice } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { Effect } from "effect"
import { claudeCommand } from "../../agents/src/claude/command/ClaudeCommand.ts"
import { codexCommand } from "../../agents/src/codex/command/CodexLaunch.ts"
import { copilotCommand } from "../../agents/src/copilot/CopilotCommand.ts"
import { geminiCommand } from "../../agents/src/gemini/GeminiCommand.ts"
import { openCodeCommand } from "../../agents/src/opencode/OpenCodeCommand.ts"
import { piCommand } from "../../agents/src/pi/PiCommand.ts"
import { qwenCommand } from "../../agents/src/qwen/QwenCommand.ts"

const id = "11111111-0000-4000-8000-000000000000"
const path = `/sessions/x_${id}.jsonl`
const there = (sessionId: string) => Effect.succeed({ sessionId, path, project: "", subagents: [] } as never)
const permission = clamp("bypassPermissions", "bypassPermissions")

type Command = typeof claudeCommand | typeof codexCommand | typeof copilotCommand | typeof piCommand

/** Makes the words of a headless launch with the highest permission. */
const words = (command: Command, tag: "Fresh" | "Resume", choice?: ModelChoice, args: ReadonlyArray<string> = []) => {
  const order: AgentOrder = {
    session: { _tag: tag, sessionId: id },
    permission,
    prompt: "Play",
    print: true,
    ...(choice === undefined ? {} : { choice })
  }
  const options = { agentDir: "/agent", agentCommand: { program: process.execPath, args }, environment: {} }
  return Effect.map(command(options, order, there), (line) => line.args)
}

/** Each agent: the words of its model and its effort, and those of a launch before and behind them. */
const agents = [
  {
    agent: "claude",
    command: claudeCommand,
    model: ["--model", "a/b"],
    effort: ["--effort", "high"],
    fresh: [[], ["--session-id", id, "-p", "--permission-mode", "bypassPermissions"]],
    resumed: [[], ["--resume", id, "-p", "--permission-mode", "bypassPermissions"]]
  },
  {
    agent: "codex",
    command: codexCommand,
    model: ["-m", "a/b"],
    effort: ["-c", 'model_reasoning_effort="high"'],
    fresh: [["exec"], ["-s", "danger-full-access", "--json", "-"]],
    resumed: [["exec"], ["-s", "danger-full-access", "--skip-git-repo-check", "--json", "resume", id, "-"]]
  },
  {
    agent: "copilot",
    command: copilotCommand,
    model: ["--model", "a/b"],
    effort: ["--reasoning-effort", "high"],
    fresh: [[], ["--allow-all-tools", "--session-id", id, "--no-ask-user"]],
    resumed: [[], ["--allow-all-tools", "--session-id", id, "--no-ask-user"]]
  },
  {
    agent: "opencode",
    command: openCodeCommand,
    model: ["--model", "a/b"],
    effort: ["--variant", "high"],
    fresh: [["run"], ["--auto", "--format", "json", "--title"]],
    resumed: [["run"], ["--auto", "--format", "json", "--session", id]]
  },
  {
    agent: "pi",
    command: piCommand,
    model: ["--model", "a/b"],
    effort: ["--thinking", "high"],
    fresh: [[], ["-p", "--session-id", id]],
    resumed: [[], ["-p", "--session", path]]
  },
  {
    agent: "gemini",
    command: geminiCommand,
    model: ["--model", "a/b"],
    effort: undefined,
    fresh: [[], ["--approval-mode", "yolo", "--skip-trust", "--output-format", "stream-json", "--session-id", id]],
    resumed: [[], ["--approval-mode", "yolo", "--skip-trust", "--output-format", "stream-json", "--resume", id]]
  },
  {
    agent: "qwen",
    command: qwenCommand,
    model: ["--model", "a/b"],
    effort: undefined,
    fresh: [[], ["--approval-mode", "yolo", "--session-id", id, "--input-format", "text"]],
    resumed: [[], ["--approval-mode", "yolo", "--resume", id, "--input-format", "text"]]
  }
] as const

it.layer(HostServices.layer)((it) => {
  describe("behaviour#agents-of-a-plan", () => {
    it.effect.each(agents)(
      "$agent: a launch and a resumed session have the model and the effort that were asked for",
      (row) =>
        Effect.gen(function* () {
          const { command, effort, fresh, model, resumed } = row
          const choice = { model: "a/b", ...(effort === undefined ? {} : { effort: "high" }) }
          for (const [tag, [before, behind]] of [["Fresh", fresh] as const, ["Resume", resumed] as const]) {
            // The title of OpenCode's fresh session is random.
            const upTo = (args: ReadonlyArray<string>) => (behind.at(-1) === "--title" ? args.slice(0, -1) : args)
            assert.deepStrictEqual(upTo(yield* words(command, tag, choice)), [
              ...before,
              ...model,
              ...(effort ?? []),
              ...behind
            ])
            assert.deepStrictEqual(upTo(yield* words(command, tag)), [...before, ...behind])
          }
        })
    )
    it.effect.each(agents)("$agent: the model of a plan is in place of the user's own, and other flags stay", (row) =>
      Effect.gen(function* () {
        const { command, effort, model } = row
        const choice = { model: "a/b", ...(effort === undefined ? {} : { effort: "high" }) }
        const own = [
          ["--model", "old", "--debug"],
          ["--debug", "--model=old"]
        ]
        for (const args of [
          ...own,
          ...(effort === undefined || row.agent === "codex" ? [] : [[effort[0], "low", "--debug"]])
        ]) {
          const made = yield* words(command, "Resume", choice, args)
          assert.deepStrictEqual(made.slice(made.indexOf("--debug"), made.indexOf("--debug") + 3), [
            "--debug",
            ...model
          ])
          for (const gone of ["old", "--model=old", "low"]) assert.notInclude(made, gone)
        }
      })
    )
    it.effect("an effort that an agent has not, or would pass over, is refused before anything runs", () =>
      Effect.gen(function* () {
        const refused = (command: Command) =>
          Effect.map(Effect.flip(words(command, "Fresh", { effort: "huge" })), ({ problem }) => problem)
        const none = "it has no setting for effort: leave effort huge out"
        assert.deepStrictEqual([yield* refused(geminiCommand), yield* refused(qwenCommand)], [none, none])
        assert.strictEqual(yield* refused(claudeCommand), "it knows no effort huge: name low, medium, high, xhigh, max")
        assert.include(yield* refused(piCommand), "off, minimal")
        assert.include(yield* refused(copilotCommand), "none, minimal")
      })
    )
  })
})
