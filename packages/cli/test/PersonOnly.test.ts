import { assert, describe, it } from "@effect/vitest"
import { Event, leastPin, Processes } from "@souffleur/domain"
import { layerHost, layerStore, settingsOf } from "@souffleur/embed/internal"
import { type RunEvent, RunLog } from "@souffleur/plan"
import { Effect, Option } from "effect"
import { TestConsole } from "effect/testing"
import { cli } from "../src/Cli.ts"
import { type gone, place, services, watching } from "./mcp/McpPlace.ts"

const named = ["--pid", "7", "--session-id", "s1"]
const words: ReadonlyArray<ReadonlyArray<string>> = [
  ["setup", "--yes"],
  ["config", "--trust"],
  ["hooks", "install", "--watch"],
  ["fleet", "join", "https://hub.example"],
  ["fleet", "login", "https://hub.example"],
  ["adopt", "w", ...named],
  ["adopt", "w", "--force", ...named],
  ["watch", "--force", ...named],
  ["release", "w"],
  ["stop", "w"],
  ["retry", "w"],
  ["retry", "w", "--ceiling", "acceptEdits"],
  ["retry", "w", "--agent", "codex"],
  ["go", "w"],
  ["resume", "w", "--moved"],
  ["conduct", "plan.yaml", "--moved"],
  ["uninstall", "--yes"],
  ["conduct", "answer", "--finishing", "--retry"],
  ["conduct", "answer", "t1", "what to do"],
  ["conduct", "answer", "t1", "--skip"],
  ["conduct", "answer", "--plan"],
  ...["retry", "release", "done", "hold", "go"].map((word) => ["fleet", word, "host/w"])
]

/** A run whose agent is this process. */
const runOf = (project: string, agent: typeof gone): ReadonlyArray<RunEvent> => {
  const at = 1000
  const token = "1-t1-implementer"
  return [
    {
      _tag: "RunOpened",
      at,
      workflowId: "r",
      project,
      workTree: null,
      plan: "/plan.yaml",
      digest: "d",
      tasks: [],
      pin: leastPin,
      finishingDigest: null,
      branch: null
    },
    {
      _tag: "AgentAsked",
      at,
      token,
      role: "implementer",
      taskId: null,
      attempt: 1,
      sessionId: "s",
      resumed: false,
      nudge: null,
      head: null
    },
    { _tag: "AgentLaunched", at, token, launchId: "l", process: agent }
  ]
}

describe("command-line#a-persons-word", () => {
  it.layer(services)((it) => {
    /** How an agent's session shows: the variables of the command, or a process above it. */
    const signs = [
      { sign: "CLAUDE_CODE_SESSION_ID is set", variables: { CLAUDE_CODE_SESSION_ID: "s1" } },
      { sign: "CLAUDECODE is set", variables: { CLAUDECODE: "1" } },
      { sign: "SOUFFLEUR_LAUNCH_ID is set", variables: { SOUFFLEUR_LAUNCH_ID: "l" } },
      { sign: "agent pid", above: "the Conductor of a watch" },
      { sign: "agent pid", above: "the agent of a run" }
    ] as const
    for (const how of signs) {
      it.effect(
        `each word of a person's is refused, and changes nothing: ${"above" in how ? how.above : how.sign}`,
        () =>
          Effect.gen(function* () {
            const { as, events, project, watch } = yield* place({ comms: false })
            const reached = Event.CeilingReached.make({ at: 1000, watcher: 1, ceiling: "tokens", used: 11, limit: 10 })
            yield* watch("w", [...watching({ project, comms: null }), reached, Event.HoldStarted.make({ at: 1000 })])
            const said = as("", "variables" in how ? how.variables : {})
            if ("above" in how) {
              const above = yield* Effect.gen(function* () {
                const processes = yield* Processes
                return Option.getOrThrow(yield* processes.find((yield* processes.ancestors)[0]!)).identity
              }).pipe(Effect.provide(layerHost))
              const another = "/another"
              yield* how.above === "the agent of a run"
                ? RunLog.use((log) => log.append("run/r", 0, runOf(another, above))).pipe(
                    Effect.provide(layerStore(yield* settingsOf(project).pipe(said)))
                  )
                : watch("of-ours", watching({ project: another, comms: null, conductor: above }))
            }
            for (const word of words) {
              const before = (yield* TestConsole.errorLines).length
              const code = yield* cli([...word, "--project-dir", project]).pipe(
                said,
                Effect.match({ onFailure: (ended) => ended.code, onSuccess: () => 0 })
              )
              const errors = (yield* TestConsole.errorLines).slice(before).join("\n")
              assert.deepStrictEqual(
                [code, (yield* TestConsole.logLines).length],
                [2, 0],
                `${word.join(" ")}: ${errors}`
              )
              // Each is refused for its own sake, whatever else a retry needs here.
              if (word.includes("--ceiling")) assert.include(errors, "a ceiling")
              if (word.includes("--agent")) assert.include(errors, "retry --agent")
              assert.match(errors, new RegExp(`only a person may .*this is an agent's session.*`, "u"))
              if (word[0] !== "go") assert.include(errors, how.sign)
            }
            assert.strictEqual((yield* events("w")).at(-1)?._tag, "HoldStarted")
          })
      )
    }
  })
})
