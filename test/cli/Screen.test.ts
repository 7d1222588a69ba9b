import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { bundle, prints, stage, task, until } from "./CliStage.ts"

const ours = (errors: string) => errors.split("\n").filter((line) => line.startsWith("▸ "))
/** Leaves the time of day out. */
const told = (line: string) => line.replace(/^▸ \d\d:\d\d:\d\d /u, "")

describe("command-line#screen", () => {
  it.live("a killed agent's recovery is four lines on standard error, and its answer is on standard output", () =>
    Effect.gen(function* () {
      const the = yield* stage([task(1, 50), task(2, 50)])
      fs.rmSync(the.comms)
      const agent = join(the.home, "claude-code", "claude")
      fs.mkdirSync(join(the.home, "claude-code"))
      const life = "[ -e lived ] || { touch lived; export SOUFFLEUR_STANDIN_HANG_AT=2; }"
      // The stand-in does not know the flag of the hooks.
      const settings = '[ "${1#--settings=}" = "$1" ] || shift'
      fs.writeFileSync(
        agent,
        `#!/bin/sh\n${life}\n${settings}\nexec '${process.execPath}' '${bundle}' __stand-in "$@"\n`,
        {
          mode: 0o755
        }
      )
      const run = the.start(["run", "--no-guardian", "--", agent, "-p", "Work. The stage word is gossamer."])
      const [id] = yield* until(
        Effect.map(the.ask(["status", "--json"]), ({ lines }) =>
          JSON.parse(lines.join("\n")).map(({ watch }: { watch: string }) => watch)
        ),
        ({ length }) => length > 0
      )
      const launched = yield* until(Effect.sync(the.launched), ({ length }) => length > 0)
      yield* until(
        Effect.sync(() =>
          the.sessions().some((file) => the.conversation(file.split("/").at(-1)!).includes("scene-2.txt"))
        ),
        (yes) => yes
      )
      process.kill(launched[0]!, "SIGKILL")
      assert.strictEqual((yield* run.ended).code, 0, run.errors())
      const lines = ours(run.errors()).map(told)
      assert.lengthOf(lines, 5, run.errors())
      assert.strictEqual(lines[0], `the agent runs (pid ${launched[0]}) as ${id}`)
      assert.match(lines[1]!, /^the agent died: it ended by SIGKILL/u)
      assert.match(lines[2]!, /^brought back \(pid \d+\): /u)
      assert.match(lines[3]!, /goes on/u)
      assert.strictEqual(lines[4], "the agent stopped; nothing confirms that its work is done")
      assert.notMatch(run.errors(), /Conductor|fence|self-monitor|\bS1\b/u)
      assert.deepStrictEqual(run.lines, ["Every task of the plan is complete."])
      // The answer is in no event, and status shows it.
      assert.include((yield* the.ask(["status", id])).lines.join("\n"), "Every task of the plan is complete.")
      assert.notInclude(JSON.stringify(yield* the.events), "Every task")
    })
  )

  it.live("the output of a command is streamed byte for byte into a pipe, and --verbose tells each event", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      fs.rmSync(the.comms)
      const script = 'printf "\\033[31mred\\033[0m\\n"; until [ -e go ]; do sleep 0.05; done; printf torn'
      const run = the.start(["run", "--no-guardian", "--verbose", "--", "/bin/sh", "-c", script])
      yield* until(
        Effect.sync(() => run.lines.length),
        (count) => count > 0
      )
      assert.deepStrictEqual(run.lines, ["\u001B[31mred\u001B[0m"])
      fs.writeFileSync(join(the.project, "go"), "")
      assert.strictEqual((yield* run.ended).code, 0, run.errors())
      for (const words of ["owns the watch", "Self-monitor 1 starts", "The command completed."])
        assert.include(run.errors(), words)
      const json = the.start(["run", "--no-guardian", "--json", "--", "/bin/sh", "-c", "echo secret"])
      yield* prints(json, "ConductorCompleted")
      assert.notInclude(json.lines.join("\n"), "secret")
    })
  )
})
