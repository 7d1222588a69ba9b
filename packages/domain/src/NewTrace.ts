import { Effect, Option, type Tracer } from "effect"

/** Makes no spans in an effect that repeats while a watch is at rest (spec: behaviour#spans-of-an-app). */
export const untraced = Effect.withTracerEnabled(false)

/** Returns the options of a span that begins a trace, with a link to the span that is the current one here. */
export const newTrace = (attributes: Readonly<Record<string, unknown>>) =>
  Effect.map(Effect.option(Effect.currentSpan), (began): Tracer.SpanOptions => ({
    root: true,
    attributes,
    links: Option.toArray(began).map((span) => ({ span, attributes: {} }))
  }))
