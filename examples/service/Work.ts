import { AlreadyWatched, Souffleur } from "@souffleur/embed"
import { SqliteClient } from "@souffleur/node"
import { Context, Duration, Effect, Exit, FileSystem, Layer, Schema, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { Job, WorkRefused } from "./WorkApi.ts"

const Order = Schema.Struct({ id: Schema.String, job: Schema.fromJsonString(Job) })

/** The orders of the customers, in a database of the app's own. */
export const database = (folder: string) =>
  SqliteClient.layerOwn({
    path: `${folder}/work.db`,
    applicationId: 0x776f726b,
    migrations: [["CREATE TABLE orders (id TEXT PRIMARY KEY, job TEXT NOT NULL, ended TEXT) STRICT"]]
  })

/** The work of this server. Each job and the plan go on to their end, by the next server where this one ends first. */
export class Work extends Context.Service<
  Work,
  {
    /** Starts a job, whose id is the caller's. The same id is the same job. */
    readonly start: (id: string, job: typeof Job.Type) => Effect.Effect<void, WorkRefused>
    /** Conducts the plan of the workshop's book. */
    readonly conduct: Effect.Effect<void, WorkRefused>
  }
>()("example/Work") {
  /** `agent`: the program of each job. */
  static readonly layer = (folder: string, agent: string) =>
    Layer.effect(
      Work,
      Effect.gen(function* () {
        const souffleur = yield* Souffleur
        const sql = yield* SqlClient.SqlClient
        const fs = yield* FileSystem.FileSystem
        const server = yield* Effect.scope

        /** Keeps work in a scope of its own until it ends, so that nothing is left of it then. */
        const keep = Effect.fnUntraced(function* (
          begins: Effect.Effect<Effect.Effect<unknown, Error>, Error, Scope.Scope>
        ) {
          const scope = yield* Scope.fork(server)
          const ended = yield* begins.pipe(
            Scope.provide(scope),
            Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
            // This server keeps it already.
            Effect.catchIf(
              (error) => error instanceof AlreadyWatched,
              () => Effect.succeed(Effect.void)
            ),
            Effect.mapError(({ message }) => new WorkRefused({ message }))
          )
          yield* ended.pipe(
            Effect.ignore({ log: "Error" }),
            Effect.onExit((exit) => Scope.close(scope, exit)),
            Effect.forkIn(server)
          )
        })

        const start = Effect.fn("Work.start")(function* (id: string, job: typeof Job.Type) {
          const { customer, prompt, title } = job
          const { seconds, tokens } = job.limits
          const project = `${folder}/${id}`
          yield* Effect.orDie(fs.makeDirectory(project, { recursive: true }))
          // The order is written first. Where the server dies before the job begins, the next one begins it.
          const row = yield* Effect.orDie(Schema.encodeEffect(Order)({ id, job }))
          yield* Effect.orDie(sql`INSERT OR IGNORE INTO orders ${sql.insert(row)}`)
          const begins = souffleur.run({
            id,
            title,
            project,
            command: [agent, prompt],
            labels: { customer },
            limits: { tokens, time: seconds === undefined ? undefined : Duration.seconds(seconds) }
          })
          const close = (end = "") => sql`UPDATE orders SET ended = ${end} WHERE id = ${id}`
          yield* keep(Effect.map(begins, ({ ended }) => Effect.flatMap(ended, ({ end }) => close(end))))
        })
        const conduct = keep(
          Effect.map(souffleur.conduct({ project: `${folder}/book`, plan: "plan.yaml" }), ({ awaitEnd }) => awaitEnd)
        )

        // The last server may have left some.
        const left = yield* sql`SELECT id, job FROM orders WHERE ended IS NULL`
        for (const { id, job } of yield* Schema.decodeUnknownEffect(Schema.Array(Order))(left))
          yield* Effect.ignore(start(id, job), { log: "Error" })
        return Work.of({ start, conduct })
      })
    )
}
