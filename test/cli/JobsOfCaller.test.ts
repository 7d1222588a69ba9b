import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { alive, bundle, prints, said, stage, task, until } from "./CliStage.ts"
import { live } from "./Live.ts"

const agent = [process.execPath, bundle, "__stand-in", "-p", "Mend the gossamer"] as const
/** It lasts as long as the test. */
const long = task(1, 600_000)

/** Writes the config file of the project. */
const configure = (project: string, text: string) => {
  fs.mkdirSync(join(project, ".orchestra_configs"), { recursive: true })
  fs.writeFileSync(join(project, ".orchestra_configs", "souffleur"), text)
}

type Said = { readonly [field: string]: unknown }
const pidOf = (event: Said) => (event["conductor"] as { readonly pid: number }).pid

/** Returns the arguments and the variables of an agent, once its launcher has become it. */
const launchOf = (pid: number) =>
  Effect.map(
    until(
      Effect.sync(() => fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")),
      (words) => words.includes("--permission-mode")
    ),
    (words) => ({
      permission: words[words.indexOf("--permission-mode") + 1],
      stage: /(?:^|\0)STAGE=([^\0]*)/u.exec(fs.readFileSync(`/proc/${pid}/environ`, "utf8"))?.[1]
    })
  )

describe.concurrent("behaviour#jobs-of-a-caller", () => {
  live("an agent has its permission and its variables in every generation, and nothing is launched without them", () =>
    Effect.gen(function* () {
      const the = yield* stage([long])
      fs.rmSync(the.comms)
      configure(the.project, "MAX_EXTERNAL_PERMISSION=bypassPermissions\n")
      assert.strictEqual((yield* the.ask(["config", "--trust"])).code, 0)
      const flags = ["--id", "row-17", "--name", "The \u001b[31mnight", "--label", "ticket=REM-17", "--env", "STAGE"]
      const words = ["run", "--json", ...flags, "--permission", "bypassPermissions", "--", ...agent]
      const first = the.start(words, { STAGE: "a secret" })
      const { note, watch } = yield* prints(first, "WatchOpened")
      assert.strictEqual(watch, "row-17")
      assert.deepInclude(note, {
        title: "The \\u001b[31mnight",
        labels: { ticket: "REM-17" },
        permission: "bypassPermissions",
        environment: ["STAGE"]
      })
      const pid = pidOf(yield* prints(first, "ConductorConfirmed"))
      const given = { permission: "bypassPermissions", stage: "a secret" }
      assert.deepStrictEqual(yield* launchOf(pid), given)
      yield* prints(first, "WatchSettled")
      first.kill("SIGTERM")
      yield* first.ended
      process.kill(pid, "SIGKILL")
      // Another souffleur, which has another value, goes on with the launch as it was.
      const second = the.start(words, { STAGE: "another" })
      const next = pidOf(yield* prints(second, "ConductorRelaunched"))
      assert.deepStrictEqual(yield* launchOf(next), given)
      const [seen] = JSON.parse((yield* the.ask(["status", "--json"])).lines.join("\n"))
      assert.deepInclude(seen, { watch: "row-17", title: "The \\u001b[31mnight", labels: { ticket: "REM-17" } })
      assert.notInclude((yield* the.ask(["log", "row-17", "--json"])).lines.join("\n"), "a secret")

      yield* prints(second, "HandoffTaken")
      second.kill("SIGTERM")
      yield* second.ended
      for (const file of fs.readdirSync(join(the.state, "launches")))
        if (file.endsWith(".kept")) fs.rmSync(join(the.state, "launches", file))
      const third = yield* the.run(words, { STAGE: "another" })
      assert.strictEqual(third.code, 2)
      assert.include(third.errors, "the environment of this job is lost with the file of its first launch")
      assert.isTrue(alive(next))
      const stopped = yield* the.run(["stop", "row-17"])
      assert.strictEqual(stopped.code, 0, stopped.errors)
      assert.isFalse(alive(next))
      assert.lengthOf(the.launched(), 2)
    })
  )
  live("the same id is the same job, also when it has ended, and its title is in every list", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      const note = join(the.home, "notes")
      const job = ["--id", "row-18", "--name", "The night's build", "--", "sh", "-c", `echo once >> ${note}; exit 0`]
      const first = yield* the.run(["run", "--json", ...job])
      assert.strictEqual(first.code, 0, first.errors)
      const again = yield* the.run(["run", "--json", ...job])
      assert.deepStrictEqual([again.code, again.lines.map(said)], [0, []], again.errors)
      assert.strictEqual(fs.readFileSync(note, "utf8"), "once\n")
      const other = yield* the.run(["run", "--id", "row-18", "--", "sh", "-c", "exit 0"])
      assert.strictEqual(other.code, 2)
      assert.include(other.errors, "watch row-18 is another job: it has another command, so nothing was started")
      for (const words of [["status", "--all"], ["report"], ["report", "--format", "html"], []]) {
        const { lines } = yield* the.ask(words)
        assert.include(lines.join("\n").replaceAll("&#39;", "'"), "The night's build", words.join(" "))
      }
      assert.include((yield* the.ask(["status", "--all"])).lines[0] ?? "", "TITLE")
    })
  )
  live("a job that was given no title is called by its program and its first words, which are in no log", () =>
    Effect.gen(function* () {
      const the = yield* stage([long])
      fs.rmSync(the.comms)
      const run = the.start(["run", "--json", "--", ...agent])
      yield* prints(run, "WatchSettled")
      const lists = [["status"], ["status", "--json"], ["top"], ["top", "--json"], ["report"], [], ["--json"]]
      for (const words of lists) {
        const { lines } = yield* the.ask(words)
        assert.match(lines.join("\n"), /Mend the go/u, words.join(" "))
      }
      assert.notInclude((yield* the.ask(["log", "--json"])).lines.join("\n"), "gossamer")
      run.kill("SIGTERM")
      yield* run.ended
    })
  )
  live("what is out of its bounds is bad usage, and a preview says so too", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      for (const [words, why] of [
        [["--id", "row_17", "--", ...agent], 'an id is up to 100 letters, digits and "-"'],
        [["--permission", "bypassPermissions", "--", ...agent], "above MAX_EXTERNAL_PERMISSION (acceptEdits)"],
        [
          ["--permission", "acceptEdits", "--", ...agent, "--permission-mode", "bypassPermissions"],
          "the command asks for bypassPermissions, and the job may have acceptEdits at most"
        ],
        [["--permission", "acceptEdits", "--", "true"], "a plain command has no permission"],
        [["--label", "ticket", "--", ...agent], "--label must be NAME=VALUE"],
        [["--env", "STAGE=secret", "--", ...agent], "--env takes a name alone"],
        [["--env", "NOT_HERE", "--", ...agent], "--env NOT_HERE: there is no such variable here"],
        [["--env", "PATH", "--", ...agent], "the environment of a job must not name PATH"],
        [["--name", "x"], "--name is said where an agent begins"]
      ] as const)
        for (const dry of [[], ["--dry-run"]]) {
          const refused = yield* the.ask(["run", ...dry, ...words])
          assert.deepStrictEqual([refused.code, refused.lines], [2, []], words.join(" "))
          assert.include(refused.errors, why)
          assert.notInclude(refused.errors, "secret")
        }
      assert.deepStrictEqual((yield* the.ask(["status", "--json", "--all"])).lines, ["[]"])
    })
  )
})
