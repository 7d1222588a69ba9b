import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { inject } from "vitest"
import { makeLab, until } from "./Lab.ts"
import { headless } from "./ClaudeStage.ts"
import { bash, begin, flagsOf, only, rehearsal, services, told } from "./Watched.ts"

const claude = inject("claude")

describe("behaviour#first-launch", () => {
  it.live.skipIf(claude === null)(
    "run: with RECOVERY=export a killed agent goes on from its export, with its own flags",
    () =>
      Effect.gen(function* () {
        const lab = yield* makeLab(
          claude!,
          "opera",
          ({ said, toolResult }) =>
            Effect.succeed(
              said.includes(begin)
                ? bash(rehearsal)
                : toolResult?.includes("checked") === true
                  ? { text: "All is complete." }
                  : bash("echo checked")
            ),
          { solo: true, settings: { SOUFFLEUR_RECOVERY: "export" } }
        )
        const stage = yield* headless(lab)
        const souffleur = yield* stage.souffleur(["run", "--json", "--", claude!, "-p", "--allowedTools=Bash", begin])
        yield* until("a tool call", lab.exists("tool.pid"))
        yield* told(souffleur, "WatchSettled")
        const confirmed = only(yield* lab.log, "ConductorConfirmed")
        const { pid } = confirmed["conductor"] as { pid: number }
        process.kill(pid, "SIGKILL")
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)

        const log = yield* lab.log
        assert.strictEqual(only(log, "ConductorDied")["reason"], "pid")
        const relaunched = only(log, "ConductorRelaunched")
        assert.strictEqual(relaunched["provider"], "claude_export")
        only(log, "HandoffTaken")
        assert.strictEqual(only(log, "ConductorCompleted")["by"], "turn")
        const asked = (yield* lab.asked).filter(({ turn }) => turn)
        assert.strictEqual(asked[0]?.sessionId, confirmed["sessionId"])
        const successor = asked.find(({ sessionId }) => sessionId === relaunched["sessionId"])
        assert.include(successor?.said.join("\n"), String(relaunched["exportPath"]))
        const { all, most } = yield* lab.agents
        assert.deepStrictEqual([most, all.size], [1, 2])
        for (const { argv } of all.values())
          assert.includeMembers(flagsOf(argv), ["-p", "--allowedTools=Bash", "acceptEdits"])
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#restart", () => {
  it.live.skipIf(claude === null)("run: a command other than an agent is run again, and ends well", () =>
    Effect.gen(function* () {
      const lab = yield* makeLab(claude!, "opera", () => Effect.succeed({ text: "Nobody asks." }), { solo: true })
      const stage = yield* headless(lab)
      const script = 'echo "$$" >> runs; [ "$(wc -l < runs)" = 2 ] || exec sleep 300'
      const souffleur = yield* stage.souffleur(["run", "--json", "--", "sh", "-c", script])
      yield* told(souffleur, "WatchSettled")
      const runs = Effect.orElseSucceed(lab.read("runs"), () => "")
      yield* until(
        "the first run",
        Effect.map(runs, (text) => text.endsWith("\n"))
      )
      process.kill(Number(yield* lab.read("runs")), "SIGKILL")
      assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
      const log = yield* lab.log
      only(log, "ConductorDied")
      assert.strictEqual(only(log, "ConductorRelaunched")["provider"], "restart")
      assert.strictEqual(only(log, "ConductorCompleted")["by"], "exit")
      assert.lengthOf((yield* lab.read("runs")).trim().split("\n"), 2)
      assert.deepStrictEqual(yield* lab.asked, [])
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("command-line#screen", () => {
  it.live.skipIf(claude === null)(
    "run: a file gets the agent's JSON alone, though the agent warns, and after a kill and a resume",
    () =>
      Effect.gen(function* () {
        const lab = yield* makeLab(
          claude!,
          "opera",
          ({ said, toolResult }) =>
            Effect.succeed(
              toolResult?.includes("checked") === true
                ? { text: "All is complete." }
                : toolResult === undefined && said.includes(begin)
                  ? bash(rehearsal)
                  : bash("echo checked")
            ),
          { solo: true }
        )
        const apart = ["/bin/sh", "-c", 'exec "$@" > out.json 2> errors', "sh"] as const
        const stage = yield* headless({ ...lab, souffleur: [...apart, ...lab.souffleur] })
        const warning = `${lab.home}/warns/claude`
        const fs = yield* FileSystem.FileSystem
        yield* fs.makeDirectory(`${lab.home}/warns`)
        const script = `#!/bin/sh\necho 'Warning: it is late' >&2\nexec '${claude!}' "$@"\n`
        yield* fs.writeFileString(warning, script, { mode: 0o755 })
        const words = ["-p", "--output-format", "json", "--allowedTools=Bash", begin]
        const souffleur = yield* stage.souffleur(["run", "--", warning, ...words])
        const errors = Effect.orElseSucceed(lab.read("errors"), () => "")
        yield* until("a tool call", lab.exists("tool.pid"), errors)
        const settled = Effect.map(lab.log, (log) => log.some(({ _tag }) => _tag === "WatchSettled"))
        yield* until("a settled watch", settled, errors)
        const { pid } = only(yield* lab.log, "ConductorConfirmed")["conductor"] as { pid: number }
        process.kill(pid, "SIGKILL")
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* errors)
        assert.strictEqual(only(yield* lab.log, "ConductorRelaunched")["provider"], "resume")

        const text = yield* lab.read("out.json")
        assert.deepInclude(JSON.parse(text), { type: "result", is_error: false, result: "All is complete." })
        assert.match(yield* errors, /^Warning: it is late\n▸ [\d:]+ the agent died[^]*\nWarning: it is late$/mu)
        assert.strictEqual(yield* lab.said("output"), text)
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
