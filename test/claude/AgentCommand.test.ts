import { claudeCode } from "@souffleur/agents"
import { Agent, type AgentOrder, type AgentSession, clamp } from "@souffleur/domain"
import { HostServices, Processes } from "@souffleur/node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { inject } from "vitest"
import { makeLab } from "./Lab.ts"
import { services } from "./Watched.ts"

const claude = inject("claude")
const sessionId = globalThis.crypto.randomUUID()

/** Prompts that a shell would take for something else, as would an agent without a mark where its flags end. */
const prompts = [
  "-p --permission-mode bypassPermissions",
  "--dangerously-skip-permissions\n\n$(touch touched) `touch touched`; touch touched & \"a\" 'b' \\n %s $HOME é 🎭",
  "!touch touched",
  "--"
]

describe("claude-code#sessions", () => {
  for (const [where, print] of [
    ["standard input", true],
    ["the command line", false]
  ] as const)
    it.live.skipIf(claude === null)(
      `${where} of a launch takes any prompt to the model as it is, into one session`,
      () =>
        Effect.gen(function* () {
          const live = yield* Ref.make<ReadonlyArray<ReadonlyArray<AgentSession>>>([])
          const look = yield* Ref.make<Effect.Effect<unknown>>(Effect.void)
          const lab = yield* makeLab(claude!, "opera", () => Effect.as(Effect.flatten(Ref.get(look)), { text: "Yes." }))
          const environment: Record<string, string> = lab.options.env
          const host = Layer.provideMerge(Processes.layer, HostServices.layer)
          yield* Effect.gen(function* () {
            const agent = yield* Agent
            const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
            yield* Ref.set(
              look,
              Effect.flatMap(agent.sessions, (now) => Ref.update(live, (before) => [...before, now]))
            )
            for (const [index, prompt] of prompts.entries()) {
              const session: AgentOrder["session"] =
                index === 0 ? { _tag: "Fresh", sessionId } : { _tag: "Resume", sessionId }
              const order = { session, permission: clamp("bypassPermissions", "acceptEdits"), prompt, print }
              const command = yield* agent.command(order)
              assert.strictEqual(command.args.includes(prompt), !print)
              // No terminal is here, so the words of a window are read in print mode too.
              const args = print ? command.args : ["-p", ...command.args]
              const stdin = Stream.encodeText(Stream.make(command.input ?? ""))
              const started = ChildProcess.make(command.program, args, {
                ...lab.options,
                env: command.environment,
                stdin
              })
              assert.strictEqual(yield* spawner.exitCode(started), 0, prompt)
            }

            const turns = (yield* lab.asked).filter(({ turn }) => turn)
            assert.deepStrictEqual(
              turns.map(({ said }) => said.at(-1)),
              prompts
            )
            assert.isTrue(turns.every((asked) => asked.sessionId === sessionId))
            // It says which session it holds also in print mode, and takes that back when it ends.
            const [first] = (yield* Ref.get(live))[0] ?? []
            assert.deepInclude(first, { sessionId, project: lab.project, status: "busy" })
            assert.deepStrictEqual(yield* agent.sessions, [])
            const file = yield* agent.sessionFile(sessionId)
            assert.strictEqual(file.path, lab.sessionFile(sessionId))
          }).pipe(
            Effect.provide(
              claudeCode
                .layer({
                  agentDir: `${lab.home}/.claude`,
                  agentCommand: { program: claude!, args: [] },
                  environment
                })
                .pipe(Layer.provideMerge(host))
            )
          )
          const { all } = yield* lab.agents
          assert.isTrue([...all.values()].every(({ argv }) => argv.includes("acceptEdits")))
          assert.isFalse(yield* lab.exists("touched"))
        }).pipe(Effect.scoped, Effect.provide(services))
    )
})
