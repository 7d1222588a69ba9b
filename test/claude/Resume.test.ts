import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { inject } from "vitest"
import { alive } from "./AgentProcesses.ts"
import { type Lab, makeLab, type Part, until } from "./Lab.ts"
import type { Asked } from "./ModelEndpoint.ts"
import { headless } from "./ClaudeStage.ts"
import { bash, begin, flagsOf, only, outcomeOf, rehearsal, services, told } from "./Watched.ts"

const claude = inject("claude")
const word = "quinquereme"

/** The prompt of a session that was resumed in place. */
const resumed = ({ said }: Asked) => said.some((text) => text.includes("Your conversation is as it was."))

/** Starts a run in the folder of the lab, until its agent is in the middle of a tool. */
const running = Effect.fn("Resume.running")(function* (part: Part, config = "") {
  const lab = yield* makeLab(claude!, "opera", part, { solo: true })
  yield* lab.write(".orchestra_configs/souffleur", config)
  const stage = yield* headless(lab)
  const souffleur = yield* stage.souffleur(["run", "--json", "--", claude!, "-p", "--allowedTools=Bash", begin])
  yield* until("a tool call", lab.exists("tool.pid"))
  yield* told(souffleur, "WatchSettled")
  const confirmed = only(yield* lab.log, "ConductorConfirmed")
  const { pid } = confirmed["conductor"] as { pid: number }
  return { lab, souffleur, pid, sessionId: String(confirmed["sessionId"]) }
})

/** Removes the mark of the last tool, and waits until the next one runs. Returns the pid of the agent. */
const nextTool = Effect.fn("Resume.nextTool")(function* (
  lab: Lab,
  souffleur: Parameters<typeof told>[0],
  killed: Effect.Effect<void>
) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.remove(`${lab.project}/tool.pid`)
  yield* killed
  yield* until("the next tool call", lab.exists("tool.pid"))
  yield* told(souffleur, "ConductorRelaunched")
  const { conductor } = only(yield* lab.log, "ConductorRelaunched")
  return (conductor as { pid: number }).pid
})

describe("behaviour#resume", () => {
  it.live.skipIf(claude === null)(
    "an agent that is killed in a tool goes on in its own session, and knows what it was told, also after a torn line",
    () =>
      Effect.gen(function* () {
        const part: Part = (asked) =>
          Effect.succeed(
            !resumed(asked) && asked.toolResult === undefined
              ? bash(rehearsal)
              : asked.toolResult?.includes("checked") === true
                ? { text: "All is complete." }
                : bash("echo checked")
          )
        const { lab, pid, sessionId, souffleur } = yield* running(part)
        const tool = Number(yield* lab.read("tool.pid"))
        const file = lab.sessionFile(sessionId)
        const fs = yield* FileSystem.FileSystem
        yield* fs.writeFileString(file, '{"type":"user","mess', { flag: "a" })
        process.kill(pid, "SIGKILL")
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        assert.isFalse(yield* alive(tool))

        const log = yield* lab.log
        assert.deepInclude(only(log, "ConductorDied")["evidence"], { end: { _tag: "Killed", signal: "SIGKILL" } })
        const relaunched = only(log, "ConductorRelaunched")
        assert.deepStrictEqual(
          [relaunched["provider"], relaunched["sessionId"], relaunched["exportPath"]],
          ["resume", sessionId, null]
        )
        assert.strictEqual(outcomeOf(log, "look at the session")["contextTokens"], 1000)
        only(log, "HandoffTaken")
        assert.strictEqual(only(log, "ConductorCompleted")["by"], "turn")
        const asked = (yield* lab.asked).filter(({ turn }) => turn)
        assert.isTrue(asked.every((one) => one.sessionId === sessionId))
        const first = asked.find(resumed)
        assert.include(first?.known, word)
        assert.include(yield* lab.read(file), '{"type":"user","mess\n')
        const { all, most } = yield* lab.agents
        assert.deepStrictEqual([most, all.size], [1, 2])
        for (const { argv } of all.values())
          assert.includeMembers(flagsOf(argv), ["-p", "--allowedTools=Bash", "acceptEdits"])
        assert.match(yield* lab.said("why", String(relaunched.revision)), /its session is resumed[\s\S]*1,000 tokens/u)
      }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live.skipIf(claude === null)("a resumed session that dies again without progress goes on from its export", () =>
    Effect.gen(function* () {
      const part: Part = ({ said, toolResult }) =>
        Effect.succeed(
          said.some((text) => text.includes("read it first:"))
            ? bash("echo checked")
            : toolResult?.includes("checked") === true
              ? { text: "All is complete." }
              : bash(rehearsal)
        )
      const { lab, pid, sessionId, souffleur } = yield* running(part)
      const kill = (who: number) => Effect.sync(() => void process.kill(who, "SIGKILL"))
      process.kill(yield* nextTool(lab, souffleur, kill(pid)), "SIGKILL")
      assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
      const log = yield* lab.log
      const [one, two] = log.filter(({ _tag }) => _tag === "ConductorRelaunched")
      assert.deepStrictEqual([one?.["provider"], two?.["provider"]], ["resume", "claude_export"])
      assert.strictEqual(one?.["sessionId"], sessionId)
      assert.notStrictEqual(two?.["sessionId"], sessionId)
      assert.include(only(log, "RecoveryEscalated")["message"], "died again without progress")
      assert.include(yield* lab.read(String(two?.["exportPath"])), word)
      const { all, most } = yield* lab.agents
      assert.deepStrictEqual([most, all.size], [1, 3])
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live.skipIf(claude === null)(
    "a session whose context is full is compacted in place if the gate refuses its export",
    () =>
      Effect.gen(function* () {
        const part: Part = ({ compaction, said, toolResult }) =>
          Effect.succeed(
            compaction
              ? { text: "<summary>They rehearse.</summary>" }
              : said.some((text) => text.includes("This session was compacted"))
                ? bash("echo checked")
                : toolResult?.includes("checked") === true
                  ? { text: "All is complete." }
                  : bash(rehearsal)
          )
        const { lab, pid, sessionId, souffleur } = yield* running(part, "FORCE_COMPACT=1\n")
        process.kill(pid, "SIGKILL")
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const log = yield* lab.log
        const escalated = log.filter(({ _tag }) => _tag === "RecoveryEscalated")
        assert.deepStrictEqual(
          escalated.map(({ from, to }) => [from, to]),
          [
            ["resume", "claude_export"],
            // Its session is there, so nothing starts over.
            ["claude_export", "start_over"],
            ["start_over", "standard_compact"]
          ]
        )
        assert.include(escalated[0]?.["message"], "its context is full: 1,000 tokens are in use, and the limit is 1")
        const relaunched = only(log, "ConductorRelaunched")
        assert.deepStrictEqual([relaunched["provider"], relaunched["sessionId"]], ["standard_compact", sessionId])
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
