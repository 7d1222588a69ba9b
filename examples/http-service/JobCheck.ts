import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, FileSystem, Layer, Schema, Stream } from "effect"
import { FetchHttpClient, HttpBody, HttpClient, HttpClientResponse, HttpServer } from "effect/http"
import { strictEqual } from "node:assert"
import * as JobServer from "./JobServer.ts"

const Created = Schema.Struct({ id: Schema.String })
const State = Schema.Struct({ generation: Schema.Int, end: Schema.String, count: Schema.String })

/** Asks the service for a job, as any client does. Returns its id. */
const start = Effect.gen(function* () {
  const body = yield* HttpBody.json({ words: "to be or not to be" })
  const created = yield* HttpClient.post("/jobs", { body })
  strictEqual(created.status, 201)
  return (yield* HttpClientResponse.schemaBodyJson(Created)(created)).id
})

/** Follows a job to its end. Returns how it ended. */
const follow = Effect.fn("follow")(function* (id: string) {
  yield* HttpClientResponse.stream(HttpClient.get(`/jobs/${id}/events`)).pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.filter((line) => line.startsWith("event: Owner") || line.startsWith("event: Conductor")),
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
  const id = yield* Effect.provide(start, service)
  // The server has ended before its job. The next one goes on with it.
  const { count, end, generation } = yield* Effect.provide(follow(id), service)
  yield* Console.log(`${count} words, ${end} in generation ${generation}`)
  strictEqual(`${count} ${end} ${generation}`, "6 completed 2")
})
await Effect.runPromise(check.pipe(Effect.provide(NodeServices.layer), Effect.scoped))
