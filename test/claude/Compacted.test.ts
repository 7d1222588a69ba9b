import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { inject } from "vitest"
import { type Part, until } from "./Lab.ts"
import { type Answer, tooLong } from "./ModelEndpoint.ts"
import { headless, tmux, tmuxMissing } from "./ClaudeStage.ts"
import { bash, begin, first, only, outcomeOf, permissionsOf, rehearsal, services, staged, stepsOf } from "./Watched.ts"

const claude = inject("claude")
const summary: Answer = {
  text: "<analysis>short</analysis><summary>We rehearse; the stage word is quinquereme.</summary>"
}
const isResumed = (said: ReadonlyArray<string>) =>
  said.some((text) => text.includes("This session was compacted: verify every task"))

/** The first Conductor rehearses until it is killed; what comes after the compaction completes. */
const part =
  (compaction: Effect.Effect<Answer>): Part =>
  (asked, commsDb) => {
    if (asked.compaction) return compaction
    if (isResumed(asked.said)) return Effect.as(commsDb.complete, { text: "All is complete." })
    return Effect.succeed(asked.toolResult === undefined ? bash("echo one") : bash(rehearsal))
  }

/** Killed, with an export that is over the gate, whatever it is. */
const killed = Effect.fn("Compacted.killed")(function* (
  compaction: Effect.Effect<Answer>,
  stageOf: typeof headless | typeof tmux,
  more = ""
) {
  const { conductor, ...scene } = yield* staged(claude!, stageOf, part(compaction), `FORCE_COMPACT=1\n${more}`)
  process.kill(conductor, "SIGKILL")
  return scene
})
const lines = (text: string, words: string) => text.split("\n").filter((line) => line.includes(words)).length
const boundary = '"subtype":"compact_boundary"'

const compactedInPlace = Effect.fn("Compacted.inPlace")(function* (stageOf: typeof headless | typeof tmux) {
  const { lab, souffleur } = yield* killed(Effect.succeed(summary), stageOf)
  assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
  const log = yield* lab.log
  const steps = ["1 stop", "2 export", "3 trim", "4 estimate", "mark", "compact#1", "prepare to resume", "resume"]
  assert.deepStrictEqual(stepsOf(log, "StepSucceeded"), steps)
  const relaunched = only(log, "ConductorRelaunched")
  assert.deepStrictEqual([relaunched["provider"], relaunched["sessionId"]], ["standard_compact", first])
  const session = yield* lab.read(lab.sessionFile(first))
  assert.strictEqual(lines(session, boundary), 1)
  assert.strictEqual(lines(session.slice(session.indexOf(boundary)), '"isCompactSummary":true'), 1)
  assert.deepInclude(outcomeOf(log, "compact#1"), { compacted: true, summarized: true })
  // The export that was too large is discarded.
  assert.isFalse(yield* lab.exists(String(outcomeOf(log, "2 export")["path"])))
  // The model has the summary, not what was said before it, and the prompt of the resumed session arrives once.
  const resumed = (yield* lab.asked).filter(({ said, turn }) => turn && isResumed(said))
  assert.lengthOf(resumed, 1)
  assert.include(resumed[0]!.known, "We rehearse; the stage word is quinquereme.")
  assert.notInclude(resumed[0]!.known, begin)
  const { all, most } = yield* lab.agents
  assert.strictEqual(most, 1, "never two at once")
  assert.lengthOf([...all], 3)
  for (const { argv } of all.values()) assert.deepStrictEqual(permissionsOf(argv), ["acceptEdits"])
})

/** Two compactions that the model refuses, and nothing after them. */
const failedClosed = Effect.fn("Compacted.failedClosed")(function* (
  compaction: Effect.Effect<Answer>,
  stageOf: typeof headless | typeof tmux,
  more?: string
) {
  const { lab, souffleur } = yield* killed(compaction, stageOf, more)
  yield* until(
    "an error in comms",
    Effect.map(lab.stateOf("souffleur"), (state) => state === "error")
  )
  const log = yield* lab.log
  assert.strictEqual(only(log, "RecoveryFailedClosed")["stage"], "compact")
  assert.deepStrictEqual(stepsOf(log, "StepFailed"), ["compact#1", "compact#2"])
  assert.isUndefined(log.find((event) => event._tag === "ConductorRelaunched"))
  const { all, most } = yield* lab.agents
  assert.strictEqual(most, 1)
  assert.lengthOf([...all], 3)
  const session = yield* lab.read(lab.sessionFile(first))
  assert.strictEqual(lines(session, "<local-command-stderr>"), 2)
  assert.strictEqual(lines(session, boundary), 0)
  return { lab, souffleur }
})

describe("behaviour#standard_compact", () => {
  it.live.skipIf(claude === null)(
    "an export over the gate: the session is compacted in place and resumed under its own id",
    () => compactedInPlace(headless).pipe(Effect.scoped, Effect.provide(services))
  )
  it.live.skipIf(claude === null || tmuxMissing)(
    "a compact session in a window of tmux idles and is ended (skipped where tmux is missing)",
    () => compactedInPlace(tmux).pipe(Effect.scoped, Effect.provide(services))
  )
  it.live.skipIf(claude === null || tmuxMissing)(
    "a failed compaction in a window of tmux idles until its time is over, and is ended (skipped where tmux is missing)",
    () =>
      failedClosed(Effect.succeed(tooLong), tmux, "COMPACT_TIMEOUT=30 seconds\n").pipe(
        Effect.scoped,
        Effect.provide(services)
      )
  )
})

describe("claude-code#compaction", () => {
  it.live.skipIf(claude === null)(
    "a compaction that fails with exit code 0 is tried once more, then closed, until an operator retries",
    () =>
      Effect.gen(function* () {
        const compaction = yield* Ref.make(tooLong)
        const { lab, souffleur } = yield* failedClosed(Ref.get(compaction), headless)
        // Not a word of it in the exit code.
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        assert.strictEqual(
          yield* spawner.exitCode(ChildProcess.make(claude!, ["-p", "--resume", first, "--", "/compact"], lab.options)),
          0
        )
        assert.strictEqual(lines(yield* lab.read(lab.sessionFile(first)), boundary), 0)

        yield* Ref.set(compaction, summary)
        yield* lab.said("retry")
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        assert.strictEqual(lines(yield* lab.read(lab.sessionFile(first)), boundary), 1)
        assert.strictEqual(only(yield* lab.log, "ConductorRelaunched")["sessionId"], first)
        assert.strictEqual(yield* lab.stateOf("souffleur"), "complete")
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
