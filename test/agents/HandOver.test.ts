import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { inject } from "vitest"
import { alive, argumentsOf } from "../claude/AgentProcesses.ts"
import { only, services, told } from "../claude/Watched.ts"
import { agentLab, type RealAgent, rehearsal, word } from "./AgentLab.ts"
import { realCodex } from "./RealCodex.ts"
import { realPi } from "./RealPi.ts"
import type { Answer, Asked } from "./ModelTalk.ts"

const programs = { codex: inject("codex"), pi: inject("pi") }

/** The work of each agent under the least permission: pi has no shell then. */
const work = {
  codex: (_: string, shell: string): Answer => ({ shell, by: realCodex.shell }),
  pi: (file: string): Answer => ({ shell: file, by: { name: "write", argument: "path", more: { content: "checked" } } })
}
const reads = {
  codex: (file: string): Answer => ({ shell: `cat ${file}`, by: realCodex.shell }),
  pi: (file: string): Answer => ({ shell: file, by: { name: "read", argument: "path" } })
}

/** Both agents in one home. pi has its model by its settings, since a launch of another agent has no flags of it. */
const both = (first: RealAgent): RealAgent => ({
  ...first,
  config: "",
  files: (url) => ({
    ...realCodex.files(url),
    ...realPi.files(url),
    ".pi/agent/settings.json": JSON.stringify({ defaultProvider: "test", defaultModel: "test-model" }),
    "opera/.git/HEAD": "ref: refs/heads/main\n"
  }),
  environment: (url) => ({ ...realCodex.environment(url), ...realPi.environment(url) })
})

const isHandedOver = ({ known }: Asked) => known.includes("A person has handed this work over to you.")

const night = (from: "codex" | "pi", agent: RealAgent, to: "codex" | "pi", ceiling: ReadonlyArray<string>) =>
  it.live.skipIf(programs.codex === null || programs.pi === null)(
    `a person hands a conversation over from ${from} to ${to}, which knows what the first alone was told`,
    () =>
      Effect.gen(function* () {
        const looked = yield* Deferred.make<void>()
        const part = (asked: Asked): Effect.Effect<Answer> => {
          if (!isHandedOver(asked))
            // The first agent is in the middle of its work until it is stopped.
            return asked.toolResult === undefined ? Effect.succeed(work[from]("tool", rehearsal)) : Effect.never
          const [, exported = ""] = /read it first: ([^\s"\\]+)/u.exec(asked.known) ?? []
          if (asked.toolResult === undefined) return Effect.succeed(reads[to](exported))
          if (asked.toolResult.includes(word)) return Effect.succeed(work[to]("proof", "echo checked > proof"))
          return Effect.as(Deferred.await(looked), { text: "All is complete." })
        }
        const lab = yield* agentLab(both(agent), programs[from]!, part, [programs[to]!])
        const souffleur = yield* lab.run(`The stage word is ${word}. Rehearse.`)
        yield* lab.tool
        yield* told(souffleur, "WatchSettled")
        const { pid } = only(yield* lab.log, "ConductorConfirmed")["conductor"] as { readonly pid: number }
        assert.include(yield* lab.said("retry", "--agent", "nonesuch"), "name claude, codex, pi")
        assert.include(yield* lab.said("retry", "--agent", to), `the hand-over to ${to} begins`)
        yield* told(souffleur, "ConductorRelaunched")
        const relaunched = only(yield* lab.log, "ConductorRelaunched")
        const successor = (relaunched["conductor"] as { readonly pid: number }).pid
        assert.include(argumentsOf(successor).join(" "), ceiling.join(" "))
        yield* Deferred.succeed(looked, undefined)
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        assert.isFalse(yield* alive(pid))
        const log = yield* lab.log
        assert.deepInclude(only(log, "AgentChosen"), { from, agent: to })
        assert.strictEqual(relaunched["provider"], "handover")
        only(log, "HandoffTaken")
        assert.strictEqual(only(log, "ConductorCompleted")["by"], "turn")
        assert.isTrue((yield* lab.asked).some((asked) => isHandedOver(asked) && asked.toolResult?.includes(word)))
        assert.include(yield* lab.read("proof"), "checked")
        assert.include(yield* lab.said("status"), `ended: completed, ${to}`)
      }).pipe(Effect.scoped, Effect.provide(services))
  )

night("codex", realCodex, "pi", ["--tools", "read,edit,write,grep,find,ls"])
