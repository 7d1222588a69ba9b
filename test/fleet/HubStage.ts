import { type FleetBatch, type FleetEvent, type LogMark, markAfter } from "@souffleur/fleet"
import { HubStore, layerPostgres } from "@souffleur/hub"
import { Context, Effect, Layer } from "effect"
import { postgresServer } from "./PostgresServer.ts"

/** The Postgres of a test file. */
export class Server extends Context.Service<Server, Effect.Success<typeof postgresServer>>()("test/Server") {
  static readonly layer = Layer.effect(Server, postgresServer)
}

export const log = "0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1"
export const other = "5f1f0f62-3b58-4d6e-8f0b-7f3b8a4f7d22"
export const who = { host: "build1", machine: "m1", takesWords: true }
/** An event of a log, at a position. */
export const eventAt = (position: number, data = `{"n":${position}}`): FleetEvent => [
  position,
  "app-1",
  position,
  "WatchOpened",
  1,
  1_790_000_000_000 + position,
  data
]

/** A batch of events that follow a mark. */
export const batchOf = (after: LogMark, ...events: ReadonlyArray<FleetEvent>) =>
  Effect.map(markAfter(after, events), ({ digest }): FleetBatch => ({ after, digest, events, now: 1_790_000_000_000 }))

/** A store in a database of its own. */
export const fresh = Effect.gen(function* () {
  const server = yield* Server
  const database = yield* server.database
  const store = Context.get(yield* Layer.build(layerPostgres(database.url)), HubStore)
  return { store, name: database.name, url: database.url, query: (sql: string) => server.query(sql, database.name) }
})

/** A store with one enrolled host and its log. */
export const begun = Effect.gen(function* () {
  const all = yield* fresh
  yield* all.store.enrol("one")
  yield* all.store.begin("one", log, who)
  return all
})
