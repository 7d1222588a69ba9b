import { RunLog } from "@souffleur/plan"
import { EventLog, Settings } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { loadSettings } from "@souffleur/process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Path } from "effect"
import { TestClock } from "effect/testing"
import { claudeCode } from "@souffleur/agents"
import { examples as runExamples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { sweep } from "../src/keeping/Leftovers.ts"
import { layerStore } from "../src/world/StoreLayers.ts"

const now = 1_772_366_400_000
const minutes = (count: number) => new Date(now - count * 60_000)

/**
 * Sweeps a state folder with these launch files, each of that age in minutes. Its log has one watch and one run at
 * work, and one of each that has ended.
 */
const swept = Effect.fnUntraced(function* (files: Readonly<Record<string, number>>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const home = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-leftovers-" })
  const settings = yield* loadSettings({
    agent: claudeCode,
    projectDir: home,
    environment: { HOME: home, SOUFFLEUR_STATE_DIR: path.join(home, "state") },
    flags: {}
  })
  const folder = path.join(settings.stateDir, "launches")
  yield* TestClock.setTime(now)
  return yield* Effect.gen(function* () {
    yield* (yield* EventLog).append("alive-1", 0, [examples.WatchOpened])
    yield* (yield* EventLog).append("ended-1", 0, [examples.WatchOpened, examples.WatchReleased])
    yield* (yield* RunLog).append("run/alive", 0, [runExamples.RunOpened])
    yield* (yield* RunLog).append("run/ended", 0, [
      runExamples.RunOpened,
      runExamples.RunVerified,
      runExamples.RunFinished
    ])
    yield* fs.makeDirectory(folder, { mode: 0o700 })
    for (const [name, age] of Object.entries(files)) {
      if (name.startsWith(".new-")) yield* fs.makeDirectory(path.join(folder, name))
      yield* fs.writeFileString(
        path.join(folder, name, ...(name.startsWith(".new-") ? ["input"] : [])),
        "SECRET=topsecret"
      )
      yield* fs.utimes(path.join(folder, name), minutes(age), minutes(age))
    }
    yield* sweep()
    return (yield* fs.readDirectory(folder)).toSorted()
  }).pipe(Effect.provide(Layer.mergeAll(layerStore(settings), Layer.succeed(Settings, settings))))
})

describe("behaviour#secrets", () => {
  it.layer(HostServices.layer)((it) => {
    it.effect("launch files of killed processes are removed, except those that a watch or a run may still need", () =>
      Effect.gen(function* () {
        const kept = [
          "alive-1-g1-launch-1.kept",
          "alive-1-g2-launch-2.json",
          "run-alive-3-1.json",
          "x-1-g1-launch-1.out",
          "x-1-g1-launch-1.receipt"
        ]
        const gone = [
          "nobody-1-g1-launch-1.kept",
          "nobody-1-g1-launch-1.json",
          "ended-1-g1-launch-1.kept",
          "run-ended-1-1.json",
          ".new-abcdef"
        ]
        const all = Object.fromEntries([...kept, ...gone].map((name) => [name, 11]))
        assert.deepStrictEqual(yield* swept(all), kept.toSorted())
      })
    )
    it.effect("a launch file that is not in the log yet stays for ten minutes", () =>
      Effect.gen(function* () {
        const names = ["nobody-1-g1-launch-1.json", "nobody-1-g1-launch-1.kept", ".new-abcdef"]
        assert.deepStrictEqual(yield* swept(Object.fromEntries(names.map((name) => [name, 9]))), names.toSorted())
      })
    )
  })
})
