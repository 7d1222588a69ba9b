import { CommsSchema } from "@souffleur/comms"
import { Sqlite } from "@souffleur/eventlog"
import { Clock, Effect, FileSystem, Path, Schedule, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** `plan.json` in the project: the work of the stand-in. */
export const DemoPlan = Schema.fromJsonString(
  Schema.Struct({
    tasks: Schema.Array(
      Schema.Struct({
        id: Schema.NonEmptyString,
        /** The file that the finished task writes, relative to the project. */
        file: Schema.NonEmptyString,
        text: Schema.String,
        /** Milliseconds that the work takes. */
        millis: Schema.Natural
      })
    )
  })
)
/** A task of the plan that the demonstration works through. */
export type DemoTask = (typeof DemoPlan.Type.tasks)[number]

/** Other programs lock the file for moments only. The stand-in gives up after five minutes. */
const untilUnlocked = Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: "5 minutes" }))

/**
 * Opens the Conductor's list of tasks: the comms database of the project, with short single statements. Without a
 * database (solo), a task is done when its file exists.
 */
export const openStandInComms = Effect.fnUntraced(function* (project: string) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const sqlite = yield* Sqlite
  const path = paths.join(project, "comms.db")
  const solo = !(yield* files.exists(path))

  const ask = <A>(act: (sql: SqlClient.SqlClient, now: string) => Effect.Effect<ReadonlyArray<A>, SqlError.SqlError>) =>
    solo
      ? Effect.succeed<ReadonlyArray<A>>([])
      : Effect.gen(function* () {
          const now = CommsSchema.timeText(yield* Clock.currentTimeMillis)
          return yield* act(yield* sqlite.openForeign(path), now)
        }).pipe(
          Effect.scoped,
          Effect.retry({
            while: (error) =>
              error._tag === "SqlError" ? error.reason._tag === "LockTimeoutError" : error.reason === "locked",
            schedule: untilUnlocked
          })
        )

  return {
    conductor: (state: "working" | "complete" | "context_recovery", session: string) =>
      ask(
        (
          sql,
          now
        ) => sql`UPDATE orchestration_tasks SET state = ${state}, session_id = ${session}, last_heartbeat = ${now}
          WHERE task_id = 'task-00'`
      ),
    beat: ask((sql, now) => sql`UPDATE orchestration_tasks SET last_heartbeat = ${now} WHERE task_id = 'task-00'`),
    isDone: (task: DemoTask) =>
      solo
        ? files.exists(paths.resolve(project, task.file))
        : ask((sql) => sql`SELECT 1 FROM orchestration_tasks WHERE task_id = ${task.id} AND state = 'complete'`).pipe(
            Effect.map((rows) => rows.length > 0)
          ),
    claim: (task: DemoTask, session: string) =>
      ask(
        (
          sql,
          now
        ) => sql`INSERT INTO orchestration_tasks (task_id, state, worked_by, started_at) VALUES (${task.id}, 'working', ${session}, ${now})
          ON CONFLICT (task_id) DO UPDATE SET state = 'working', worked_by = ${session}, started_at = ${now}`
      ),
    complete: (task: DemoTask) =>
      ask(
        (sql, now) =>
          sql`UPDATE orchestration_tasks SET state = 'complete', completed_at = ${now} WHERE task_id = ${task.id}`
      )
  }
})
