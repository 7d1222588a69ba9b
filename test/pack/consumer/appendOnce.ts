import { EventLog } from "@souffleur/domain"
import { Store } from "@souffleur/eventlog"
import { HostServices, SqliteClient } from "@souffleur/node"
import { Console, Effect, Layer } from "effect"

const log = EventLog.layerSql().pipe(
  Layer.provide(SqliteClient.layerOwn({ path: `${process.cwd()}/state/souffleur.db`, ...Store })),
  Layer.provide(HostServices.layer)
)

const append = Effect.gen(function* () {
  const { append, read } = yield* EventLog
  yield* append("opera", 0, [{ _tag: "WatcherStarted", at: 0, watcher: 1, awaiting: false, mode: "normal" }])
  const events = yield* read("opera", 0)
  yield* Console.log(events.map(({ event, revision }) => `${revision} ${event._tag}`).join("\n"))
})

await Effect.runPromise(Effect.provide(append, log))
