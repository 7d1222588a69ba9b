import { assert, describe, it } from "@effect/vitest"
import { Claims, EventLog, guardianOf, type Owner, Processes } from "@souffleur/domain"
import { layerStore } from "@souffleur/embed/internal"
import { Beats } from "@souffleur/eventlog"
import { HostServices } from "@souffleur/node"
import { RunLog } from "@souffleur/plan"
import { loadSettings } from "@souffleur/process"
import { Effect, FileSystem, Layer } from "effect"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { examples as runExamples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { agentKind } from "../src/agent/Kind.ts"
import { unlessAtWork } from "../src/uninstall/AtWork.ts"

const me = {
  self: { pid: 1, startTime: 1, bootId: "boot" },
  host: { name: "host", machine: "m", pidNamespace: "pid:[1]", uid: 1000 }
}

/** Asks about a watch `w` with its guardian and a run `r`, while these processes are alive. */
const asked = Effect.fnUntraced(function* (alive: ReadonlyArray<number>) {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-at-work-" }))
  const settings = yield* loadSettings({
    agent: agentKind,
    projectDir: home,
    environment: { HOME: home, SOUFFLEUR_STATE_DIR: `${home}/state` },
    flags: {}
  })
  const ownedBy = (pid: number): Owner => ({
    ...examples.OwnerTook.owner,
    process: { pid, startTime: 1, bootId: "boot" }
  })
  return yield* Effect.gen(function* () {
    yield* (yield* EventLog).append("w", 0, [examples.WatchOpened, { ...examples.OwnerTook, owner: ownedBy(11) }])
    yield* (yield* Beats).beat(guardianOf("w"), { by: "guardian/12/1/boot", at: 1 })
    yield* (yield* RunLog).append("run/r", 0, [runExamples.RunOpened, { ...runExamples.RunTaken, owner: ownedBy(13) }])
    return yield* Effect.match(unlessAtWork(), {
      onFailure: (error) => error.message.replace(/^.*?: /u, "").split("; "),
      onSuccess: () => []
    })
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        layerStore(settings),
        Layer.mock(Claims)({ self: ownedBy(1), isDead: ({ process }) => Effect.succeed(!alive.includes(process.pid)) }),
        Layer.mock(Processes)({
          ...me,
          condition: ({ pid }) => Effect.succeed(alive.includes(pid) ? "running" : "gone")
        })
      )
    )
  )
})

describe("command-line#uninstall", () => {
  it.layer(HostServices.layer)((it) => {
    it.effect("an uninstall is refused while a watch, its guardian or a run is at work, with what to do", () =>
      Effect.gen(function* () {
        const watch = "watch w is alive: souffleur release w"
        assert.deepStrictEqual(yield* asked([11]), [watch])
        assert.deepStrictEqual(yield* asked([12]), [watch])
        assert.deepStrictEqual(yield* asked([13]), ["run r is at work: end its conductor, pid 13"])
        assert.deepStrictEqual(yield* asked([11, 12, 13]), [watch, "run r is at work: end its conductor, pid 13"])
        assert.deepStrictEqual(yield* asked([]), [])
      })
    )
  })
})
