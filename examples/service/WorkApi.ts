import { WatchEvent } from "@souffleur/embed"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiError, HttpApiGroup, HttpApiSchema } from "effect/http-api"

/** A job as its customer orders it. */
export const Job = Schema.Struct({
  customer: Schema.String,
  title: Schema.String,
  prompt: Schema.String,
  limits: Schema.Struct({ seconds: Schema.optionalKey(Schema.Finite), tokens: Schema.optionalKey(Schema.Int) })
})

/** souffleur, or the service, refuses what was asked for. `message` says what to do. */
export class WorkRefused extends Schema.TaggedError<WorkRefused>()("WorkRefused", { message: Schema.String }) {}

const refused = WorkRefused.pipe(HttpApiSchema.status(409))
const error = HttpApiError.NotFoundNoContent
/** The id of the caller's. It is the name of a folder too. */
const params = { id: Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9-]{0,60}$/u)) }

export class WorkApi extends HttpApi.make("work").add(
  HttpApiGroup.make("work", { topLevel: true }).add(
    HttpApiEndpoint.put("start", "/jobs/:id", { params, payload: Job, error: refused }),
    HttpApiEndpoint.get("result", "/jobs/:id", {
      params,
      success: Schema.Struct({
        end: Schema.NullOr(Schema.String),
        words: Schema.String,
        used: Schema.Struct({ tokens: Schema.Finite })
      }),
      error
    }),
    HttpApiEndpoint.get("events", "/jobs/:id/events", {
      params,
      success: HttpApiSchema.StreamSse({ data: WatchEvent }),
      error
    }),
    HttpApiEndpoint.delete("stop", "/jobs/:id", { params, error }),
    HttpApiEndpoint.put("conduct", "/plan", { error: refused }),
    HttpApiEndpoint.get("plan", "/plan", {
      success: Schema.Array(Schema.Struct({ id: Schema.String, status: Schema.String })),
      error
    })
  )
) {}
