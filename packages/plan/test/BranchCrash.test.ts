import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { TrustedFiles } from "@souffleur/process"
import { FakeGit } from "@souffleur/testing"
import { Context, Effect, FileSystem, Layer, Path } from "effect"
import { Disk } from "../../../test/simulation/SimulatedDisk.ts"
import { GitPort, isRunOver } from "../src/index.ts"
import { approves, complete, planOf, stage } from "./PlanStage.ts"

/** Files in memory. */
const files = Layer.effectContext(
  Effect.sync(() => {
    const disk = new Disk(() => 0)
    const fileSystem = FileSystem.FileSystem.of({
      ...disk.fileSystem,
      makeTempDirectoryScoped: () => Effect.succeed("/folder"),
      writeFileString: (path, text) => Effect.sync(() => disk.write(path, text))
    })
    return Context.make(FileSystem.FileSystem, fileSystem).pipe(Context.add(TrustedFiles, disk.trusted))
  })
)

/** A run with a branch of its own that is merged, in a repository in memory. */
const playing = Effect.gen(function* () {
  const fake = new FakeGit()
  const git = yield* Effect.provide(
    Effect.flatMap(GitPort, ({ open }) => open("/project", () => [])),
    [fake.layer, HostServices.layer]
  ).pipe(Effect.orDie)
  const scene = yield* stage({ ...planOf("t1", "t2"), branch: "auto", finish: { _tag: "Merge" } }, git, "/project", {
    implementer: [() => Effect.sync(() => (fake.commit("a.ts"), complete))],
    reviewer: [() => Effect.succeed(approves)]
  })
  return { ...scene, fake }
})

describe("behaviour#branch", () => {
  it.live("a kill at any moment leaves one branch with each commit once, and the base has them at the end", () =>
    Effect.gen(function* () {
      for (let moment = 1; ; moment += 1) {
        const play = yield* playing
        const crashed = yield* play.abandonedAt(moment)
        const run = yield* play.conducts
        const here = `killed at moment ${moment}`
        assert.isTrue(isRunOver(run), `${here}: ${JSON.stringify([run.paused, run.finishingFailure])}`)
        assert.deepStrictEqual(run.delivered, { _tag: "Merged", into: "main" }, here)
        assert.deepStrictEqual([play.fake.branch, ...play.fake.others.keys()], ["main", "souffleur/play"], here)
        assert.lengthOf(play.fake.commits, 3, here)
        assert.deepStrictEqual(play.fake.others.get("souffleur/play"), play.fake.commits, here)
        assert.lengthOf(play.asked, 4, here)
        if (!crashed) return assert.isAbove(moment, 30)
      }
    }).pipe(Effect.scoped, Effect.provide([files, Path.layer]))
  )
})
