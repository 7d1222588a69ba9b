import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, FileSystem, Ref, Schema } from "effect"
import { inject } from "vitest"
import { type Lab, makeLab, type Part, until } from "./Lab.ts"
import { headless, tmux, tmuxMissing } from "./ClaudeStage.ts"
import { bash, begin, checks, only, rehearsal, services, staged, told, waiting } from "./Watched.ts"

const claude = inject("claude")
const resumed = (said: ReadonlyArray<string>) => said.some((text) => text.includes("Your conversation is as it was."))

const Statuses = Schema.Tuple([
  Schema.Struct({
    standing: Schema.String,
    state: Schema.String,
    conductor: Schema.Struct({
      heartbeat_age_ms: Schema.NullOr(Schema.Number),
      waits_for: Schema.NullOr(Schema.String)
    })
  })
])
const statusOf = (lab: Lab) =>
  Effect.flatMap(lab.said("status", "--json"), Schema.decodeUnknownEffect(Schema.fromJsonString(Statuses)))

describe("behaviour#waiting-for-a-person", () => {
  it.live.skipIf(claude === null || tmuxMissing)(
    "an agent that waits for a permission is not dead, however old its heartbeat is; a person hears of it once (skipped where tmux is missing)",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const outside = yield* fs.makeTempFileScoped()
        yield* fs.writeFileString(outside, "a libretto")
        const { lab, souffleur, stage } = yield* staged(
          claude!,
          tmux,
          ({ toolResult = "" }, commsDb) => {
            if (toolResult.includes("a libretto")) return Effect.as(commsDb.complete, { text: "All is complete." })
            return Effect.succeed(
              toolResult.includes("finished")
                ? { tool: { name: "Read", input: { file_path: outside } } }
                : bash(waiting)
            )
          },
          "",
          { settings: { SOUFFLEUR_HEARTBEAT_STALE_AFTER: "15 seconds" } }
        )
        yield* lab.commsDb.beat
        yield* lab.write("go", "")
        yield* told(souffleur, "PersonAwaited")
        yield* until(
          "a heartbeat older than it may be",
          Effect.map(statusOf(lab), ([{ conductor }]) => (conductor.heartbeat_age_ms ?? 0) > 16_000)
        )
        const [{ conductor, standing }] = yield* statusOf(lab)
        assert.deepStrictEqual([standing, conductor.waits_for], ["waits for a person", "permission prompt"])
        yield* stage.type("Enter")
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const log = yield* lab.log
        only(log, "PersonAwaited")
        only(log, "PersonCame")
        assert.isUndefined(log.find(({ _tag }) => ["ConductorDied", "KillDeferred", "RecoveryStarted"].includes(_tag)))
        assert.deepStrictEqual(
          (yield* lab.notices).map(({ kind }) => kind),
          ["waiting_for_a_person", "cleared", "completed"]
        )
        assert.lengthOf([...(yield* lab.agents).all], 1)
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#idle", () => {
  it.live.skipIf(claude === null || tmuxMissing)(
    "an agent that has ended its turn in its window is idle, is told once, and works again by a person's words (skipped where tmux is missing)",
    () =>
      Effect.gen(function* () {
        const part: Part = ({ said, toolResult }) =>
          Effect.succeed(
            said.some((text) => text.includes("Encore"))
              ? bash(rehearsal)
              : toolResult === undefined
                ? bash(waiting)
                : { text: "All is sung." }
          )
        const { lab, souffleur, stage } = yield* staged(claude!, tmux, part, "", { solo: true })
        yield* lab.write("go", "")
        yield* told(souffleur, "ConductorIdle")
        const [{ standing, state }] = yield* statusOf(lab)
        assert.deepStrictEqual([state, standing], ["idle", "its turn is over"])
        yield* stage.type("Encore", "Enter")
        yield* told(souffleur, "ConductorBusy")
        assert.strictEqual((yield* statusOf(lab))[0].state, "working")
        yield* lab.said("done")
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const log = yield* lab.log
        only(log, "ConductorIdle")
        assert.isUndefined(log.find(({ _tag }) => ["ConductorDied", "PersonAwaited"].includes(_tag)))
        assert.deepStrictEqual(
          (yield* lab.notices).map(({ kind }) => kind),
          ["idle", "completed"]
        )
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

/** Longer than a heartbeat may be old. */
const silence = "12 seconds"

describe("behaviour#verdicts", () => {
  it.live.skipIf(claude === null)(
    "an agent that is stopped in solo hangs once its calls may no longer stall, and is recovered",
    () =>
      Effect.gen(function* () {
        const part: Part = (asked) =>
          Effect.succeed(asked.toolResult === undefined && !resumed(asked.said) ? bash(rehearsal) : checks(asked))
        // The successor, too, may be silent no longer, and a busy machine starts it in some seconds.
        const settings = { SOUFFLEUR_STALL_AFTER: "15 seconds" }
        const { conductor, lab, souffleur } = yield* staged(claude!, headless, part, "", { solo: true, settings })
        process.kill(conductor, "SIGSTOP")
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const log = yield* lab.log
        const died = only(log, "ConductorDied")
        assert.deepInclude(died, { reason: "hang" })
        assert.deepInclude(died["evidence"], { process: "stopped" })
        assert.strictEqual(only(log, "ConductorRelaunched")["provider"], "resume")
        only(log, "HandoffTaken")
        const { all, most } = yield* lab.agents
        assert.deepStrictEqual([most, all.size], [1, 2])
      }).pipe(Effect.scoped, Effect.provide(services))
  )
  it.live.skipIf(claude === null)("a silent model is no death in solo, and no hand-off is taken before it speaks", () =>
    Effect.gen(function* () {
      const spoke = yield* Ref.make(0)
      const part: Part = (asked) => {
        if (asked.toolResult?.includes("checked") === true) return Effect.succeed(checks(asked))
        if (!resumed(asked.said)) {
          const now = Effect.succeed(bash(asked.toolResult === undefined ? waiting : rehearsal))
          return asked.toolResult === undefined ? now : Effect.delay(now, silence)
        }
        return Clock.currentTimeMillis.pipe(
          Effect.flatMap((at) => Ref.set(spoke, at)),
          Effect.as(checks(asked)),
          Effect.delay("8 seconds")
        )
      }
      const settings = { SOUFFLEUR_HEARTBEAT_STALE_AFTER: "7 seconds" }
      const { conductor, lab, souffleur } = yield* staged(claude!, headless, part, "", { solo: true, settings })
      const fs = yield* FileSystem.FileSystem
      yield* fs.remove(`${lab.project}/tool.pid`)
      yield* lab.write("go", "")
      yield* until("a tool after the silence", lab.exists("tool.pid"))
      assert.isUndefined((yield* lab.log).find(({ _tag }) => _tag === "ConductorDied"))
      process.kill(conductor, "SIGKILL")
      assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
      const log = yield* lab.log
      assert.strictEqual(only(log, "ConductorDied")["reason"], "pid")
      const taken = only(log, "HandoffTaken")
      assert.isAtLeast(Number(taken["takenAt"]), yield* Ref.get(spoke))
      assert.strictEqual(taken["contextTokens"], 1000)
      assert.strictEqual(only(log, "ConductorCompleted")["by"], "turn")
      assert.deepStrictEqual(
        (yield* lab.notices).map(({ kind }) => kind),
        ["died", "recovered", "unconfirmed"]
      )
      const { all, most } = yield* lab.agents
      assert.deepStrictEqual([most, all.size], [1, 2])
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#done-by-a-program", () => {
  it.live.skipIf(claude === null || tmuxMissing)(
    "an agent at its prompt goes on in its session while the program says no, and the watch is complete once it says yes (skipped where tmux is missing)",
    () =>
      Effect.gen(function* () {
        const part: Part = ({ said, toolResult = "" }) => {
          if (/finished|mended/u.test(toolResult)) return Effect.succeed({ text: "All is sung." })
          const goesOn = said.some((text) => text.includes("It ended with exit code 2, not 0."))
          return Effect.succeed(bash(goesOn ? "echo mended" : waiting))
        }
        const lab = yield* makeLab(claude!, "opera", part, { solo: true })
        yield* lab.write("go", "")
        const stage = yield* tmux(lab)
        const until = ["run", "--json", "--until", "ls sung", "--", claude!, "--allowedTools=Bash", begin]
        const souffleur = yield* stage.souffleur(until)
        yield* told(souffleur, "ConductorRelaunched")
        yield* lab.write("sung", "")
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const log = yield* lab.log
        assert.deepStrictEqual(
          log.flatMap((event) => (event._tag === "WorkChecked" ? [event.code] : [])),
          [2, 0]
        )
        only(log, "ConductorRelaunched")
        assert.deepInclude(log.at(-1), { _tag: "ConductorCompleted", by: "program" })
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
