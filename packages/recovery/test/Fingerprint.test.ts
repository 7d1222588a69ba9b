import { assert, describe, it } from "@effect/vitest"
import { LaunchSlots } from "@souffleur/eventlog"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem } from "effect"
import { exportProvider, recovery, smallHandoff } from "../src/index.ts"
import { crashingLog, recovering } from "./CrashingLog.ts"
import { type Change, closedAt } from "./Cycles.ts"
import { worldLayer, worldOf } from "./RecoveryWorld.ts"

type Ours = typeof exportProvider | typeof smallHandoff
type Files = FileSystem.FileSystem

/** Runs a recovery by one provider, with `meanwhile` done to the export right before its launch. */
const launchedFrom = Effect.fnUntraced(function* (
  provider: Ours,
  change: Change,
  meanwhile: (path: string, fs: Files) => Effect.Effect<unknown, unknown>
) {
  const fs = yield* FileSystem.FileSystem
  const stateDir = yield* fs.makeTempDirectoryScoped()
  const world = worldOf({ pid: 4711, parent: 1 })
  const log = yield* crashingLog(recovering(change))
  const ref = yield* log.ref()
  const tampering = Effect.gen(function* () {
    const [name] = yield* fs.readDirectory(`${stateDir}/exports`)
    yield* meanwhile(`${stateDir}/exports/${name}`, fs)
  }).pipe(Effect.orDie)
  yield* recovery(ref, yield* ref.state, [provider]).pipe(
    Effect.provide(worldLayer(world, stateDir)),
    Effect.provideService(LaunchSlots, () => tampering)
  )
  const events = yield* log.events
  const launched = world.did.filter((what) => what.startsWith("launch"))
  return {
    launched,
    last: closedAt(events.findLast(({ _tag }) => _tag !== "WatcherStarted")),
    log: JSON.stringify(events),
    left: yield* fs.readDirectory(`${stateDir}/exports`)
  }
})

const tampered: Readonly<Record<string, (path: string, fs: Files) => Effect.Effect<unknown, unknown>>> = {
  "was changed, in a word of the same length": (path, fs) => fs.writeFileString(path, "# Export\nHELLO\n"),
  "was truncated": (path, fs) => fs.writeFileString(path, "# Exp"),
  grew: (path, fs) => fs.writeFileString(path, "# Export\nhello\nand more\n"),
  "is a link to the same words": (path, fs) =>
    Effect.andThen(fs.rename(path, `${path}.real`), fs.symlink(`${path}.real`, path)),
  "others may look into": (path, fs) => fs.chmod(path, 0o640),
  "is gone": (path, fs) => fs.remove(path)
}

const providers: ReadonlyArray<readonly [Ours, Change]> = [
  [exportProvider, {}],
  [smallHandoff, { trigger: "context" }]
]

describe("behaviour#claude_export", () => {
  describe("an export, right before the launch that names it", () => {
    for (const [provider, change] of providers) {
      for (const [what, meanwhile] of Object.entries(tampered))
        it.effect(`${provider.name}: an export that ${what} is not launched from`, () =>
          Effect.gen(function* () {
            const { last, launched } = yield* launchedFrom(provider, change, meanwhile)
            assert.deepStrictEqual(launched, [])
            assert.isArray(last)
            assert.match(last![1]!, /the export (cannot be used|was changed)/u)
          }).pipe(Effect.provide(HostServices.layer))
        )
      it.effect(`${provider.name}: the log has the digest of the export, and none of its words`, () =>
        Effect.gen(function* () {
          const { last, launched, log } = yield* launchedFrom(provider, change, () => Effect.void)
          assert.deepStrictEqual([launched, last], [["launch 5000"], "ConductorRelaunched"])
          assert.match(log, /"digest":"[0-9a-f]{64}"/u)
          assert.notInclude(log, "hello")
        }).pipe(Effect.provide(HostServices.layer))
      )
    }
  })
})
