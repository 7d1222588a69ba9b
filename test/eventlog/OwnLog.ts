import * as NodeServices from "@effect/platform-node/NodeServices"
import { EventLog } from "@souffleur/domain"
import {
  type Beats,
  EventLogSql,
  type LogUnusable,
  type Offspring,
  type Cursor,
  type SqliteUnusable,
  Store
} from "@souffleur/eventlog"
import { SqliteClient } from "@souffleur/node"
import { Effect, FileSystem, Layer } from "effect"
import type { SqlClient } from "effect/sql"

/** The log in a file, and the client under it, to look past the log. */
export const logAt = (
  path: string,
  options: EventLogSql.EventLogSqlOptions = {}
): Layer.Layer<EventLog | Beats | Offspring | Cursor | SqlClient.SqlClient, LogUnusable | SqliteUnusable> =>
  Layer.merge(EventLog.layerSql(options), EventLogSql.layerBeside(options)).pipe(
    Layer.provideMerge(SqliteClient.layerOwn({ path, ...Store })),
    Layer.provide(NodeServices.layer)
  )

/** A folder that is gone after the test. */
export const folder = Effect.flatMap(FileSystem.FileSystem, (fs) =>
  fs.makeTempDirectoryScoped({ prefix: "souffleur-log-" })
)

/** A log in a new file. */
export const newLog = Layer.unwrap(
  Effect.map(folder, (path) => logAt(`${path}/souffleur.db`, { pollEvery: "5 millis" }))
).pipe(Layer.provide(NodeServices.layer))
