import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { makeLab, type Part, until } from "./Lab.ts"
import { services } from "./Recovered.ts"
import { headless, tmux, tmuxMissing } from "./Stage.ts"

const claude = inject("claude")
const first = "5c0ff1e0-0000-4000-8000-000000000002"
const summary = "<analysis>short</analysis><summary>We rehearse; the stage word is quinquereme.</summary>"
const rehearsal = "bash -c 'echo $$ > tool.pid; sleep 300; true'; echo finished"
const bash = (command: string) => ({ tool: { name: "Bash", input: { command, description: "Rehearse" } } })
const isResumed = (said: ReadonlyArray<string>) => said.some((text) => text.includes("This session was compacted: verify every task"))

/** The first Conductor rehearses until it is killed; what comes after the compaction completes. */
const part =
  (compaction: { readonly text: string } | { readonly refused: string }): Part =>
  (asked, board) => {
    if (asked.compaction) return Effect.succeed(compaction)
    if (isResumed(asked.said)) return Effect.as(board.complete, { text: "All is complete." })
    return Effect.succeed(asked.toolResult === undefined ? bash("echo one") : bash(rehearsal))
  }

/** Over the gate, whatever it is. */
const staged = Effect.fn("Compacted.staged")(function* (compaction: Parameters<typeof part>[0], stageOf: typeof headless | typeof tmux) {
  const lab = yield* makeLab(claude!, "opera", part(compaction))
  yield* lab.write(".orchestra_configs/souffleur", "FORCE_COMPACT=1\n")
  const stage = yield* stageOf(lab)
  const one = yield* stage.conductor(first, "Rehearse. The stage word is quinquereme.")
  yield* until("a tool call", lab.exists("tool.pid"))
  const souffleur = yield* stage.souffleur(["watch", "--json", "--pid", String(one), "--session-id", first])
  yield* until(
    "watching",
    Effect.map(souffleur.said, (said) => said.includes("WatchSettled"))
  )
  process.kill(one, "SIGKILL")
  return { lab, souffleur }
})
const boundaries = (text: string) => text.split("\n").filter((line) => line.includes('"subtype":"compact_boundary"')).length

const compactedInPlace = Effect.fn("Compacted.inPlace")(function* (stageOf: typeof headless | typeof tmux) {
  const { lab, souffleur } = yield* staged({ text: summary }, stageOf)
  assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
  const log = yield* lab.log
  const steps = log.flatMap((event) => (event._tag === "StepSucceeded" ? [event["step"]] : []))
  assert.deepStrictEqual(steps, ["1 stop", "2 export", "3 trim", "4 estimate", "mark", "compact#1", "prepare to resume", "resume"])
  const relaunched = log.find((event) => event._tag === "ConductorRelaunched")
  assert.deepStrictEqual([relaunched?.["provider"], relaunched?.["sessionId"]], ["standard_compact", first])
  assert.strictEqual(boundaries(yield* lab.read(lab.sessionFile(first))), 1)
  // The export that was too large is discarded; the prompt of the resumed session arrives once.
  const exported = log.find((event) => event._tag === "StepSucceeded" && event["step"] === "2 export")?.["outcome"] as { path: string }
  assert.isFalse(yield* lab.exists(exported.path))
  assert.lengthOf(
    (yield* lab.asked).filter(({ said, turn }) => turn && isResumed(said)),
    1
  )
  const { all, most } = yield* lab.agents
  assert.strictEqual(most, 1, "never two at once")
  assert.lengthOf([...all], 3)
})

it.live.skipIf(claude === null)("an export over the gate: the session is compacted in place and resumed under its own id", () =>
  compactedInPlace(headless).pipe(Effect.scoped, Effect.provide(services))
)

it.live.skipIf(claude === null || tmuxMissing)(
  "the same in windows of tmux, where the compact session idles and is ended (skipped where tmux is missing)",
  () => compactedInPlace(tmux).pipe(Effect.scoped, Effect.provide(services))
)

it.live.skipIf(claude === null)("a compaction that fails with exit code 0 is tried once more, then closed: nothing is launched", () =>
  Effect.gen(function* () {
    const { lab, souffleur } = yield* staged({ refused: "prompt is too long: 215000 tokens > 200000 maximum" }, headless)
    yield* until(
      "failed closed",
      Effect.map(souffleur.said, (said) => said.includes("RecoveryFailedClosed"))
    )
    const log = yield* lab.log
    assert.deepStrictEqual(
      log.flatMap((event) => (event._tag === "StepFailed" ? [event["step"]] : [])),
      ["compact#1", "compact#2"]
    )
    assert.isUndefined(log.find((event) => event._tag === "ConductorRelaunched"))
    assert.strictEqual(boundaries(yield* lab.read(lab.sessionFile(first))), 0)
    assert.strictEqual((yield* lab.agents).most, 1)
  }).pipe(Effect.scoped, Effect.provide(services))
)
