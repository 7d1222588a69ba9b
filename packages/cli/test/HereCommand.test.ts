import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { Event } from "@souffleur/domain"
import { place, services, watching } from "./mcp/McpPlace.ts"
import { printed, printedAt } from "./Printed.ts"

/** Fields 22 and on of stat(5) begin behind the name, which may hold spaces. */
const startTime = (stat: string) => stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]!

describe("command-line#without-a-command", () => {
  it.layer(services)((it) => {
    it.effect(
      "souffleur alone says what is watched, what is not, and the command to type next; it makes no folder",
      () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const the = yield* place({ comms: false })
          const home = the.stateDir.slice(0, -"/state".length)
          const here = { HOME: home, PATH: "/usr/bin:/bin", SOUFFLEUR_STATE_DIR: the.stateDir }

          const nothing = yield* printed(the.project, here)
          assert.strictEqual(nothing[0], "Nothing is watched; no agent runs unwatched.")
          assert.isFalse(yield* fs.exists(the.stateDir))
          const another = { ...here, SOUFFLEUR_AGENT_COMMAND: '["mine","--key","SECRET"]' }
          assert.include(yield* printed(the.project, another), '  souffleur run -- mine "do it"')

          // By its pid file the process of this test is an agent, and no watch follows it.
          yield* fs.makeDirectory(`${home}/.claude/sessions`, { recursive: true })
          const procStart = startTime(yield* fs.readFileString(`/proc/${process.pid}/stat`))
          const said = { pid: process.pid, sessionId: "s-new", cwd: home, procStart, status: "idle", updatedAt: 1 }
          yield* fs.writeFileString(`${home}/.claude/sessions/${process.pid}.json`, JSON.stringify(said))
          yield* the.watch("opera-1", watching({ project: the.project, comms: null }))
          const found = yield* printed(the.project, here)
          assert.strictEqual(found[0], "1 watch, 1 needs you; 1 agent runs unwatched.")
          const resume = found.indexOf("  souffleur resume opera-1")
          const watch = found.indexOf(`  souffleur watch --pid ${process.pid} --session-id s-new --project-dir ${home}`)
          assert.isTrue(0 < resume && resume < watch, found.join("\n"))
          assert.strictEqual(found[resume + 1]?.trim(), "opera-1: no souffleur looks after it")

          const told = JSON.parse((yield* printed(the.project, here, "--json")).join("\n"))
          assert.deepInclude(told.jobs[0], {
            kind: "watch",
            id: "opera-1",
            state: "needs you",
            standing: "unwatched: its souffleur is gone"
          })
          assert.deepInclude(told.agents[0], { pid: process.pid, session_id: "s-new" })
          assert.strictEqual(told.next[0].next, "souffleur resume opera-1")

          // The agent whose tool calls this is watched by a souffleur that outlives it.
          const parent = { ...said, pid: process.ppid, sessionId: "s-parent" }
          const started = startTime(yield* fs.readFileString(`/proc/${process.ppid}/stat`))
          yield* fs.writeFileString(
            `${home}/.claude/sessions/${process.ppid}.json`,
            JSON.stringify({ ...parent, procStart: started })
          )
          assert.include(
            (yield* printed(the.project, here)).join("\n"),
            `souffleur watch --detach --pid ${process.ppid} --session-id s-parent`
          )
          yield* fs.remove(`${home}/.claude/sessions/${process.ppid}.json`)

          yield* the.watch("opera-2", watching({ project: the.project, comms: null }))
          const two = yield* printed(the.project, here)
          assert.include(two, "  souffleur resume --all")
          assert.notInclude(two, "  souffleur resume opera-1")

          // A night that has failed is shown until a person has looked.
          const failed = Event.RetriesExhausted.make({ at: 3000, trigger: "pid", cycle: 1, exportPath: null })
          const over = Event.ConductorCompleted.make({ at: 3000, by: "agent" })
          yield* the.watch("failed-1", [...watching({ project: the.project, comms: null }), failed])
          yield* the.watch("over-1", [...watching({ project: the.project, comms: null }), over])
          const after = yield* printed(the.project, here)
          assert.strictEqual(
            after[0],
            "2 watches, 2 need you; 2 ended since you looked, 1 failed; 1 agent runs unwatched."
          )
          const ended = after.indexOf("ENDED SINCE YOU LOOKED")
          assert.match(after[ended + 1] ?? "", /^ {2}failed-1 +ended: failed: three ends without progress +\//u)
          assert.match(after[ended + 2] ?? "", /^ {2}over-1 +ended: completed +\//u)
          assert.include(after, "  souffleur why failed-1")
          assert.notInclude(after, "  souffleur why over-1")
          yield* printedAt({ cwd: the.project, variables: here, interactive: true }, "status")
          assert.strictEqual((yield* printed(the.project, here))[0], "2 watches, 2 need you; 1 agent runs unwatched.")

          // A session that a watch has followed is watched.
          yield* the.watch("opera-1", [Event.SessionIdFound.make({ at: 2000, watcher: 1, sessionId: "s-new" })])
          assert.lengthOf(JSON.parse((yield* printed(the.project, here, "--json")).join("\n")).agents, 0)
        })
    )
  })
})
