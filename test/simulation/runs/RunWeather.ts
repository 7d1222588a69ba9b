import type { Seed } from "../Seed.ts"
import { minute } from "../Timeline.ts"
import { ofHost, storm } from "../Weather.ts"
import type { RunWorld } from "./RunWorld.ts"

/** The text of a foreign file. */
const foreign = '{"mine": true}'

/** Schedules the troubles that come by themselves in the world of a run. */
export const runWeather = (world: RunWorld, seed: Seed): void => {
  const { disk, repository } = world
  const clear = () => {
    disk.full = false
    world.gitFails = () => false
  }
  storm(world, seed, {
    troubles: {
      ...ofHost(world, seed),
      config: () => void (world.ceiling = seed.chance(0.5) ? "bypassPermissions" : "acceptEdits"),
      "disk full": () => void (disk.full = true),
      "git fails": () => void (world.gitFails = () => seed.chance(0.2)),
      changes: () => void repository.changed.add("README"),
      conflict: () => void repository.conflicts.add("README"),
      commit: () => {
        repository.moved++
        repository.commit(seed.pick([["person.ts"], ["index.ts"]]))
      },
      reset: () => {
        repository.moved++
        repository.back()
      },
      "base moves": () => {
        const from = seed.pick([...world.ledger.runs.values()])?.ownBranch?.from
        if (from === undefined || from === null || from === repository.branch) return
        repository.moved++
        repository.commit(seed.pick([["base.ts"], ["index.ts"]]), from)
      },
      "branch made": () => {
        const name = `${seed.pick(["souffleur", "feature"])}/${seed.pick(world.plans).plan.workflowId}`
        if (repository.head === null || repository.commitOf(name) !== null) return
        repository.moved++
        repository.set(name, repository.head)
      },
      "branch changed": () => {
        repository.moved++
        repository.checkOut(seed.pick([...repository.branches.keys(), repository.branch]))
      },
      "plan edited": () => seed.pick(world.plans).edit(seed),
      "state file spoiled": () =>
        seed.pick(world.plans).witness.spoil(seed.pick(["", '{"workflow_id": "pl', foreign, undefined]))
    },
    clear,
    lasts: () => seed.between(1000, (seed.chance(0.2) ? 20 : 3) * minute),
    pause: 4 * minute
  })
}
