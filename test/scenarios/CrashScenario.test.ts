import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import type { When } from "../simulation/EffectGate.ts"
import { minutes, seconds, Stage } from "./ScenarioStage.ts"

/** Ten looks while SIGTERM has its grace, where a hundred would show the same. */
const settings = { stopGrace: Duration.seconds(1) }

const cases = { tags: ["cases"] }

type Way = "export" | "compaction" | "turn" | "window"

/**
 * Begins with a Conductor that ignores SIGTERM and has tools, so that every act of a recovery is there. It falls silent
 * at once. Or its turn ends, and leaves its tools behind. Or the terminal of souffleur is gone.
 */
const begin = (way: Way, plan?: (passed: number, name: string) => When | undefined) => {
  const fate = way === "turn" ? ({ fate: "turn ends", print: true } as const) : ({ fate: "hangs" } as const)
  const stage = new Stage({ ...fate, at: way === "turn" ? minutes(4) : seconds(1.5), onTerm: "never", tools: 3 })
  if (way === "window") stage.world.room.window = () => "gone"
  if (way === "compaction") stage.world.settings = { forceCompactThresholdTokens: 10 }
  // The first attempt says nothing. The second is done before its session ends.
  stage.world.compactions = (number) => ({
    after: number === 1 ? 2000 : 3000,
    writes: number > 1,
    ends: number === 1,
    onTerm: "never"
  })
  const souffleur = stage.souffleur({ settings, ...(plan === undefined ? {} : { plan }) })
  return { stage, souffleur }
}

/** Returns the result of a recovery, without the parts that differ from run to run. */
const result = ({ watch, world }: Stage) => ({
  phase: watch.phase,
  generation: watch.generation,
  retries: watch.retries,
  standby: watch.standby,
  recovery: watch.recovery,
  provider: watch.provider,
  conductors: world.conductors.length,
  living: world.living.length,
  left: world.processes.all.filter(({ belongsTo }) => belongsTo === 1).length,
  exports: [...world.disk.files.keys()].filter((path) => path === watch.lastExport).length,
  row: world.comms.souffleur?.state,
  told: world.comms.messages.map(
    ({ kind, text }) => `${kind} ${text.replaceAll(/pid \d+|#\d+|session [0-9a-f-]{36}/gu, "")}`
  )
})

/** Runs the whole recovery once, and finds which effects of souffleur belong to it. */
const uncrashed = (way: Way) => {
  const { souffleur, stage } = begin(way)
  stage.until("RecoveryStarted")
  const first = souffleur.gate.passed
  stage.until("SelfMonitorStarted")
  const last = souffleur.gate.passed
  const names = souffleur.gate.names.slice(first, last)
  stage.pass(minutes(1)).close()
  return { first, last, names, result: result(stage) }
}

/** Looks at an agent that takes its time. */
const looks = new Set(["processes.condition", "agent.compactedSince"])

/**
 * Makes each effect in turn the last of one souffleur, from `from` on. The next souffleur finishes the recovery. The
 * moment after an effect is the moment before the next one.
 */
const matrix = (way: Way, twin: ReturnType<typeof uncrashed>, when: Exclude<When, "after">, from = twin.first) => {
  for (let at = from; at <= twin.last + 1; at++) {
    // Looks that follow one another are all alike.
    const around = twin.names.slice(Math.max(0, at - twin.first - 4), at - twin.first)
    if (around.length === 4 && around.every((name) => looks.has(name))) continue
    const { souffleur, stage } = begin(way, (passed) => (passed === at ? when : undefined))
    stage.world.run(minutes(8), () => souffleur.outcome === "abandoned")
    assert.strictEqual(souffleur.outcome, "abandoned", `effect ${at}`)
    stage.pass(seconds(1))
    stage.souffleur({ settings })
    stage.pass(minutes(1)).close()
    assert.deepStrictEqual(
      result(stage),
      twin.result,
      `${when} ${souffleur.gate.names.at(-1)}\n${stage.world.story.join("\n")}`
    )
    // The successor is launched once. The Conductor is stopped at most once more.
    const [kills, spawns] = ["SIGKILL", "starts: pid"]
    assert.strictEqual(stage.world.story.filter((line) => line.includes(`Conductor (S2) ${spawns}`)).length, 1)
    assert.isAtMost(
      stage.world.signals.filter(({ process, signal }) => signal === kills && process.session !== undefined).length,
      2
    )
  }
}

for (const when of ["before", "inside"] as const) {
  describe("behaviour#steps", () => {
    it(`a recovery abandoned ${when} each effect and resumed ends as an undisturbed one`, () => {
      const twin = uncrashed("export")
      assert.include(twin.names, "launcher.launch: spawn")
      assert.include(twin.names, "processes.signal SIGKILL")
      matrix("export", twin, when)
    })
    for (const way of ["compaction", "turn"] as const) {
      it(
        `a recovery abandoned ${when} each effect of a ${way === "turn" ? "turn's end" : way} and resumed has one successor in the same session`,
        cases,
        () => {
          const twin = uncrashed(way)
          // Until the estimate a compaction has the effects of an export, which have their own test.
          const own = way === "turn" ? 0 : twin.names.indexOf("agent.signs")
          assert.isAtLeast(own, 0)
          matrix(way, twin, when, twin.first + own)
        }
      )
    }
  })
}

describe("behaviour#no-window", () => {
  for (const when of ["before", "inside"] as const)
    it(
      `a launch whose terminal is gone, abandoned ${when} each effect and resumed, has one successor, told once`,
      cases,
      () => {
        const twin = uncrashed("window")
        assert.strictEqual(twin.result.told.filter((line) => line.includes("No window of tmux was opened")).length, 1)
        const own = twin.names.indexOf("launcher.prepare")
        assert.isAbove(own, 0)
        matrix("window", twin, when, twin.first + own)
      }
    )
})

describe("behaviour#steps", () => {
  it("a recovery that is abandoned at every effect in turn still ends", () => {
    const { stage } = begin("export")
    stage.souffleurs[0]!.kill()
    for (let lives = 1; lives < 400 && stage.watch.generation < 2; lives++) {
      // Each one lives a little longer than the one before.
      const souffleur = stage.souffleur({ settings, plan: (passed) => (passed > 12 + lives ? "inside" : undefined) })
      stage.world.run(
        stage.world.timeline.monotonic + minutes(8),
        () => souffleur.outcome !== "running" || stage.watch.generation === 2
      )
      souffleur.kill()
      stage.pass(seconds(1))
    }
    stage.souffleur()
    stage.pass(minutes(10)).close()
    assert.strictEqual(stage.watch.generation, 2)
    assert.strictEqual(stage.world.living.length, 1)
  })
})

describe("behaviour#ends", () => {
  it("a release during each effect of a recovery ends all signals and launches", cases, () => {
    const twin = uncrashed("export")
    for (let at = twin.first + 1; at <= twin.last; at++) {
      let release = (): void => undefined
      const { stage } = begin("export", (passed) => {
        if (passed === at) release()
        return undefined
      })
      // A souffleur hears of another process's word when it looks at the log again.
      stage.world.hearing = seconds(1)
      release = () => stage.release()
      stage.pass(minutes(7)).close()
      assert.isTrue(
        stage.watch.end === "released" || stage.watch.generation === 2,
        `effect ${at}: ${twin.names[at - twin.first - 1]}`
      )
    }
  })
})
