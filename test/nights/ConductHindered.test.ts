import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { bundle, until } from "../cli/CliStage.ts"
import { first, linesOf, theatre } from "../cli/CliTheatre.ts"

/** A notify command that keeps what it is told. */
const notifying = (home: string) => {
  const file = join(home, "told")
  const write = 'const fs = require("node:fs"); fs.appendFileSync(process.argv[1], fs.readFileSync(0))'
  const told = () => linesOf(file).map((line): { kind: string; text: string; run?: string } => JSON.parse(line))
  return { told, variables: { SOUFFLEUR_NOTIFY: `command:${JSON.stringify([process.execPath, "-e", write, file])}` } }
}
const hide = (project: string) => fs.renameSync(join(project, ".git"), join(project, "hidden"))
const bringBack = (project: string) => fs.renameSync(join(project, "hidden"), join(project, ".git"))

describe("behaviour#git", () => {
  describe.concurrent("a conductor that cannot go on", () => {
    it.live("a conductor hindered by git ends with 1, and tells its log, the notify command, comms and status", () =>
      Effect.gen(function* () {
        const the = yield* theatre(
          { millis: 0, tasks: { "task-001": { implementer: ["hang"], reviewer: ["approve"] } } },
          first
        )
        const { told, variables } = notifying(the.home)
        const one = the.start(["conduct", "plan.yaml", "--json", "--implementer-timeout", "1 millis"], variables)
        yield* the.prints(one, "AgentLaunched")
        hide(the.project)
        const { code } = yield* one.ended
        assert.strictEqual(code, 1, one.errors())
        assert.match(one.errors(), /is paused: put this right: .*git could not tell/u)
        assert.deepStrictEqual(
          told().map(({ kind }) => kind),
          ["paused"]
        )
        assert.match(told()[0]!.text, /it cannot go on: .*git could not tell/u)
        assert.match(JSON.stringify(the.messages()), /it cannot go on: .*git could not tell/u)
        const status = JSON.parse((yield* the.run(["conduct", "status", "--json"])).lines.join("\n"))
        assert.deepInclude(status, { standing: "paused: it cannot go on" })
      }).pipe(Effect.scoped)
    )

    it.live(
      "a hindered conductor under a watch waits, even before its start, and goes on by itself without another start",
      () =>
        Effect.gen(function* () {
          const the = yield* theatre({ millis: 0, tasks: {} }, first)
          const { told, variables } = notifying(the.home)
          const held = join(the.home, "claude", "craft", "task-001.implementer.held")
          fs.mkdirSync(dirname(held), { recursive: true })
          fs.writeFileSync(held, "")
          const before = the.start(["conduct", "plan.yaml", "--json"], variables)
          const [launched] = yield* the.prints(before, "AgentLaunched")
          before.kill("SIGKILL")
          yield* before.ended
          process.kill(launched.process.pid, "SIGKILL")
          fs.rmSync(held)
          hide(the.project)
          const watch = the.start(
            ["run", "--no-guardian", "--json", "--", process.execPath, bundle, "conduct", "plan.yaml"],
            variables
          )
          yield* until(
            Effect.sync(() => told().filter(({ run }) => run !== undefined)),
            (all) => all.length > 0
          )
          assert.match(told().find(({ run }) => run !== undefined)!.text, /it cannot go on: .*git/u)
          bringBack(the.project)
          assert.strictEqual((yield* watch.ended).code, 0, watch.errors())
          const tags = watch.lines.map((line) => JSON.parse(line)._tag)
          assert.notIncludeMembers(tags, ["ConductorDied", "ConductorRelaunched"])
        }).pipe(Effect.scoped)
    )

    it.live("a conductor whose log cannot be written still tells a person", () =>
      Effect.gen(function* () {
        const the = yield* theatre(
          { millis: 0, tasks: { "task-001": { implementer: ["hang"], reviewer: ["approve"] } } },
          first
        )
        const { told, variables } = notifying(the.home)
        const one = the.start(["conduct", "plan.yaml", "--json"], variables)
        const [launched] = yield* the.prints(one, "AgentLaunched")
        const store = new DatabaseSync(join(the.home, "state", "souffleur.db"), { timeout: 5000 })
        store.exec("ALTER TABLE events RENAME TO lost")
        store.close()
        process.kill(launched.process.pid, "SIGKILL")
        assert.strictEqual((yield* one.ended).code, 4, one.errors())
        assert.match(told().at(-1)?.text ?? "", /it cannot go on: the event log cannot be used/u)
        assert.match(JSON.stringify(the.messages()), /it cannot go on: the event log cannot be used/u)
      }).pipe(Effect.scoped)
    )
  })
})
