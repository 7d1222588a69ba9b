import { assert, describe, it } from "@effect/vitest"
import { Agent, clamp } from "@souffleur/domain"
import { HostServices, Processes } from "@souffleur/node"
import type { AgentPackage } from "@souffleur/process"
import { Context, Effect, FileSystem, Layer, Option, Result } from "effect"
import { anyAgent, claudeCode, codex, copilot, gemini, openCode, pi, qwen } from "../../src/index.ts"

/** The agents with the words of a command that each takes, and what a launch has first behind the user's own words. */
const agents: ReadonlyArray<readonly [kind: AgentPackage, words: ReadonlyArray<string>]> = [
  [claudeCode, ["--model", "m", "-p", "do it"]],
  [codex, ["exec", "-m", "m", "do it"]],
  [copilot, ["--model", "m", "-p", "do it"]],
  [gemini, ["-m", "m", "--yolo", "-p", "do it"]],
  [openCode, ["run", "--model", "m", "--auto", "do it"]],
  [pi, ["--model", "m", "-p", "do it"]],
  [qwen, ["--model", "m", "-p", "do it"]]
]
const any = anyAgent(claudeCode, codex, copilot, gemini, openCode, pi, qwen)
const configured = { program: "claude", args: [] }

/** Words that become an agent, or run it. */
const fronts = (program: string, npm: string): ReadonlyArray<ReadonlyArray<string>> => [
  [program],
  ["nice", "-n", "10", program],
  ["env", "-u", "A", "B=1", "nice", program],
  ["ionice", "-c", "3", program],
  ["nohup", `/usr/bin/${program}`],
  ["npx", "--yes", npm],
  ["npx", "-p", npm, program],
  ["pnpm", "dlx", npm],
  ["node", "--no-warnings", `/x/node_modules/${npm}/cli.js`],
  ["mise", "exec", "node@26", "--", program],
  ["asdf", "exec", program],
  ["volta", "run", "--node", "26", program],
  ["fnm", "exec", "--using=26", "--", program]
]

/** Words behind which nobody can tell which process is the agent's, or which flags it has. */
const refusedFronts = (program: string): ReadonlyArray<ReadonlyArray<string>> => [
  ["env", "-S", `${program} --yolo`],
  ["env", "-i", program],
  ["timeout", "8h", program],
  ["nice", "sudo", program],
  ["npx", "--call=x", program],
  ["node", "--require", "/tmp/x.js", program]
]

describe("settings#agent-command", () => {
  for (const [kind, words] of agents)
    describe(kind.title, () => {
      it("is run behind a wrapper that becomes it, a runtime or a manager of versions, and keeps those words", () => {
        for (const front of fronts(kind.program, kind.npm!)) {
          const said = front.join(" ")
          assert.isTrue(kind.owns(front), said)
          const { agentCommand, prompt } = Option.getOrThrow(
            Result.getOrThrow(any.takeApart([...front, ...words], configured))
          )
          const [program = "", ...args] = front
          assert.strictEqual(prompt, "do it", said)
          assert.strictEqual(agentCommand.program, program, said)
          assert.deepStrictEqual(agentCommand.args.slice(0, args.length), args, said)
          assert.strictEqual(agentCommand.args.at(-1), "m", said)
          assert.deepStrictEqual(Result.getOrThrow(any.parseCommand(JSON.stringify(front))), { program, args })
        }
      })
      it("is refused behind words that hide it, and behind its own folder", () => {
        const [folder] = kind.folder.variables
        for (const front of [...refusedFronts(kind.program), ["env", `${folder}=/x`, kind.program]]) {
          assert.isTrue(Result.isFailure(any.takeApart([...front, ...words], configured)), front.join(" "))
          assert.isTrue(Result.isFailure(kind.parseCommand(JSON.stringify(front))), front.join(" "))
        }
      })
      it("is no other command that only names it, or that a shell reads", () => {
        for (const command of [
          ["make", kind.program],
          ["vim", kind.program],
          ["sh", "-c", `${kind.program} -p x`]
        ])
          assert.isTrue(Option.isNone(Result.getOrThrow(any.takeApart(command, configured))), command.join(" "))
      })
      it.effect("is launched behind those words, read back from its launch, and known by its process", () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const agentDir = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-front-" })
          for (const name of ["nice", kind.program])
            yield* fs.writeFileString(`${agentDir}/${name}`, "", { mode: 0o755 })
          const agentCommand = { program: "nice", args: ["-n", "10", kind.program] }
          const layer = any.layer({ agentDir, agentCommand, environment: { PATH: agentDir, HOME: agentDir } })
          const agent = Context.get(yield* Layer.build(Layer.provide(layer, Processes.layer)), Agent)
          const sessionId = "11111111-0000-4000-8000-000000000000"
          const permission = clamp("bypassPermissions", "bypassPermissions")
          const order = { session: { _tag: "Fresh", sessionId }, permission, prompt: "do it", print: true } as const
          const launched = yield* agent.command(order)
          assert.strictEqual(launched.program, `${agentDir}/nice`)
          assert.deepStrictEqual(launched.args.slice(0, 3), ["-n", "10", kind.program])
          assert.deepStrictEqual(
            Option.map(any.ofLaunch(launched, sessionId), ({ args }) => args),
            Option.some(agentCommand.args)
          )
          const args = launched.args.slice(3)
          for (const words of [
            [kind.program],
            [`/x/bin/${kind.program}`],
            ["node", `/x/.bin/${kind.program}`],
            ["/x/node", "--expose-gc", "-r", "/x/y.js", `/x/node_modules/${kind.npm}/cli.js`],
            ["npm", "exec", kind.npm!]
          ])
            assert.isTrue(agent.isAgent([...words, ...args]), words.join(" "))
          for (const other of ["ls", "vi x", "node x", "ollama run", "python3 serve.py", "llama-server -m"])
            assert.isFalse(agent.isAgent([...other.split(" "), kind.program]), other)
        }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
      )
    })
})
