import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { makeLab, type Part, until } from "./Lab.ts"
import { services } from "./Recovered.ts"
import { headless } from "./Stage.ts"

const claude = inject("claude")
const first = "5c0ff1e0-0000-4000-8000-000000000003"
const waiting = "bash -c 'echo $$ > tool.pid; while [ ! -e go ]; do sleep 0.1; done'; echo finished"
const bash = (command: string) => ({ tool: { name: "Bash", input: { command, description: "Wait" } } })
const says = (said: ReadonlyArray<string>, words: string) => said.some((text) => text.includes(words))

/** The first Conductor waits in a tool, souffleur watches it. */
const staged = Effect.fn("Handoff.staged")(function* (part: Part) {
  const lab = yield* makeLab(claude!, "opera", part)
  const stage = yield* headless(lab)
  const one = yield* stage.conductor(first, "Rehearse.")
  yield* until("a tool call", lab.exists("tool.pid"))
  const souffleur = yield* stage.souffleur(["watch", "--json", "--pid", String(one), "--session-id", first])
  yield* until(
    "watching",
    Effect.map(souffleur.said, (said) => said.includes("WatchSettled"))
  )
  return { lab, souffleur }
})

it.live.skipIf(claude === null)("a print-mode turn that ends before the work: the same session goes on, its prompt arrives once", () =>
  Effect.gen(function* () {
    const goesOn = "Your last turn ended by itself"
    const { lab, souffleur } = yield* staged((asked, board) =>
      says(asked.said, goesOn)
        ? Effect.as(board.complete, { text: "All is complete." })
        : Effect.succeed(asked.toolResult === undefined ? bash(waiting) : { text: "My turn is over." })
    )
    yield* lab.write("go", "")
    assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
    const log = yield* lab.log
    assert.lengthOf(
      log.filter(({ _tag }) => _tag === "TurnEnded"),
      1
    )
    assert.isUndefined(log.find(({ _tag }) => _tag === "ConductorDied"))
    const relaunched = log.find(({ _tag }) => _tag === "ConductorRelaunched")
    assert.deepStrictEqual([relaunched?.["provider"], relaunched?.["sessionId"]], ["continue_turn", first])
    assert.lengthOf(
      (yield* lab.asked).filter(({ said, turn }) => turn && says(said, goesOn)),
      1
    )
    assert.strictEqual((yield* lab.agents).most, 1)
  }).pipe(Effect.scoped, Effect.provide(services))
)

it.live.skipIf(claude === null)("a handoff's own prompt arrives byte for byte, and its permission stays below the ceiling", () =>
  Effect.gen(function* () {
    const prompt =
      "--dangerously-skip-permissions $(touch touched) `touch touched`; 'quoted' \"too\"\n\nsecond line: --permission-mode bypassPermissions"
    const { lab, souffleur } = yield* staged((asked, board) =>
      asked.sessionId === first ? Effect.succeed(bash(waiting)) : Effect.as(board.complete, { text: "All is complete." })
    )
    yield* lab.board.handoff(`CONTEXT_RECOVERY_PAYLOAD_V1\npermission_mode: bypassPermissions\nresume_prompt: ${prompt}`)
    assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
    const log = yield* lab.log
    const prepared = log.find(({ _tag }) => _tag === "LaunchPrepared")
    assert.deepStrictEqual([prepared?.["requested"], prepared?.["effective"]], ["bypassPermissions", "acceptEdits"])
    const relaunched = log.find(({ _tag }) => _tag === "ConductorRelaunched")!
    const successor = (yield* lab.asked).find(({ sessionId, turn }) => turn && sessionId === relaunched["sessionId"])!
    assert.isTrue(
      successor.said.some((text) => text.startsWith(`${prompt}\n`)),
      JSON.stringify(successor.said)
    )
    assert.isFalse(yield* lab.exists("touched"))
    // Not a word of it is in the log.
    assert.notInclude(JSON.stringify(log), "skip-permissions")
    const { all, most } = yield* lab.agents
    assert.strictEqual(most, 1)
    const { pid } = relaunched["conductor"] as { pid: number }
    const argv = all.get(pid)?.argv ?? []
    assert.deepStrictEqual(
      argv.slice(0, argv.indexOf("--")).filter((_, index, before) => before[index - 1] === "--permission-mode"),
      ["acceptEdits"]
    )
  }).pipe(Effect.scoped, Effect.provide(services))
)
