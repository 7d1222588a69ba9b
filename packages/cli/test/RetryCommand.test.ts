import { assert, describe, it } from "@effect/vitest"
import { Event, type WatchEvent } from "@souffleur/domain"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { cli } from "../src/Cli.ts"
import { place, services, watching } from "./mcp/McpPlace.ts"
it.layer(services)((it) => {
  describe("behaviour#ceilings-of-use", () => {
    it.effect("retry before a ceiling of use allows as much again, and names the settings where there is none", () =>
      Effect.gen(function* () {
        const { as, comms, events, project, watch } = yield* place()
        yield* watch("w", watching({ project, comms }))
        const retry = Effect.fnUntraced(function* (variables: Readonly<Record<string, string>>) {
          const out = (yield* TestConsole.logLines).length
          const errors = (yield* TestConsole.errorLines).length
          const code = yield* Effect.match(cli(["retry", "--project-dir", project]), {
            onFailure: (ended) => ended.code,
            onSuccess: () => 0
          }).pipe(as("", variables))
          return {
            code,
            out: (yield* TestConsole.logLines).slice(out),
            errors: (yield* TestConsole.errorLines).slice(errors).join("\n")
          }
        })
        const refused = yield* retry({})
        assert.deepStrictEqual([refused.code, refused.out], [2, []])
        assert.include(refused.errors, "no ceiling is set (MAX_TOKENS, MAX_DOLLARS, MAX_TIME)")
        const allowed = yield* retry({
          SOUFFLEUR_MAX_TIME: "8 hours",
          SOUFFLEUR_MAX_TOKENS: "2000000",
          SOUFFLEUR_MAX_DOLLARS: "2.50"
        })
        assert.deepStrictEqual(allowed, {
          code: 0,
          out: ["w: as much again is allowed, from 1970-01-01T00:00:00.000Z on (2,000,000 tokens, $2.50, 8 h 0 m)"],
          errors: ""
        })
        assert.strictEqual((yield* events("w")).at(-1)?._tag, "AllowanceRenewed")
      })
    )
  })

  describe("behaviour#restart", () => {
    it.effect("an agent's retry before a ceiling of use allows nothing more", () =>
      Effect.gen(function* () {
        const { as, comms, events, project, watch } = yield* place()
        yield* watch("w", watching({ project, comms }))
        const before = yield* events("w")
        const variables = { CLAUDECODE: "1", SOUFFLEUR_MAX_TOKENS: "2000000" }
        const code = yield* Effect.match(cli(["retry", "--project-dir", project]), {
          onFailure: (ended) => ended.code,
          onSuccess: () => 0
        }).pipe(as("", variables))
        assert.strictEqual(code, 2)
        assert.deepStrictEqual(yield* events("w"), before)
      })
    )
    it.effect("retry in the pause of a command says that a recovery begins", () =>
      Effect.gen(function* () {
        const { as, project, watch } = yield* place({ comms: false })
        const [opened, ...more] = watching({ project, comms: null })
        const wait = { kind: "pause", until: 9000, resetsAt: 9000, trigger: "pid" } as const
        yield* watch("w", [
          { ...opened!, kind: "command" } as WatchEvent,
          ...more,
          Event.WaitStarted.make({ at: 1000, watcher: 1, ...wait }),
          Event.WatcherStarted.make({ at: 1000, watcher: 2, awaiting: false, mode: "normal" })
        ])
        const out = (yield* TestConsole.logLines).length
        yield* cli(["retry", "--project-dir", project]).pipe(as(""))
        assert.deepStrictEqual((yield* TestConsole.logLines).slice(out), ["w: recovery 1 begins"])
      })
    )
  })

  describe("behaviour#hand-over", () => {
    it.effect("a hand-over is a person's word, and an agent that is not known takes nothing over", () =>
      Effect.gen(function* () {
        const { as, events, project, watch } = yield* place({ comms: false })
        yield* watch("w", watching({ project, comms: null }))
        const before = (yield* events("w")).length
        const retry = Effect.fnUntraced(function* (agent: string, variables: Readonly<Record<string, string>> = {}) {
          const errors = (yield* TestConsole.errorLines).length
          const code = yield* Effect.match(cli(["retry", "--agent", agent, "--project-dir", project]), {
            onFailure: (ended) => ended.code,
            onSuccess: () => 0
          }).pipe(as("", variables))
          return [code, (yield* TestConsole.errorLines).slice(errors).join("\n")] as const
        })
        const [code, said] = yield* retry("codex", { CLAUDECODE: "1" })
        assert.strictEqual(code, 2)
        assert.include(said, "only a person may use retry --agent")
        const unknown = yield* retry("nonesuch")
        assert.strictEqual(unknown[0], 2)
        assert.include(unknown[1], 'no agent is called "nonesuch": name claude, codex, pi, qwen, copilot')
        assert.lengthOf(yield* events("w"), before)
      })
    )
  })
})
