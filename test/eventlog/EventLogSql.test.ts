import { SqliteClient } from "@effect/sql-sqlite-node"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { EventLog } from "@souffleur/domain"
import { Store } from "@souffleur/eventlog"
import { Effect, Layer } from "effect"
import { eventLogSuite } from "../../packages/domain/test/EventLogSuite.ts"
import { folder, newLog } from "./OwnLog.ts"

eventLogSuite("SQLite", newLog)

eventLogSuite(
  "the database of an app",
  Layer.unwrap(
    Effect.map(folder, (path) =>
      EventLog.layerSql({ pollEvery: "5 millis" }).pipe(
        Layer.provide(Store.layerMigrated()),
        Layer.provide(SqliteClient.layer({ filename: `${path}/app.db` }))
      )
    )
  ).pipe(Layer.provide(NodeServices.layer))
)
