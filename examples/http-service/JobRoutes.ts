import { isEnd } from "@souffleur/domain"
import { Effect, Schema, Stream } from "effect"
import * as Sse from "effect/encoding/Sse"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { fileURLToPath } from "node:url"
import { Jobs } from "./Jobs.ts"

/** The words of a job, which are counted. */
const Job = Schema.Struct({ words: Schema.String })
const JobId = Schema.Struct({ id: Schema.String })

/** The program of each job. A caller gives it words, and never a command. */
const program = fileURLToPath(new URL("JobProgram.ts", import.meta.url))

/**
 * `POST /jobs` starts a job. `GET /jobs/:id` says how it is, and `GET /jobs/:id/events` streams what happens to it, from
 * its beginning to its end.
 */
export const layer = HttpRouter.use(
  Effect.fn("JobRoutes")(function* (router) {
    const jobs = yield* Jobs
    yield* router.add(
      "POST",
      "/jobs",
      Effect.gen(function* () {
        const { words } = yield* HttpServerRequest.schemaBodyJson(Job)
        const id = yield* jobs.run([process.execPath, program, words])
        return yield* HttpServerResponse.json({ id }, { status: 201 })
      })
    )
    yield* router.add(
      "GET",
      "/jobs/:id",
      Effect.gen(function* () {
        const { id } = yield* HttpRouter.schemaPathParams(JobId)
        const { end, generation, phase } = yield* jobs.state(id)
        if (phase === "New") return HttpServerResponse.empty({ status: 404 })
        return yield* HttpServerResponse.json({ phase, generation, end: end ?? null })
      })
    )
    yield* router.add(
      "GET",
      "/jobs/:id/events",
      Effect.gen(function* () {
        const { id } = yield* HttpRouter.schemaPathParams(JobId)
        const events = jobs.events(id).pipe(
          Stream.takeUntil(({ event }) => isEnd(event)),
          Stream.map(({ event, revision }) =>
            Sse.encoder.write({ _tag: "Event", event: event._tag, id: `${revision}`, data: JSON.stringify(event) })
          ),
          Stream.encodeText
        )
        return HttpServerResponse.stream(events, { contentType: "text/event-stream" })
      })
    )
  })
)
