import { assert, describe } from "@effect/vitest"
import * as fs from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { bundle, prints, said, stage, task, until } from "./CliStage.ts"
import { live } from "./Live.ts"

const agent = [process.execPath, bundle, "__stand-in", "-p", "work"] as const

/** A program that says no to the first `times` rounds, and tells why. It counts them in the project. */
const no = (times: number, first = "true") =>
  JSON.stringify([
    "sh",
    "-c",
    `${first}; echo x >> rounds; [ $(wc -l < rounds) -gt ${times} ] || { echo 2 failed; exit 3; }`
  ])

/** Without comms, which would say itself that the work is done. */
const solo = (...tasks: Parameters<typeof stage>[0]) =>
  Effect.tap(stage(tasks), ({ comms }) => Effect.sync(() => fs.rmSync(comms)))

describe("behaviour#done-by-a-program", () => {
  live("the same session goes on with what the program printed, until it ends with 0", () =>
    Effect.gen(function* () {
      const the = yield* solo(task(1))
      const run = the.start(["run", "--json", "--until", no(1), "--", ...agent])
      const { sessionId } = yield* prints(run, "ConductorConfirmed")
      assert.deepStrictEqual(yield* run.ended, { code: 0, signal: null }, run.errors())
      const events = run.lines.map(said)
      assert.deepInclude(events.at(-1), { _tag: "ConductorCompleted", by: "program" })
      assert.deepStrictEqual(
        events.flatMap(({ _tag, code, provider, reason, said }) => {
          if (_tag === "WorkChecked") return [[code, said]]
          return _tag === "EndedEarly" ? [reason] : _tag === "ConductorRelaunched" ? [provider] : []
        }),
        [[3, "2 failed\n"], "unconfirmed", "continue_turn", [0, ""]]
      )
      assert.include(the.conversation(String(sessionId)), "It ended with exit code 3, not 0.")
      assert.include(the.conversation(String(sessionId)), "2 failed")
      assert.match((yield* the.ask(["why"])).lines.join("\n"), /the program of --until ended with 0/u)
    })
  )

  live("after so many rounds without progress a person is asked, and may have it go on or say that it is done", () =>
    Effect.gen(function* () {
      const the = yield* solo(task(1))
      const run = the.start(["run", "--json", "--until", no(9), "--rounds", "2", "--", ...agent])
      assert.deepInclude(yield* prints(run, "RecoveryWithheld"), {
        stage: "unconfirmed",
        message: '"--until" has not ended with 0 in 2 rounds without progress: 2 failed'
      })
      assert.strictEqual((yield* the.ask(["retry"])).code, 0)
      yield* until(the.events, (events) => events.filter(({ _tag }) => _tag === "RecoveryWithheld").length === 2)
      assert.strictEqual((yield* the.ask(["done"])).code, 0)
      assert.strictEqual((yield* run.ended).code, 0)
    })
  )

  live("a souffleur that is killed while the program looks has it look again, whoever goes on with the watch", () =>
    Effect.gen(function* () {
      const the = yield* solo(task(1))
      const looks = `[ -e looked ] || { touch looked; sleep 60; }`
      const run = the.start(["run", "--json", "--no-guardian", "--until", no(0, looks), "--", ...agent])
      yield* until(
        Effect.sync(() => fs.existsSync(join(the.project, "looked"))),
        (found) => found
      )
      run.kill("SIGKILL")
      yield* run.ended
      const again = yield* the.run(["run", "--json"])
      assert.strictEqual(again.code, 0, again.errors)
      assert.deepInclude(said(again.lines.at(-1)!), { _tag: "ConductorCompleted", by: "program" })
      assert.lengthOf(the.launched(), 1)
    })
  )

  live("a program that cannot be run stops the work, and is asked again by retry", () =>
    Effect.gen(function* () {
      const the = yield* solo(task(1))
      const check = join(the.project, "check")
      const run = the.start(["run", "--json", "--until", check, "--", ...agent])
      const { message } = yield* prints(run, "RecoveryFailedClosed")
      assert.include(
        run.errors(),
        `until it can be run, --until says nothing of the work: ${check} is not an executable file`
      )
      assert.strictEqual(message, `the program of --until: there is no program ${check}`)
      fs.writeFileSync(check, "#!/bin/sh\n", { mode: 0o755 })
      assert.strictEqual((yield* the.ask(["retry"])).code, 0)
      assert.strictEqual((yield* run.ended).code, 0)
      assert.lengthOf(the.launched(), 1)
    })
  )

  live("words that only a shell would read are bad usage, and so is a plain command", () =>
    Effect.gen(function* () {
      const the = yield* solo()
      const shell = yield* the.run(["run", "--until", "npm test && true", "--", ...agent])
      assert.deepStrictEqual([shell.code, shell.lines], [2, []])
      assert.include(
        shell.errors,
        `--until must be a program and its arguments, as no shell reads it; else write ["sh","-c","…"]`
      )
      const counted = yield* the.run(["run", "--rounds", "2", "--", ...agent])
      assert.deepStrictEqual([counted.code, counted.lines], [2, []])
      assert.include(counted.errors, "rounds count what until finds")
      const alone = yield* the.run(["run", "--until", "true"])
      assert.deepStrictEqual([alone.code, alone.lines], [2, []])
      assert.include(alone.errors, "--until is said where an agent begins")
      const foreseen = yield* the.run(["run", "--dry-run", "--until", "npm test", "--", ...agent])
      assert.match(foreseen.lines.join("\n"), /until +npm test ends with 0, 5 rounds without progress at most/u)
      const plain = yield* the.run(["run", "--until", "true", "--", "/bin/true"])
      assert.deepStrictEqual([plain.code, plain.lines], [2, []])
      assert.include(plain.errors, "until is for an agent")
    })
  )
})
