import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { inject } from "vitest"
import { services } from "../claude/Watched.ts"
import { agentLab } from "./AgentLab.ts"
import { agentNights } from "./AgentNights.ts"
import type { Answer } from "./ModelTalk.ts"
import { realCopilot } from "./RealCopilot.ts"

describe("copilot#records, copilot#sessions, copilot#hooks", () => {
  agentNights(realCopilot, inject("copilot"))
})

const errand = { agent_type: "x", description: "one", mode: "sync", name: "one" }
/** The tools by which Copilot starts a program that a file of the project names. */
const starts: ReadonlyArray<Answer> = [
  { shell: "sing", by: { name: "task", argument: "prompt", more: errand } },
  { shell: "song.ts", by: { name: "lsp", argument: "file", more: { operation: "documentSymbol" } } }
]

describe("copilot#the-ceiling", () => {
  for (const answer of starts)
    it.live.skipIf(inject("copilot") === null)(
      `below the highest permission its tool ${answer.by!.name} starts no program that an edit may have left`,
      () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const ran = `${yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-ran-" })}/ran`
          const program = { command: "sh", args: ["-c", `touch ${ran}; cat`] }
          const one = { type: "local", tools: ["*"], ...program }
          const files = () => ({
            "../opera/song.ts": "export const song = 1\n",
            "../opera/.git/HEAD": "ref: refs/heads/main\n",
            "../opera/.github/agents/x.agent.md": `---\nname: x\ndescription: one\nmcp-servers: ${JSON.stringify({ one })}\n---\nSing.\n`,
            "../opera/.github/lsp.json": JSON.stringify({
              lspServers: { one: { ...program, fileExtensions: { ".ts": "typescript" } } }
            })
          })
          const words = ["copilot", "--output-format", "json"]
          const lab = yield* agentLab(
            { ...realCopilot, config: "", words, files },
            inject("copilot")!,
            ({ toolResult }) => Effect.succeed(toolResult === undefined ? answer : { text: "All is complete." })
          )
          assert.include(yield* lab.said("run", "--", ...words, "-p", "do it"), "All is complete.")
          assert.isFalse(yield* fs.exists(ran))
        }).pipe(Effect.scoped, Effect.provide(services))
    )
})
