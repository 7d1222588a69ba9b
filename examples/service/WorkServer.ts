import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Souffleur } from "@souffleur/embed"
import { HostServices } from "@souffleur/node"
import { Roles, standardProviders } from "@souffleur/supervisor"
import { Effect, Layer, Stream } from "effect"
import { FetchHttpClient, HttpRouter } from "effect/http"
import { HttpApiBuilder, HttpApiError } from "effect/http-api"
import { Otlp, OtlpSerialization } from "effect/observability"
import { createServer } from "node:http"
import { fromProgress } from "./FromProgress.ts"
import { tinker } from "./TinkerKind.ts"
import { database, Work } from "./Work.ts"
import { WorkApi } from "./WorkApi.ts"

/** Answers 404 where souffleur does not know the name. Anything else is a fault of the server. */
const orNotFound = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catch(effect, (error) =>
    error._tag === "WatchNotFound" || error._tag === "PlanNotFound"
      ? Effect.fail(new HttpApiError.NotFound({}))
      : Effect.die(error)
  )

const handlers = (folder: string) =>
  HttpApiBuilder.group(
    WorkApi,
    "work",
    Effect.fnUntraced(function* (handlers) {
      const souffleur = yield* Souffleur
      const work = yield* Work
      return handlers.handleAll({
        start: ({ params, payload }) => work.start(params.id, payload),
        result: ({ params }) => orNotFound(souffleur.result(params.id)),
        events: ({ params }) => {
          const events = Stream.map(souffleur.events(params.id), ({ event }) => event)
          return Effect.as(orNotFound(souffleur.find(params.id)), Stream.orDie(events))
        },
        stop: ({ params }) => Effect.asVoid(orNotFound(souffleur.stop(params.id, { reason: "its customer asked" }))),
        conduct: () => work.conduct,
        plan: () => Effect.map(orNotFound(souffleur.planState({ project: `${folder}/book` })), ({ tasks }) => tasks)
      })
    })
  )

/** A service on loopback, with all that it keeps in a folder. Port 0: any that is free. `tell` gets the notices. */
export const layer = (folder: string, port: number, tell: (notice: string) => Effect.Effect<void>) => {
  const sql = Layer.provide(database(folder), HostServices.layer)
  const souffleur = Souffleur.layerNode({
    stateDir: `${folder}/state`,
    agent: tinker,
    environment: { ...process.env, TINKER_DIR: `${folder}/tinker` },
    // Jobs that are asked for at once begin at once.
    settings: { launchSpacing: "0 seconds" },
    sql,
    notices: () => Effect.succeed([{ name: "desk", words: false, send: ({ notice }) => tell(notice.text) }]),
    roles: Roles.layerWith([fromProgress, ...standardProviders])
  })
  return HttpRouter.serve(Layer.provide(HttpApiBuilder.layer(WorkApi), handlers(folder)), { disableLogger: true }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port })),
    // It listens when the work goes on, so that no request comes too early.
    Layer.provide(Work.layer(folder, tinker.program)),
    Layer.provide([souffleur, sql, HostServices.layer])
  )
}

if (import.meta.main) {
  // Spans, metrics and messages go where OTEL_EXPORTER_OTLP_ENDPOINT says.
  const telemetry = Layer.provide(Otlp.layerFromConfig(), [OtlpSerialization.layerJson, FetchHttpClient.layer])
  NodeRuntime.runMain(Layer.launch(Layer.provide(layer(process.cwd(), 8080, Effect.logInfo), telemetry)))
}
