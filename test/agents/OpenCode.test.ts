import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { inject } from "vitest"
import { until } from "../claude/Lab.ts"
import { only, services, told } from "../claude/Watched.ts"
import { type AgentHome, agentLab, rehearsal, sessionIn } from "./AgentLab.ts"
import { agentNights } from "./AgentNights.ts"
import { isBack } from "./ModelParts.ts"
import type { Answer, Asked } from "./ModelTalk.ts"
import { realOpenCode } from "./RealOpenCode.ts"

const program = inject("opencode")

describe("opencode#records, opencode#sessions", () => {
  agentNights(realOpenCode, program)
})

/** Its agent `plan` runs the shell, and edits nothing. */
const words = [...realOpenCode.words, "--agent", "plan"]
/** Is in the middle of a tool until it is brought back, and tries to write then. */
const writes = (asked: Asked): Effect.Effect<Answer> =>
  Effect.succeed(
    !isBack(asked)
      ? { shell: rehearsal }
      : asked.toolResult === undefined
        ? { shell: "unapproved", by: { name: "write", argument: "filePath", more: { content: "written" } } }
        : { text: "I may not." }
  )
/** The sessions and agents of all prompts, by OpenCode's own database. */
const promptsIn = ({ home }: AgentHome) =>
  Effect.acquireUseRelease(
    Effect.sync(() => new DatabaseSync(`${home}/.local/share/opencode/opencode.db`, { readOnly: true })),
    (db) =>
      Effect.sync(() =>
        db
          .prepare(
            "SELECT DISTINCT aggregate_id AS session, data ->> '$.info.id' AS id, data ->> '$.info.agent' AS agent FROM event WHERE data ->> '$.info.role' = 'user' ORDER BY seq"
          )
          .all()
      ),
    (db) => Effect.sync(() => db.close())
  )

describe("behaviour#permission-ceiling", () => {
  it.live.skipIf(program === null)(
    "a session that a person has plan is not launched again, also by retry, and writes nothing",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const lab = yield* agentLab(realOpenCode, program!, writes)
        const souffleur = yield* lab.run("Rehearse.")
        yield* lab.tool
        yield* told(souffleur, "WatchSettled")
        const confirmed = only(yield* lab.log, "ConductorConfirmed")
        if (confirmed["sessionId"] === "") yield* told(souffleur, "SessionIdFound")
        const args = [...words.slice(1), "--session", sessionIn(yield* lab.log, confirmed), "--", "Plan it first."]
        const person = yield* spawner.spawn(ChildProcess.make(program!, args, lab.options))
        yield* lab.tool
        for (const pid of [person.pid, (confirmed["conductor"] as { readonly pid: number }).pid])
          process.kill(pid, "SIGKILL")
        for (const times of [1, 2]) {
          yield* until(
            "the end of its recovery",
            Effect.map(
              lab.log,
              (log) =>
                log.filter(({ _tag }) => _tag === "RecoveryFailedClosed").length === times ||
                log.some(({ _tag }) => _tag === "HandoffTaken")
            ),
            souffleur.said
          )
          only(yield* lab.log, "LaunchPrepared")
          assert.include(yield* lab.said("status"), "approve it in OpenCode")
          if (times === 1) yield* lab.said("retry")
        }
        assert.isFalse((yield* lab.asked).some(isBack))
        assert.isFalse(yield* fs.exists(`${lab.project}/unapproved`))
      }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live.skipIf(program === null)("a run of the agent that plans comes back so, and writes nothing", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const lab = yield* agentLab({ ...realOpenCode, words }, program!, writes)
      const souffleur = yield* lab.run("Rehearse.")
      yield* lab.tool
      yield* told(souffleur, "WatchSettled")
      const { pid } = only(yield* lab.log, "ConductorConfirmed")["conductor"] as { readonly pid: number }
      process.kill(pid, "SIGKILL")
      yield* until(
        "what came of its tool",
        Effect.map(lab.asked, (all) => all.some((asked) => isBack(asked) && asked.toolResult !== undefined)),
        souffleur.said
      )
      const answers = (yield* lab.asked).filter(isBack).flatMap(({ toolResult }) => toolResult ?? [])
      assert.include(answers[0], "a rule which prevents you")
      const [first, ...back] = yield* promptsIn(lab)
      assert.isNotEmpty(back)
      for (const one of back) assert.deepInclude(one, { session: first?.["session"], agent: "plan" })
      assert.isFalse(yield* fs.exists(`${lab.project}/unapproved`))
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
