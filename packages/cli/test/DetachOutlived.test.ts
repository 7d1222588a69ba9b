import { spawn } from "node:child_process"
import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { Event } from "@souffleur/domain"
import { FakeProcesses } from "@souffleur/testing"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { cli } from "../src/Cli.ts"
import { outlived } from "../src/watching/DetachedWatch.ts"
import { gone, place, services } from "./mcp/McpPlace.ts"

const at = 1000

/** The pid of a process that has ended, and that its parent never waits for. */
const zombie = Effect.acquireRelease(
  Effect.promise(async () => {
    const parent = spawn("/bin/sh", ["-c", "true & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] })
    const [pid] = (await once(parent.stdout, "data")) as [Buffer]
    return { parent, pid: Number(String(pid)) }
  }),
  ({ parent }) => Effect.sync(() => parent.kill("SIGKILL"))
)

describe("behaviour#detach", () => {
  it.live("a detached souffleur that nothing reaps has ended all the same", () =>
    Effect.gen(function* () {
      const { as, project, watch } = yield* place({ comms: false })
      yield* watch("w", [
        Event.WatchOpened.make({ at, project, comms: null, pid: gone.pid, sessionId: "unreaped", observe: false })
      ])
      const { pid } = yield* zombie
      const code = yield* Effect.match(cli(["resume", "w", "--project-dir", project]), {
        onFailure: (ended) => ended.code,
        onSuccess: () => 0
      }).pipe(as("", {}, ["/bin/sh", "-c", `echo ${pid}`]))
      assert.strictEqual(code, 1)
      assert.include((yield* TestConsole.logLines).join("\n"), `pid ${pid} ended before it watched`)
    }).pipe(Effect.provide([TestConsole.layer, services]))
  )
  it.effect("a souffleur that the first process of a container has started does not wait to outlive it", () => {
    const processes = new FakeProcesses()
    processes.ancestors = [1]
    return Effect.provide(outlived(1), processes.layer)
  })
})
