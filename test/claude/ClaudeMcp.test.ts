import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { type Lab, makeLab, type Part } from "./Lab.ts"
import type { Answer } from "./ModelEndpoint.ts"
import { headless } from "./ClaudeStage.ts"
import { bash, begin, first, only, services, waiting, watched } from "./Watched.ts"

const claude = inject("claude")
const prompt = "Take up the thread: $(touch touched) 'quoted' é 🎭\n\n--dangerously-skip-permissions"

const souffleur = (tool: string, input: Readonly<Record<string, string>> = {}): Answer => ({
  tool: { name: `mcp__souffleur__${tool}`, input }
})

/** Answers each result of a tool. The agent's last words are over before its next words are asked for. */
const conducts: Part = ({ sessionId, toolResult = "" }) => {
  if (sessionId !== first) {
    if (toolResult.includes("you_are")) return Effect.succeed(souffleur("done"))
    return Effect.succeed(
      toolResult.includes("said to be complete") ? { text: "All is complete." } : souffleur("my_state")
    )
  }
  if (toolResult === "") return Effect.succeed(bash(waiting))
  if (toolResult.includes("finished")) return Effect.succeed(souffleur("heartbeat"))
  if (!toolResult.includes("Beat again")) return Effect.succeed({ text: "I was stopped, or have nothing to do." })
  return Effect.succeed(
    souffleur("request_context_recovery", { resume_prompt: prompt, permission_mode: "bypassPermissions" })
  )
}

/** Follows the README: the project has the server once, and the agent asks no person. */
const equipped = (lab: Lab) => {
  const [command, ...args] = lab.souffleur
  const mcpServers = { souffleur: { type: "stdio", command, args: [...args, "mcp"] } }
  const settings = { enabledMcpjsonServers: ["souffleur"], permissions: { allow: ["mcp__souffleur"] } }
  return Effect.andThen(
    lab.write(".mcp.json", JSON.stringify({ mcpServers })),
    lab.write(".claude/settings.json", JSON.stringify(settings))
  )
}

const conducted = Effect.fn("Mcp.conducted")(function* (solo: boolean) {
  const lab = yield* makeLab(claude!, "opera", conducts, {
    solo,
    // A successor may begin slowly: a beat that is old is no matter here.
    settings: { SOUFFLEUR_HEARTBEAT_STALE_AFTER: "60 seconds" }
  })
  yield* equipped(lab)
  const { souffleur } = yield* watched(lab, yield* headless(lab), begin)
  yield* lab.write("go", "")
  assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)

  const log = yield* lab.log
  only(log, solo ? "HandoffRequested" : "ContextRecoveryRequested")
  assert.isUndefined(log.find(({ _tag }) => _tag === "ConductorDied"))
  const prepared = only(log, "LaunchPrepared")
  assert.deepStrictEqual([prepared["requested"], prepared["effective"]], ["bypassPermissions", "acceptEdits"])
  const relaunched = only(log, "ConductorRelaunched")
  assert.strictEqual(only(log, "ConductorCompleted")["by"], solo ? "agent" : "watcher")
  const turns = (yield* lab.asked).filter(({ turn }) => turn)
  // Its beat came to where it is looked for.
  assert.include(
    turns.find(({ toolResult }) => toolResult?.includes("Beat again"))?.toolResult ?? "",
    `\\"comms\\":${!solo}`
  )
  const successor = turns.filter(({ sessionId }) => sessionId === relaunched["sessionId"])
  assert.strictEqual(successor[0]?.said.at(-1)?.slice(0, prompt.length), prompt)
  const known = successor.find(({ toolResult }) => toolResult?.includes("you_are"))?.toolResult ?? ""
  assert.include(known, '\\"you_are\\":\\"conductor\\"')
  assert.include(known, '\\"generation\\":2')
  assert.notInclude(JSON.stringify(log), "Take up the thread")
  assert.isFalse(yield* lab.exists("touched"))
  const { most } = yield* lab.agents
  assert.strictEqual(most, 1)
})

describe("claude-code#servers-of-tools", () => {
  it.live.skipIf(claude === null)(
    "MCP: the agent itself beats, asks for a fresh context, and its successor says that all is done",
    () => conducted(false).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live.skipIf(claude === null)("MCP: the same without comms", () =>
    conducted(true).pipe(Effect.scoped, Effect.provide(services))
  )
})
