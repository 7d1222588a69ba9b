import { Context, Effect, Layer, References, type Scope, Stream, Tracer } from "effect"

/** Puts `souffleur.` before the names of spans in the tracer of an app (spec: behaviour#spans-of-an-app). */
class OwnTracer implements Tracer.Tracer {
  readonly #app: Tracer.Tracer
  readonly context: Tracer.Tracer["context"]
  constructor(app: Tracer.Tracer) {
    this.#app = app
    this.context = app.context?.bind(app)
  }
  span(options: Parameters<Tracer.Tracer["span"]>[0]) {
    return this.#app.span({ ...options, name: `souffleur.${options.name}` })
  }
}

const ownTracer = Effect.map(Effect.tracer, (app) => (app instanceof OwnTracer ? app : new OwnTracer(app)))

/** The services of an app, with the tracer that the app gave them, under the span of each caller. */
const underCaller = <R>(services: Context.Context<R>): Context.Context<R> =>
  Context.omit(Tracer.ParentSpan, References.TracerSpanAnnotations)(services) as Context.Context<R>

/** Provides its services to an effect of souffleur, whose spans get the prefix. */
export const ownSpans =
  <R>(services: Context.Context<R>) =>
  <A, E, R2>(effect: Effect.Effect<A, E, R2>): Effect.Effect<A, E, Exclude<R2, R>> =>
    Effect.flatMap(ownTracer, (tracer) => Effect.withTracer(effect, tracer)).pipe(
      Effect.provideContext(underCaller(services))
    )

/** Does the same for a stream. */
export const ownSpansOfStream =
  <R>(services: Context.Context<R>) =>
  <A, E, R2>(stream: Stream.Stream<A, E, R2>): Stream.Stream<A, E, Exclude<R2, R>> =>
    Stream.unwrap(Effect.map(ownTracer, (tracer) => Stream.provideService(stream, Tracer.Tracer, tracer))).pipe(
      Stream.provideContext(underCaller(services))
    )

/**
 * Builds a layer outside of every trace. Its services would keep the trace of this call else, and replace that of each
 * later use.
 */
export const builtApart = <A, E, R>(
  layer: Layer.Layer<A, E, R>
): Effect.Effect<Context.Context<A>, E, R | Scope.Scope> =>
  Effect.updateContext(
    Layer.build(layer),
    (services: Context.Context<R | Scope.Scope>) =>
      Context.omit(Tracer.Tracer)(underCaller(services)) as Context.Context<R | Scope.Scope>
  )

interface Of {
  readonly project: string
  readonly watch?: string
  /** The id of a plan's run. */
  readonly plan?: string
}

const attributesOf = ({ plan, project, watch }: Of) => ({
  "souffleur.project": project,
  ...(watch === undefined ? {} : { "souffleur.watch": watch }),
  ...(plan === undefined ? {} : { "souffleur.plan": plan })
})

/** Says in each span of an effect which project, and which watch or plan, it is of, as far as they are known. */
export const spansOf = (of: Of) => Effect.annotateSpans(attributesOf(of))

/** Says so in the span that is the current one. */
export const spanOf = (of: Of) => Effect.annotateCurrentSpan(attributesOf(of))
