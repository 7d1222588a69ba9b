import { assert, it } from "@effect/vitest"
import { Hooks, type HookSign } from "@souffleur/domain"
import { HookFiles } from "@souffleur/node"
import { Clock, Effect, Option, Ref } from "effect"
import { alive, childOf } from "../claude/AgentProcesses.ts"
import { only, services, told } from "../claude/Watched.ts"
import { agentLab, type RealAgent, rehearsal, sessionIn, word } from "./AgentLab.ts"
import { checks, isBack, rehearses } from "./ModelParts.ts"
import type { Answer, Asked } from "./ModelTalk.ts"
import { silentNight } from "./SilentNight.ts"

/** The nights that every real agent gets through. `found`: its program; `null` where it cannot be installed. */
export const agentNights = (agent: RealAgent, found: string | null): void => {
  const program = found ?? ""
  const begin = `${agent.flag} is a word here. The stage word is ${word}. Rehearse.`

  /** Starts a run whose agent is in the middle of a tool. */
  const running = Effect.fn("AgentNights.running")(function* (part: (asked: Asked) => Effect.Effect<Answer>) {
    const lab = yield* agentLab(agent, program, part)
    const souffleur = yield* lab.run(begin)
    yield* lab.tool
    yield* told(souffleur, "WatchSettled")
    const confirmed = only(yield* lab.log, "ConductorConfirmed")
    const { pid } = confirmed["conductor"] as { readonly pid: number }
    if (confirmed["sessionId"] === "") yield* told(souffleur, "SessionIdFound")
    return { lab, souffleur, pid, sessionId: sessionIn(yield* lab.log, confirmed) }
  })

  it.live.skipIf(found === null)("a turn is complete by its records, and its words come into a pipe", () =>
    Effect.gen(function* () {
      const lab = yield* agentLab(agent, program, (asked) => Effect.succeed(checks(asked)))
      const screen = yield* lab.said("run", "--", ...agent.words, "--", begin)
      assert.include(screen, "the agent stopped; nothing confirms that its work is done")
      if (agent.words.some((one) => one.endsWith("json"))) assert.match(screen, /^\{.*All is complete\./mu)
      else {
        assert.match(screen, /^All is complete\.$/mu)
        assert.notMatch(screen, /^\{/mu)
      }
      // Later it is shown as it was then.
      const attached = yield* lab.said("attach")
      for (const line of screen.split("\n").filter((one) => one.includes("All is complete.")))
        assert.include(attached, line)
      const log = yield* lab.log
      assert.match(sessionIn(log, only(log, "ConductorConfirmed")), /^(?:[\da-f-]{36}|ses_[\dA-Za-z]{26})$/u)
      assert.strictEqual(only(log, "ConductorCompleted")["by"], "turn")
      assert.include((yield* lab.asked)[0]?.said, begin)
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  const signals = ["SIGKILL", "SIGSTOP", ...(agent.endsWellAtTerm === true ? (["SIGTERM"] as const) : [])] as const
  for (const signal of signals)
    it.live.skipIf(found === null)(
      `an agent that gets ${signal} in a tool goes on in its own session, and knows what it was told`,
      () =>
        Effect.gen(function* () {
          const { lab, pid, sessionId, souffleur } = yield* running(rehearses)
          const all = [pid, ...(agent.launcher === true ? [yield* childOf(pid)] : [])]
          // The launcher's death leaves the agent behind it at work, and its own stillness is none of the agent.
          process.kill(signal === "SIGKILL" ? pid : all.at(-1)!, signal)
          assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
          for (const one of all) assert.isFalse(yield* alive(one))
          const log = yield* lab.log
          assert.strictEqual(only(log, "ConductorDied")["reason"], signal === "SIGSTOP" ? "hang" : "pid")
          const relaunched = only(log, "ConductorRelaunched")
          assert.deepStrictEqual([relaunched["provider"], relaunched["sessionId"]], ["resume", sessionId])
          only(log, "HandoffTaken")
          assert.strictEqual(only(log, "ConductorCompleted")["by"], "turn")
          assert.include((yield* lab.asked).find(isBack)?.known, word)
          assert.strictEqual(yield* lab.read("proof"), "checked\n")
        }).pipe(Effect.scoped, Effect.provide(services))
    )

  silentNight(agent, found)

  it.live.skipIf(found === null)("a resumed agent that dies again without progress goes on from its export", () =>
    Effect.gen(function* () {
      const part = (asked: Asked): Effect.Effect<Answer> =>
        Effect.succeed(asked.known.includes("read it first: ") ? checks(asked) : { shell: rehearsal })
      const { lab, pid, sessionId, souffleur } = yield* running(part)
      process.kill(pid, "SIGKILL")
      yield* lab.tool
      yield* told(souffleur, "ConductorRelaunched")
      const { conductor } = only(yield* lab.log, "ConductorRelaunched")
      process.kill((conductor as { readonly pid: number }).pid, "SIGKILL")
      assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
      const log = yield* lab.log
      const [, second] = log.filter(({ _tag }) => _tag === "ConductorRelaunched")
      assert.strictEqual(second?.["provider"], "claude_export")
      const later = log.filter(({ _tag, sessionId: one }) => _tag === "SessionIdFound" && one !== sessionId)
      assert.notStrictEqual(sessionIn(later, second!), sessionId)
      assert.include(yield* lab.read(String(second?.["exportPath"])), word)
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  const limited = it.live.skipIf(found === null)
  if (agent.waitsByItself === true)
    limited("a usage limit that the agent waits for by itself ends nothing", () =>
      Effect.gen(function* () {
        const met = yield* Ref.make(false)
        const part = (asked: Asked): Effect.Effect<Answer> =>
          Effect.map(Ref.getAndSet(met, asked.toolResult !== undefined), (before) =>
            asked.toolResult === undefined
              ? { shell: "echo begun" }
              : before
                ? { text: "All is complete." }
                : { limitedUntil: 0, retryAfter: 3 }
          )
        const lab = yield* agentLab(agent, program, part)
        const souffleur = yield* lab.run(begin)
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const log = yield* lab.log
        assert.strictEqual(only(log, "ConductorCompleted")["by"], "turn")
        assert.notInclude(
          log.map(({ _tag }) => _tag),
          "ConductorDied"
        )
        assert.lengthOf(yield* lab.asked, 3)
      }).pipe(Effect.scoped, Effect.provide(services))
    )
  else
    limited("a usage limit is waited for until its end, and the session goes on", () =>
      Effect.gen(function* () {
        const met = yield* Ref.make(0)
        const part = (asked: Asked): Effect.Effect<Answer> =>
          Effect.gen(function* () {
            if (isBack(asked)) return checks(asked)
            if (asked.toolResult === undefined) return { shell: "echo begun" }
            const limitedUntil = Math.ceil((yield* Clock.currentTimeMillis) / 1000) + 5
            yield* Ref.set(met, limitedUntil * 1000)
            return { limitedUntil, ...(agent.limitWithoutEnd === true ? { retryAfter: 1 } : {}) }
          })
        const lab = yield* agentLab(agent, program, part)
        const souffleur = yield* lab.run(begin)
        if (agent.limitWithoutEnd === true) {
          yield* told(souffleur, "WaitStarted")
          yield* lab.said("go")
        }
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const log = yield* lab.log
        const wait = only(log, "WaitStarted")
        assert.strictEqual(wait["kind"], "usage-limit")
        // A busy machine may hear of it after its end.
        const until = Math.max(yield* Ref.get(met), Date.parse(String(wait["at"])))
        if (agent.limitWithoutEnd !== true) assert.strictEqual(wait["until"], until)
        assert.strictEqual(only(log, "ConductorRelaunched")["provider"], "continue_turn")
      }).pipe(Effect.scoped, Effect.provide(services))
    )

  const { hooks } = agent
  if (hooks !== undefined)
    it.live.skipIf(found === null)("its hooks say what a turn does, of which process, and are taken out again", () =>
      Effect.gen(function* () {
        const lab = yield* agentLab(agent, program, rehearses)
        const name = agent.words[0]!
        const installed = yield* lab.said("hooks", "install", "--agent", name)
        assert.include(installed, "hooks installed")
        assert.match(yield* lab.said("doctor"), /^ok +hooks +installed in /mu)
        if (hooks.approved !== undefined) yield* hooks.approved(program, lab)
        const souffleur = yield* lab.run(begin)
        yield* lab.tool
        yield* told(souffleur, "WatchSettled")
        const confirmed = only(yield* lab.log, "ConductorConfirmed")
        if (confirmed["sessionId"] === "") yield* told(souffleur, "SessionIdFound")
        const sessionId = sessionIn(yield* lab.log, confirmed)
        const { pid, startTime } = confirmed["conductor"] as { readonly pid: number; readonly startTime: number }
        const text = yield* lab.read(`${lab.options.env.SOUFFLEUR_STATE_DIR}/hooks/${sessionId}.jsonl`)
        const signs = text
          .trim()
          .split("\n")
          .map((line): HookSign => JSON.parse(line))
        assert.deepInclude(signs[0], { event: "SessionStart", kind: hooks.began, holding: "began" })
        assert.strictEqual(signs.at(-1)?.event, hooks.tool)
        for (const sign of signs) assert.deepInclude(sign, { pid, startTime })
        assert.notInclude(text, word)
        const known = yield* Effect.provide(
          Effect.map(Hooks, (all) => all),
          HookFiles.layer(lab.options.env.SOUFFLEUR_STATE_DIR)
        )
        assert.deepStrictEqual(yield* known.holds({ pid, startTime }), Option.some(sessionId))
        yield* lab.said("hooks", "uninstall", "--agent", name)
        assert.notMatch(yield* lab.said("doctor"), /^ok +hooks /mu)
      }).pipe(Effect.scoped, Effect.provide(services))
    )

  it.live.skipIf(found === null)("a session has one writer, and a bare souffleur lists it", () =>
    Effect.gen(function* () {
      const { lab, pid, sessionId } = yield* running(rehearses)
      const second = yield* lab.saidIn(lab.home, "run", "--", ...agent.resume(sessionId), "x")
      assert.include(second, `process ${pid} holds session ${sessionId}`)
      // Also where only the output of its launch tells it.
      assert.include(yield* lab.said("status", "--json"), "runs the tool")
      yield* lab.said("release")
      assert.include(yield* lab.said(), sessionId.slice(0, 8))
      assert.include(yield* lab.said("doctor"), `${agent.title} is installed`)
    }).pipe(Effect.scoped, Effect.provide(services))
  )
}
