import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { inject } from "vitest"
import { alive, argumentsOf } from "../claude/AgentProcesses.ts"
import { only, services, told } from "../claude/Watched.ts"
import { agentLab, type RealAgent, rehearsal, word } from "./AgentLab.ts"
import { realClaude } from "./RealClaude.ts"
import { realCodex } from "./RealCodex.ts"
import { realCopilot } from "./RealCopilot.ts"
import { realGemini } from "./RealGemini.ts"
import { realOpenCode } from "./RealOpenCode.ts"
import { realPi } from "./RealPi.ts"
import { realQwen } from "./RealQwen.ts"
import type { Answer, Asked } from "./ModelTalk.ts"

const agents = {
  claude: realClaude,
  codex: realCodex,
  copilot: realCopilot,
  gemini: realGemini,
  opencode: realOpenCode,
  pi: realPi,
  qwen: realQwen
}
type Name = keyof typeof agents

/** The answers by which a successor reads the export, and works. */
interface Hands {
  readonly reads: (file: string) => Answer
  readonly works: (file: string) => Answer
}
const withShell = ({ shell: by }: RealAgent): Hands => ({
  reads: (file) => ({ shell: `cat ${file}`, by }),
  works: (file) => ({ shell: `echo checked > ${file}`, by })
})
const withTools = (read: string, write: string, argument: string): Hands => ({
  reads: (shell) => ({ shell, by: { name: read, argument } }),
  works: (shell) => ({ shell, by: { name: write, argument, more: { content: "checked" } } })
})
/** Agents without a shell below the highest permission, where no flag of a user gives them one. */
const shellless: Partial<Record<Name, Hands>> = {
  claude: withTools("Read", "Write", "file_path")
}

/** Both agents in one home. A successor has its model by its settings, since its launch has no flags of a user. */
const both = (from: RealAgent, to: RealAgent, config: string): RealAgent => ({
  ...from,
  config,
  files: (url) => ({
    ...from.files(url),
    ...to.files(url),
    ".pi/agent/settings.json": JSON.stringify({ defaultProvider: "test", defaultModel: "test-model" }),
    "../opera/.git/HEAD": "ref: refs/heads/main\n"
  }),
  environment: (url) => ({ ...from.environment(url), ...to.environment(url) })
})

const isHandedOver = ({ known }: Asked) => known.includes("A person has handed this work over to you.")

/**
 * A night in which a person hands a conversation over between real agents. `below`: under the least permission, with
 * the flags by which the successor keeps to it.
 */
export const handOver = (from: Name, to: Name, below?: { readonly flags: ReadonlyArray<string> }): void => {
  const [program, other] = [inject(from), inject(to)]
  const hands = (below === undefined ? undefined : shellless[to]) ?? withShell(agents[to])
  it.live.skipIf(program === null || other === null)(
    `a person hands a conversation over from ${from} to ${to}, which knows what the first alone was told`,
    () =>
      Effect.gen(function* () {
        const looked = yield* Deferred.make<void>()
        const part = (asked: Asked): Effect.Effect<Answer> => {
          if (!isHandedOver(asked))
            // The first agent is in the middle of its work until it is stopped.
            return asked.toolResult === undefined
              ? Effect.succeed({ shell: rehearsal, by: agents[from].shell })
              : Effect.never
          const [, exported = ""] = /read it first: ([^\s"\\]+)/u.exec(asked.known) ?? []
          if (asked.toolResult === undefined) return Effect.succeed(hands.reads(exported))
          if (asked.toolResult.includes(word)) return Effect.succeed(hands.works("proof"))
          return Effect.as(Deferred.await(looked), { text: "All is complete." })
        }
        const config = below === undefined ? "MAX_EXTERNAL_PERMISSION=bypassPermissions\n" : ""
        const lab = yield* agentLab(both(agents[from], agents[to], config), program!, part, [other!])
        const souffleur = yield* lab.run(`The stage word is ${word}. Rehearse.`)
        yield* lab.tool
        yield* told(souffleur, "WatchSettled")
        const { pid } = only(yield* lab.log, "ConductorConfirmed")["conductor"] as { readonly pid: number }
        assert.include(yield* lab.said("retry", "--agent", "nonesuch"), "name claude, codex, pi")
        assert.include(yield* lab.said("retry", "--agent", to), `the hand-over to ${to} begins`)
        yield* told(souffleur, "ConductorRelaunched")
        const relaunched = only(yield* lab.log, "ConductorRelaunched")
        const successor = (relaunched["conductor"] as { readonly pid: number }).pid
        if (below !== undefined) {
          const launch = (yield* lab.log).findLast(({ _tag }) => _tag === "LaunchPrepared")
          assert.strictEqual(launch?.["effective"], "acceptEdits")
          assert.include(argumentsOf(successor).join(" "), below.flags.join(" "))
        }
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
        assert.match(
          yield* lab.said("status"),
          new RegExp(` ended .* ${to} .* stopped; nothing confirms that it is done$`, "mu")
        )
      }).pipe(Effect.scoped, Effect.provide(services))
  )
}
