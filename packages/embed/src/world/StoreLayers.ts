import { CommsErrand } from "@souffleur/comms"
import { Comms, EventLog, type ResolvedSettings } from "@souffleur/domain"
import { Beats, Cursor, EventLogSql, LogUnusable, Offspring, type SqliteUnusable, Store } from "@souffleur/eventlog"
import { Processes as NodeProcesses, SqliteClient, TrustedFiles } from "@souffleur/node"
import { RunLog } from "@souffleur/plan"
import { Effect, FileSystem, Layer, Path } from "effect"
import { FirstTitles, firstTitlesIn } from "../jobs/JobTitle.ts"
import { Installation } from "./Installation.ts"

const orUnusable = <A, R>(database: Layer.Layer<A, SqliteUnusable, R>) =>
  Layer.catchTag(database, "SqliteUnusable", (error) => Layer.effectContext(Effect.fail(LogUnusable.ofFile(error))))

/** Opens the file of our own database. Fails with `LogUnusable`. */
export const layerDatabase = (path: string) => orUnusable(SqliteClient.layerOwn({ ...Store, path }))

/** Follows the file of our own database, and cannot write it. Fails with `LogUnusable`. */
export const layerDatabaseFollowing = (path: string) => orUnusable(SqliteClient.layerFollowing({ ...Store, path }))

/** The logs of watches and runs, with what is kept beside them, in any SQLite database. */
export const layerLogs = Layer.mergeAll(EventLog.layerSql(), RunLog.layerSql, EventLogSql.layerBeside())

/** The titles of jobs that were given none, for every list of them. */
export const layerTitles = ({ stateDir }: Pick<ResolvedSettings, "stateDir">) =>
  Layer.succeed(FirstTitles, firstTitlesIn(stateDir))

/** Empty logs, which are kept nowhere. */
const layerNoLogs = Layer.mergeAll(
  EventLog.layerMemory,
  RunLog.layerMemory,
  Beats.layerMemory,
  Cursor.layerMemory,
  Offspring.layerMemory
)

/** Opens our own database with the logs of watches and runs, beats and cursor. It is made where there is none. */
export const layerStore = (settings: ResolvedSettings) =>
  Layer.unwrap(
    Effect.map(Effect.andThen(TrustedFiles.stateFolder(settings.stateDir), Path.Path), (path) =>
      Layer.provide(layerLogs, layerDatabase(path.join(settings.stateDir, "souffleur.db")))
    )
  ).pipe(Layer.merge(layerTitles(settings)))

/**
 * The logs of watches and runs as they are now, for a look that changes nothing. It makes no state folder. Where there
 * is no log, this one is empty. Fails with `LogUnusable`.
 */
export const layerStoreReading = ({ stateDir }: ResolvedSettings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = (yield* Path.Path).join(stateDir, "souffleur.db")
      if (!(yield* Effect.orElseSucceed(fs.exists(path), () => false))) return layerNoLogs
      return Layer.provide(layerLogs, orUnusable(SqliteClient.layerReading({ ...Store, path })))
    })
  ).pipe(Layer.merge(layerTitles({ stateDir })))

/** Returns the comms database of a project. `null`: its file does not exist. */
export const commsIn = Effect.fnUntraced(function* (project: string) {
  const fs = yield* FileSystem.FileSystem
  const file = (yield* Path.Path).join(project, "comms.db")
  return (yield* Effect.orElseSucceed(fs.exists(file), () => false)) ? file : null
})

/**
 * Fails with `CommsUnavailable` where a file is not a usable comms database. A lock passes, and is no
 * failure.
 */
export const refuseUnsoundComms = (file: string) =>
  Effect.catchIf(
    CommsErrand.sound(file),
    ({ reason }) => reason === "locked",
    () => Effect.void
  )

/** Opens the comms of one watch. `null`: solo. */
export const layerComms = (path: string | null) =>
  path === null
    ? Comms.layerSolo
    : Layer.unwrap(
        Effect.map(Installation, ({ comms }) => (comms === undefined ? CommsErrand.layer(path) : comms(path)))
      )

/** Opens comms as an agent itself uses it. */
export const layerCommsLink = CommsErrand.layerLink

/** The processes of this host. Fails with `ProcessesUnavailable` where processes cannot be told apart. */
export const layerHost = NodeProcesses.layer
