import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, FileSystem, Layer, Schema, Stream } from "effect"
import { FetchHttpClient, HttpBody, HttpClient, HttpClientResponse, HttpServer } from "effect/http"
import { strictEqual } from "node:assert"
import * as JobServer from "./JobServer.ts"

const Created = Schema.Struct({ id: Schema.String })
const State = Schema.Struct({ phase: Schema.String, generation: Schema.Int, end: Schema.NullOr(Schema.String) })

/** Asks the service for a job, as any client does, and follows it to its end. */
const client = Effect.gen(function* () {
  const body = yield* HttpBody.json({ words: "to be or not to be" })
  const created = yield* HttpClient.post("/jobs", { body })
  strictEqual(created.status, 201)
  const { id } = yield* HttpClientResponse.schemaBodyJson(Created)(created)
  yield* HttpClientResponse.stream(HttpClient.get(`/jobs/${id}/events`)).pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.filter((line) => line.startsWith("event: Conductor")),
    Stream.runForEach(Console.log)
  )
  return yield* Effect.flatMap(HttpClient.get(`/jobs/${id}`), HttpClientResponse.schemaBodyJson(State))
})

const check = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "jobs-" })
  const service = HttpServer.layerTestClient.pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provideMerge(JobServer.layer(folder, 0))
  )
  const { end, generation } = yield* Effect.provide(client, service)
  const count = yield* fs.readFileString(`${folder}/count`)
  yield* Console.log(`${count} words, ${end} in generation ${generation}`)
  strictEqual(`${count} ${end} ${generation}`, "6 completed 2")
})
await Effect.runPromise(check.pipe(Effect.provide(NodeServices.layer), Effect.scoped))
