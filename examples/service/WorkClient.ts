import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, FileSystem, Layer, Schedule, Stream, Tracer } from "effect"
import { FetchHttpClient, HttpServer } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { deepStrictEqual } from "node:assert"
import { execFileSync } from "node:child_process"
import { WorkApi } from "./WorkApi.ts"
import * as WorkServer from "./WorkServer.ts"

const plan = {
  workflow_id: "book",
  finish: "none",
  tasks: ["prologue", "story", "epilogue"].map((id) => ({
    id,
    title: "Write it",
    acceptance_criteria: `${id}.txt is there`
  }))
}

/** Makes the repository of the book, with its plan. */
const bind = Effect.fn("bind")(function* (book: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(book)
  yield* fs.writeFileString(`${book}/plan.yaml`, JSON.stringify(plan))
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-C", book, "-c", "user.name=A", "-c", "user.email=a@localhost", ...args])
  git("init", "-q", "-b", "main")
  git("commit", "-q", "--allow-empty", "-m", "An empty book")
})

const job = { customer: "Ada", limits: {} }
const counting = { params: { id: "counts" }, payload: { ...job, title: "Counts", prompt: "Count to 5, and stumble." } }
const order = Effect.flatMap(HttpApiClient.make(WorkApi), (client) => client.start(counting))

/** Is a client of the service, over HTTP. Returns what it saw. */
const use = Effect.gen(function* () {
  const client = yield* HttpApiClient.make(WorkApi)
  /** Follows a job to its end. Returns who recovered it, and its result. */
  const follow = Effect.fn("follow")(function* (id: string) {
    const providers = yield* Stream.unwrap(client.events({ params: { id } })).pipe(
      Stream.tap(({ _tag }) => Console.log(`${id}: ${_tag}`)),
      Stream.filter((event) => event._tag === "ConductorRelaunched"),
      Stream.map(({ provider }) => provider),
      Stream.runCollect
    )
    return { providers, ...(yield* client.result({ params: { id } })) }
  })

  const endless = { ...job, title: "Counts on", prompt: "Count to 1000000." }
  yield* client.start({ params: { id: "cancelled" }, payload: endless })
  yield* client.start({ params: { id: "limited" }, payload: { ...endless, limits: { seconds: 3 } } })
  yield* client.conduct()

  const counts = yield* follow("counts")
  yield* client.stop({ params: { id: "cancelled" } })
  const cancelled = yield* follow("cancelled")
  const limited = yield* follow("limited")
  const tasks = yield* Effect.repeat(client.plan(), {
    until: (tasks) => tasks.length === 3 && tasks.every(({ status }) => status === "completed"),
    schedule: Schedule.spaced("100 millis")
  })
  return { counts, ends: [cancelled.end, limited.end], tasks: tasks.length }
})

const check = Effect.gen(function* () {
  const folder = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped({ prefix: "work-" })
  yield* bind(`${folder}/book`)
  const told: Array<string> = []
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const tell = (notice: string) =>
    Effect.andThen(
      Console.log(`notice: ${notice}`),
      Effect.sync(() => void told.push(notice))
    )
  const service = HttpServer.layerTestClient.pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provideMerge(WorkServer.layer(folder, 0, tell)),
    Layer.provide(Layer.succeed(Tracer.Tracer, tracer))
  )
  yield* Effect.provide(order, service)
  // The server has ended before its job. The client asks the next one for the same job, which goes on.
  yield* Effect.provide(order, service)
  const { counts, ends, tasks } = yield* Effect.provide(use, service)
  const traced = new Set(spans.flatMap(({ attributes }) => attributes.get("souffleur.watch") ?? []))
  const lines = [
    `${counts.words} ${counts.end}, ${counts.used.tokens} tokens, recovered by ${counts.providers.join(", ")}`,
    `${ends.join(", ")}, ${tasks} tasks of a plan, ${told.length > 0 ? "notices" : "no notice"}, ${traced.size} jobs traced`
  ]
  yield* Console.log(lines.join("\n"))
  deepStrictEqual(lines, [
    "I counted to 5. unconfirmed, 60 tokens, recovered by from_progress",
    "stopped, limit reached, 3 tasks of a plan, notices, 3 jobs traced"
  ])
})
await Effect.runPromise(check.pipe(Effect.provide(NodeServices.layer), Effect.scoped))
