import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Event, EventLog } from "@souffleur/domain"
import { Processes as ProcessesPort } from "@souffleur/domain"
import { Processes } from "@souffleur/node"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { logAt } from "../eventlog/OwnLog.ts"
import { first, git, theatre } from "../cli/CliTheatre.ts"

describe.concurrent("a conductor beside another", () => {
  describe("behaviour#run-in-comms", () => {
    it.live("a conductor leaves the row of a watched Conductor alone, and says so", () =>
      Effect.gen(function* () {
        const the = yield* theatre({ millis: 0, tasks: {} }, first)
        const { host, self } = yield* Effect.provide(ProcessesPort, Processes.layer)
        // A live souffleur, which is this process, watches the Conductor of that comms.
        const at = Date.UTC(2026, 0, 5)
        const owner = { host: host.name, machine: host.machine, pidNamespace: host.pidNamespace, process: self }
        const state = join(the.home, "state")
        fs.mkdirSync(state, { recursive: true, mode: 0o700 })
        yield* Effect.flatMap(EventLog, (log) =>
          log.append("opera-1", 0, [
            Event.WatchOpened.make({
              at,
              project: the.project,
              comms: the.comms,
              pid: 4711,
              sessionId: "s1",
              observe: false,
              process: null
            }),
            Event.OwnerTook.make({ at, fence: 1, owner })
          ])
        ).pipe(
          Effect.provide(logAt(join(state, "souffleur.db"))),
          Effect.provide(NodeServices.layer),
          Effect.scoped,
          Effect.orDie
        )
        const { code, errors } = yield* the.run(["conduct", "plan.yaml"])
        assert.strictEqual(code, 0, errors)
        assert.match(errors, /watch opera-1 follows a Conductor by .*comms\.db: its row task-00 is left alone/u)
        assert.deepInclude(the.row("task-00"), { state: "working" })
        assert.deepInclude(the.row("task-001"), { state: "complete" })
        assert.isNull(
          the.commsDb((db) =>
            db.prepare("SELECT last_heartbeat FROM orchestration_tasks WHERE task_id = 'task-00'").get()
          )?.["last_heartbeat"]
        )
      }).pipe(Effect.scoped)
    )
  })

  describe("behaviour#run", () => {
    it.live("a second conductor of the same work tree is refused, whatever its folder, plan and state folder", () =>
      Effect.gen(function* () {
        const the = yield* theatre(
          { millis: 0, tasks: { "task-001": { implementer: ["hang"], reviewer: ["approve"] } } },
          first
        )
        const [a, b] = [join(the.project, "pkg", "a"), join(the.project, "pkg", "b")]
        for (const folder of [a, b]) {
          fs.mkdirSync(folder, { recursive: true })
          fs.writeFileSync(join(folder, "plan.yaml"), first)
          fs.copyFileSync(join(the.project, "craft.json"), join(folder, "craft.json"))
        }
        git(the.project, "commit", "-q", "--allow-empty", "-m", "packages")
        const one = the.start(["conduct", "plan.yaml", "--json"], {}, a)
        yield* the.prints(one, "AgentLaunched")
        for (const state of ["state", "another"]) {
          const other = yield* the.run(["conduct", "plan.yaml"], { SOUFFLEUR_STATE_DIR: join(the.home, state) }, b)
          assert.strictEqual(other.code, 3, other.errors)
        }
        one.kill("SIGTERM")
        yield* one.ended
      }).pipe(Effect.scoped)
    )
  })
})
