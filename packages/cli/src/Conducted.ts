import { allRuns, type Run, RunLog } from "@souffleur/conductor"
import { Beats, Outbox, type ResolvedSettings, Settings, Store } from "@souffleur/domain"
import { SqliteClient } from "@souffleur/node"
import { Effect, Layer, Option, Path } from "effect"
import { agent, claims, host, launches } from "./App.ts"
import { BadUsage } from "./Failure.ts"

/** The runs in our own database, beside the watches. */
export const runs = (settings: ResolvedSettings) =>
  Layer.unwrap(
    Effect.map(Path.Path, (path) =>
      Layer.mergeAll(RunLog.layerSql, Beats.layerSql(Store.lockPatience), Outbox.layerSql(Store.lockPatience)).pipe(
        Layer.provide(SqliteClient.layerOwn({ ...Store, path: path.join(settings.stateDir, "souffleur.db") }))
      )
    )
  )

/** Everything that a run of a plan needs; its agents are headless: what they print is read. */
export const conductor = (settings: ResolvedSettings) =>
  Layer.mergeAll(runs(settings), agent(settings), claims, launches(settings), Layer.succeed(Settings, settings)).pipe(
    Layer.provideMerge(host)
  )

export interface NamedRun {
  readonly id: string
  readonly run: Run
}

/** A run by its id, or a folder's newest. */
export const findRun = Effect.fn("Conducted.find")(function* (name: Option.Option<string>, project: string) {
  const all = yield* allRuns
  const found = Option.match(name, {
    onNone: () => all.findLast(({ run }) => run.project === project),
    onSome: (id) => all.find((one) => one.id === id)
  })
  if (found !== undefined) return found
  return yield* new BadUsage({
    why: Option.match(name, {
      onNone: () => `no plan was conducted in ${project} yet: souffleur conduct PLAN`,
      onSome: (id) => `no run is called ${JSON.stringify(id.slice(0, 80))}: "souffleur conduct status --all" lists all`
    })
  })
})
