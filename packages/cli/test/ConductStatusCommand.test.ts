import { RunLog } from "@souffleur/plan"
import { loadSettings } from "@souffleur/process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { agentKind } from "../src/agent/Kind.ts"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { layerStore } from "@souffleur/embed/internal"
import { services } from "./mcp/McpPlace.ts"
import { printed } from "./Printed.ts"

const evil = `\u001B]0;mine\u0007\u009B\u202E\n${"x".repeat(10_000)}`

describe("behaviour#plain-words", () => {
  it.layer(services)((it) => {
    it.effect(
      "conduct status prints a plan's name without control characters, and cuts it, and says what a person is to do",
      () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-runs-" }))
          const variables = { PATH: "/usr/bin:/bin", HOME: home, SOUFFLEUR_STATE_DIR: `${home}/state` }
          const settings = yield* loadSettings({
            agent: agentKind,
            projectDir: home,
            environment: variables,
            flags: {}
          })
          yield* Effect.provide(
            Effect.flatMap(RunLog, (log) =>
              log.append("run/r", 0, [{ ...examples.RunOpened, workflowId: evil, project: home }])
            ),
            layerStore(settings)
          )
          const run = (...args: ReadonlyArray<string>) => printed(home, variables, ...args)
          const [line = ""] = yield* run("conduct", "status")
          const start = "\\u001b]0;mine\\u0007\\u009b\\u202e\\u000axxx"
          assert.include(line, start)
          assert.isBelow(line.length, 400)
          const { workflow_id } = JSON.parse((yield* run("conduct", "status", "--json")).join("\n"))
          assert.strictEqual(workflow_id.slice(0, start.length), start)
          assert.isBelow(workflow_id.length, 120)
          // No such process exists, so the status does not call it at work.
          const { TaskStarted: started, AgentLaunched: launched } = examples
          // The session of a fallback goes on, so that the event names no other agent.
          const { agent: _, ...more } = examples.AgentAsked
          const asked = { ...more, standIn: "codex" }
          const gone = { ...launched, process: { pid: 4_194_303, startTime: 1, bootId: "another" } }
          yield* Effect.provide(
            Effect.flatMap(RunLog, (log) => log.append("run/r", 1, [started, asked, gone])),
            layerStore(settings)
          )
          const status = (yield* run("conduct", "status")).join("\n")
          assert.include(status, "implementer has ended, pid 4194303")
          assert.include(
            status,
            "\n  implementer: claude (sonnet, then opus; effort high; fallback codex with gpt-5)\n"
          )
          assert.include(status, "  implementer by codex (opus; effort high), pid 4194303, is gone\n")
          // Its agent has not told its session yet.
          assert.include(status, `    output ${home}/state/launches/${gone.launchId}.out`)
          const found = { ...examples.AgentSessionFound, token: asked.token }
          yield* Effect.provide(
            Effect.flatMap(RunLog, (log) => log.append("run/r", 4, [found])),
            layerStore(settings)
          )
          assert.include((yield* run("conduct", "status")).join("\n"), `    session ${found.sessionId}, output ${home}`)
          const listed = yield* run("status")
          assert.match(listed.join("\n"), /\nr +needs you +- .* codex .*no souffleur conducts it\n/u)
          assert.include(listed, `  souffleur conduct ${examples.RunOpened.plan} --project-dir ${home}`)
          const { agent, agents } = JSON.parse((yield* run("conduct", "status", "--json")).join("\n"))
          assert.deepInclude(agent, {
            condition: "gone",
            pid: 4_194_303,
            program: "codex",
            fallback: true,
            model: "opus",
            effort: "high",
            session_id: found.sessionId
          })
          assert.deepStrictEqual(agents, [
            {
              role: "implementer",
              agent: "claude",
              models: ["sonnet", "opus"],
              effort: "high",
              fallback: { agent: "codex", model: "gpt-5" }
            }
          ])
          const escalated = { ...examples.TaskEscalated, taskId: started.taskId }
          yield* Effect.provide(
            Effect.flatMap(RunLog, (log) => log.append("run/r", 5, [escalated])),
            layerStore(settings)
          )
          assert.strictEqual(
            (yield* run("conduct", "status")).at(-1),
            `  next: souffleur conduct answer ${started.taskId} "what to do", or --retry, or --skip; then souffleur conduct ${examples.RunOpened.plan}`
          )
          for (const line of yield* run("conduct", "log")) assert.isAtMost(line.length, 2100)
        }).pipe(Effect.scoped)
    )
  })
})
