import { Agent, clamp, type Permission, Permission as Permissions, Processes } from "@souffleur/domain"
import { assert, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import type { AgentPackage } from "@souffleur/process"
import { FakeProcesses } from "@souffleur/testing"
import { Context, Duration, Effect, FileSystem, Layer } from "effect"
import { agentKinds } from "../packages/cli/src/agent/Kind.ts"
import { claudeCode, realAgents } from "./agents/Versions.ts"
import { textOf } from "./Pages.ts"

const versions = new Map<string, string>([
  ["claude", claudeCode.version],
  ...realAgents.map((one) => [one.bin, one.version] as const)
])

it("each agent names the package of npm with which it was seen", () => {
  assert.deepStrictEqual(
    agentKinds.map(({ npm, program }) => [program, npm]),
    [claudeCode, ...realAgents].map(({ bin, name }) => [bin, name])
  )
})

const sessionId = "11111111-0000-4000-8000-000000000000"

/** Makes the row of an agent from its adapter alone. */
const rowOf = Effect.fnUntraced(function* (kind: AgentPackage) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-table-" })
  const program = `${folder}/${kind.program}`
  yield* fs.writeFileString(program, "", { mode: 0o700 })
  const layer = kind.layer({ agentDir: folder, agentCommand: { program, args: [] }, environment: { PATH: folder } })
  const agent = Context.get(
    yield* Layer.build(Layer.provide(layer, Layer.succeed(Processes, new FakeProcesses().service))),
    Agent
  )
  const launched = (permission: Permission) =>
    agent
      .command({
        session: { _tag: "Resume", sessionId },
        permission: clamp(permission, permission),
        prompt: "",
        print: true
      })
      .pipe(
        Effect.map(({ args }) => args),
        Effect.orElseSucceed(() => undefined)
      )
  const [least, most] = yield* Effect.forEach(Permissions.literals, launched)
  /** The words that one launch has and the other has not, with the flag before them. */
  const own = (
    these: ReadonlyArray<string> | undefined,
    those: ReadonlyArray<string> = ["run", "--session", "--session-id", sessionId]
  ): string => {
    if (these === undefined) return "refused"
    const differs = (at: number) => these[at] !== undefined && !those.includes(these[at])
    const words = these.filter(
      (word, at) => differs(at) || (differs(at + 1) && word.startsWith("-") && !these[at + 1]!.startsWith("-"))
    )
    return words.length === 0 ? "–" : `\`${words.join(" ")}\``
  }
  const yes = (so: boolean) => (so ? "yes" : "no")
  return {
    agent: kind.title,
    program: `\`${kind.program}\``,
    "seen with": versions.get(kind.program),
    "`acceptEdits` is": own(least, most),
    "`bypassPermissions` is": own(most, least),
    "session id": agent.sessionOf === undefined ? "given" : "reported",
    "compacted in place": yes(agent.compactPrompt !== null),
    dollars: yes(kind.recordsDollars),
    hooks: yes(kind.hooks !== undefined),
    "silent for at most": `${Duration.toSeconds(agent.stall)} s`
  }
})
type Row = Effect.Success<ReturnType<typeof rowOf>>

/** The pages with a table of agents, and its columns. */
const tables: ReadonlyArray<readonly [page: string, columns: ReadonlyArray<keyof Row>]> = [
  ["README.md", ["agent", "program", "seen with", "silent for at most", "compacted in place", "dollars", "hooks"]],
  [
    "docs/howto/add-an-agent.md",
    [
      "agent",
      "seen with",
      "`acceptEdits` is",
      "`bypassPermissions` is",
      "session id",
      "compacted in place",
      "dollars",
      "hooks"
    ]
  ]
]

it.layer(HostServices.layer)((it) => {
  it.effect("the tables of agents are printed from their adapters and the versions of their last tests", () =>
    Effect.gen(function* () {
      const rows = yield* Effect.forEach(agentKinds, rowOf)
      for (const [page, columns] of tables) {
        const lines = [columns, columns.map(() => "---"), ...rows.map((row) => columns.map((column) => row[column]))]
        const table = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")
        assert.strictEqual(
          textOf(page)
            .match(/^\| agent [^]*?\n(?=\n)/mu)?.[0]
            .trimEnd(),
          table,
          page
        )
      }
    })
  )
})
