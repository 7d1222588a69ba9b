import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { alive, until } from "./CliStage.ts"
import { first, git, theatre } from "./CliTheatre.ts"
import { live } from "./Live.ts"

describe.concurrent("behaviour#a-persons-word-to-a-run", () => {
  live("a conductor that dies after the word to stop at once leaves the agent to the command, which ends it", () =>
    Effect.gen(function* () {
      const the = yield* theatre({ millis: 0, tasks: {} }, first)
      const held = join(the.home, "claude", "craft", "task-001.implementer.held")
      fs.mkdirSync(dirname(held), { recursive: true })
      fs.writeFileSync(held, "")
      const conductor = the.start(["conduct", "plan.yaml", "--json"])
      const [launched] = yield* the.prints(conductor, "AgentLaunched")
      conductor.kill("SIGSTOP")
      const stop = the.start(["stop", "--now"])
      yield* until(the.ask(["conduct", "log"]), ({ lines }) => lines.join("\n").includes("stop"))
      assert.isTrue(alive(launched.process.pid))
      conductor.kill("SIGKILL")
      assert.strictEqual((yield* stop.ended).code, 0, stop.errors())
      assert.include(stop.lines.join("\n"), "has ended; it goes on with: ")
      assert.isFalse(alive(launched.process.pid))
    }).pipe(Effect.scoped)
  )
  live("a run whose conductor was killed in its gate is told to be stopped later, and at once with its programs", () =>
    Effect.gen(function* () {
      const the = yield* theatre({ millis: 0, tasks: {} }, `${first}verify: [[sh, pid.sh]]\n`)
      const pids = join(the.home, "pid")
      fs.writeFileSync(join(the.project, "pid.sh"), `echo $$ >> ${pids}\nexec sleep 300\n`)
      git(the.project, "add", "pid.sh")
      git(the.project, "commit", "-q", "-m", "gate")
      assert.strictEqual((yield* the.ask(["conduct", "plan", "plan.yaml", "--trust"])).code, 0)
      const conductor = the.start(["conduct", "plan.yaml", "--json"])
      const read = Effect.sync(() => (fs.existsSync(pids) ? Number(fs.readFileSync(pids, "utf8")) : 0))
      const pid = yield* until(read, (found) => found > 0)
      const later = yield* the.run(["stop"])
      assert.match(later.lines.join("\n"), /^run \S+ stops once its gate is over; /u, later.errors)
      conductor.kill("SIGKILL")
      yield* conductor.ended
      assert.isTrue(alive(pid))
      const now = yield* the.run(["stop", "--now"])
      assert.deepStrictEqual([now.code, alive(pid)], [0, false], now.errors)
    }).pipe(Effect.scoped)
  )
})
