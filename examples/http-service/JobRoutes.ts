import { Souffleur } from "@souffleur/embed"
import { Effect, FileSystem, Option, Path, Schema, Stream } from "effect"
import * as Sse from "effect/encoding/Sse"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { fileURLToPath } from "node:url"
import { Jobs } from "./Jobs.ts"

const Job = Schema.Struct({ words: Schema.String })
const JobId = Schema.Struct({ id: Schema.String })

/** The program of each job, which counts words. A caller gives it words, and never a command. */
const program = fileURLToPath(new URL("JobProgram.ts", import.meta.url))

const notFound = () => Effect.succeed(HttpServerResponse.empty({ status: 404 }))

/**
 * `POST /jobs` starts a job in a folder of its own. `GET /jobs/:id` says how it is, and `GET /jobs/:id/events` streams
 * what happens to it, from its beginning to its end.
 */
export const layer = (folder: string) =>
  HttpRouter.use(
    Effect.fn("JobRoutes")(function* (router) {
      const souffleur = yield* Souffleur
      const jobs = yield* Jobs
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path

      yield* router.add(
        "POST",
        "/jobs",
        Effect.gen(function* () {
          const { words } = yield* HttpServerRequest.schemaBodyJson(Job)
          const project = yield* fs.makeTempDirectory({ directory: folder, prefix: "job-" })
          const id = yield* jobs.start({ project, command: [process.execPath, program, words] })
          return yield* HttpServerResponse.json({ id }, { status: 201 })
        })
      )
      yield* router.add(
        "GET",
        "/jobs/:id",
        Effect.gen(function* () {
          const { id } = yield* HttpRouter.schemaPathParams(JobId)
          const { end = null, generation, phase, project } = yield* souffleur.state(id)
          const count = Option.getOrNull(yield* Effect.option(fs.readFileString(path.join(project, "count"))))
          return yield* HttpServerResponse.json({ phase, generation, end, count })
        }).pipe(Effect.catchTag("WatchNotFound", notFound))
      )
      yield* router.add(
        "GET",
        "/jobs/:id/events",
        Effect.gen(function* () {
          const { id } = yield* Effect.flatMap(HttpRouter.schemaPathParams(JobId), ({ id }) => souffleur.find(id))
          const events = souffleur.events(id).pipe(
            Stream.map(({ event, revision }) =>
              Sse.encoder.write({ _tag: "Event", event: event._tag, id: `${revision}`, data: JSON.stringify(event) })
            ),
            Stream.encodeText
          )
          return HttpServerResponse.stream(events, { contentType: "text/event-stream" })
        }).pipe(Effect.catchTag("WatchNotFound", notFound))
      )
    })
  )
