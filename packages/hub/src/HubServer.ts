import {
  EnrolledHost,
  FleetApi,
  FleetAuthorization,
  maxRequestBytes,
  OperatorOnly,
  PersonAtHub,
  PersonAuthorization,
  TokenRefused
} from "@souffleur/fleet"
import { ByteSize, Effect, Layer, Option, RcMap, Semaphore } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { fleetNumbers } from "./HubNumbers.ts"
import { HubPeople } from "./people/HubPeople.ts"
import { HubProjection } from "./HubProjection.ts"
import { HubStore } from "./HubStore.ts"
import { HubWords } from "./HubWords.ts"

/** Requests of one host that are answered together. Each has up to 32 MB, and a shipper has two. */
const together = 4

/**
 * Knows a host by its token (spec: fleet#tokens). Its further requests wait unread, so its bodies fill no memory. A
 * turn or a body may come late, so the token is looked at once more after them.
 */
const layerAuthorization = Layer.effect(
  FleetAuthorization,
  Effect.gen(function* () {
    const store = yield* HubStore
    const turns = yield* RcMap.make({ lookup: (_host: string) => Semaphore.make(together) })
    return FleetAuthorization.of({
      bearer: Effect.fnUntraced(function* (answer, { credential }) {
        const known = Effect.flatMap(
          store.hostOf(credential),
          Option.match({ onNone: () => new TokenRefused(), onSome: Effect.succeed })
        )
        const { arrayBuffer } = yield* HttpServerRequest.HttpServerRequest
        const turn = yield* RcMap.get(turns, yield* known)
        // A body that cannot be read is refused by the answer.
        const late = Effect.andThen(Effect.ignore(arrayBuffer), known)
        return yield* turn.withPermits(1)(Effect.provideServiceEffect(answer, EnrolledHost, late))
      }, Effect.scoped)
    })
  })
)

/** The most bytes of a request of a person. */
const maxPersonBytes = ByteSize.bytes(65_536)

/** Knows a person by their token (spec: fleet#people). */
const layerPersonAuthorization = Layer.effect(
  PersonAuthorization,
  Effect.map(HubPeople, (people) =>
    PersonAuthorization.of({
      bearer: Effect.fnUntraced(function* (answer, { credential }) {
        const person = yield* people.personOf(credential)
        if (Option.isNone(person)) return yield* new TokenRefused()
        return yield* Effect.provideService(answer, PersonAtHub, person.value).pipe(
          Effect.provideService(HttpIncomingMessage.MaxBodySize, maxPersonBytes)
        )
      })
    })
  )
)

/** Answers the hosts from the store. */
const layerHandlers = HttpApiBuilder.group(
  FleetApi,
  "logs",
  Effect.fn(function* (handlers) {
    const store = yield* HubStore
    const words = yield* HubWords
    return handlers.handleAll({
      begin: ({ params, payload }) => Effect.flatMap(EnrolledHost, (host) => store.begin(host, params.log, payload)),
      look: ({ params }) => Effect.flatMap(EnrolledHost, (host) => store.look(host, params.log)),
      append: ({ params, payload }) => Effect.flatMap(EnrolledHost, (host) => store.append(host, params.log, payload)),
      fork: ({ params }) => Effect.flatMap(EnrolledHost, (host) => store.fork(host, params.log)),
      words: ({ params }) => Effect.flatMap(EnrolledHost, (host) => words.waiting(host, params.log)),
      answer: ({ params, payload }) =>
        Effect.flatMap(EnrolledHost, (host) => words.answer(host, params.log, params.word, payload))
    })
  })
)

/** Shows the fleet to people, and takes the words of operators. */
const layerView = HttpApiBuilder.group(
  FleetApi,
  "fleet",
  Effect.fn(function* (handlers) {
    const { counts, view } = yield* HubProjection
    const { logs } = yield* HubStore
    const words = yield* HubWords
    return handlers.handleAll({
      view: () => view,
      metrics: () => Effect.zipWith(logs, counts, fleetNumbers),
      say: Effect.fnUntraced(function* ({ params, payload }) {
        const person = yield* PersonAtHub
        return person.role === "operator" ? yield* words.say(params.word, person, payload) : yield* new OperatorOnly()
      }),
      word: ({ params }) => words.standing(params.word)
    })
  })
)

/** Refuses a request that is too large while it is read. */
const bounded = Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxRequestBytes))

/** Answers by the contract. */
const contract = HttpApiBuilder.layer(FleetApi).pipe(
  Layer.provide(layerHandlers),
  Layer.provide(layerView),
  Layer.provide(layerAuthorization),
  Layer.provide(layerPersonAuthorization),
  Layer.provide(HttpServer.layerServices)
)

/** Serves {@link layerHub} with more routes, such as a page. */
export const layerHubWith = <E, R>(routes: Layer.Layer<never, E, R>) =>
  HttpRouter.serve(Layer.merge(contract, routes), {
    disableListenLog: true,
    disableLogger: true,
    middleware: bounded
  })

/**
 * Serves the hub to its hosts. It keeps nothing between two requests, so there may be several on one database. Each
 * folds with {@link layerProjector}. Parts such as {@link layerSentinel} are done in one of them alone, and need
 * {@link layerHubCluster}.
 *
 * @example
 * ```ts
 * import { layerHub, layerPostgres } from "@souffleur/hub"
 * import { HostHashing } from "@souffleur/node"
 * import * as LoopbackServer from "@souffleur/node/loopback"
 * import { Layer, Redacted } from "effect"
 *
 * declare const database: Redacted.Redacted
 * const hub = layerHub.pipe(
 *   Layer.provide(layerPostgres(database)),
 *   Layer.provide(HostHashing.layer),
 *   Layer.provide(LoopbackServer.layer({ port: 7434 })),
 *   Layer.launch
 * )
 * ```
 */
export const layerHub = layerHubWith(Layer.empty)
