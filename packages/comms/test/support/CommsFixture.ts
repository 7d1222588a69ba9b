import * as NodeServices from "@effect/platform-node/NodeServices"
import { Comms } from "@souffleur/domain"
import { SqliteClient } from "@souffleur/node"
import { Effect, FileSystem, Layer, Path } from "effect"
import { DatabaseSync } from "node:sqlite"
import { CommsSqlite, CommsTables } from "../../src/index.ts"

export type Journal = "DELETE" | "WAL"

export const services = Layer.provideMerge(SqliteClient.layerSqlite, NodeServices.layer)

/** Opens another program's connection to the same file: the Conductor's, which does not wait for locks. */
export const theirs = (path: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(path, { timeout: 0 })),
    (db) => Effect.sync(() => db.isOpen && db.close())
  )

export const withRows =
  "INSERT INTO orchestration_tasks (task_id, state) VALUES ('task-00', 'working'), ('souffleur', 'watching')"

export const tempPath = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  return path.join(yield* files.makeTempDirectoryScoped(), "comms.db")
})

/** Makes a comms file as the Conductor does, with the Conductor's connection. */
export const fixture = Effect.fnUntraced(function* (
  journal: Journal,
  ddl: ReadonlyArray<string> = Object.values(CommsTables.tables)
) {
  const path = yield* tempPath
  const db = yield* theirs(path)
  db.exec(`PRAGMA journal_mode = ${journal}`)
  for (const statement of ddl) db.exec(statement)
  return { path, db }
})

/** Runs `act` with the port over the file. */
export const withComms = <A, E, R>(path: string, act: (comms: Comms["Service"]) => Effect.Effect<A, E, R>) =>
  Comms.use(act).pipe(Effect.provide(CommsSqlite.layer(path)))
