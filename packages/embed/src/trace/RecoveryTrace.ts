import { digestOf, type Recorded, type Watch } from "@souffleur/domain"
import { Effect } from "effect"
import type { OtlpTracer } from "effect/observability"
import { type Recovery, recoveriesOf, type StepStretch } from "../timeline/Recoveries.ts"
import { watchChanges } from "../timeline/WatchChange.ts"
import type { NamedWatch } from "../watching/FindWatch.ts"
import { isWhole, searched } from "../timeline/WatchPast.ts"

type OtlpSpan = OtlpTracer.ScopeSpan["spans"][number]

/** One span, as OTLP has it. */
export interface Span extends OtlpSpan {}

/** Hex digits of the ids of a trace and of a span (W3C Trace Context). */
const [traceDigits, spanDigits] = [32, 16]

/** The codes of OTLP: of an internal span, and of a good, a bad and an unset status. */
const [internal, ok, bad, unset] = [1, 1, 2, 0] as const

const bads: ReadonlySet<Recovery["outcome"]> = new Set(["failed closed", "withheld", "exhausted", "untaken"])

const nanos = (millis: number): string => `${Math.max(0, millis)}000000`

type Value = string | number | null | undefined

const attributesOf = (values: Readonly<Record<string, Value>>) =>
  Object.entries(values).flatMap(([name, value]) =>
    value === null || value === undefined
      ? []
      : [
          {
            key: `souffleur.${name}`,
            value: typeof value === "number" ? { intValue: value } : { stringValue: value }
          }
        ]
  )

const eventOf = (name: string, at: number) => ({
  name,
  timeUnixNano: nanos(at),
  attributes: [],
  droppedAttributesCount: 0
})

/** A part of a trace, whose times are epoch milliseconds. */
interface Part {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly values: Readonly<Record<string, Value>>
  readonly events: ReadonlyArray<readonly [name: string, at: number]>
  readonly status: Span["status"]
}

const spanOf = (
  { events, from, name, status, to, values }: Part,
  ids: Pick<Span, "traceId" | "spanId" | "parentSpanId">
): Span => ({
  ...ids,
  name,
  kind: internal,
  startTimeUnixNano: nanos(from),
  // A clock that went back makes no span that ends before it begins.
  endTimeUnixNano: nanos(Math.max(from, to)),
  attributes: attributesOf(values),
  droppedAttributesCount: 0,
  events: events.map(([name, at]) => eventOf(name, at)),
  droppedEventsCount: 0,
  status,
  links: [],
  droppedLinksCount: 0
})

/** Names a recovery of a watch. It says the same to each souffleur that reads the log. */
const keyOf = (id: string, { from, revision }: Recovery): string => `${id}/${revision}/${from}`

const idOf = (words: string, digits: number) => Effect.map(digestOf(words), (hex) => hex.slice(0, digits))

/** Returns the id of the trace of a recovery. */
export const traceIdOf = (id: string, recovery: Recovery): Effect.Effect<string> =>
  idOf(keyOf(id, recovery), traceDigits)

const statusOf = (outcome: Recovery["outcome"]): Span["status"] =>
  outcome !== null && bads.has(outcome)
    ? { code: bad, message: outcome }
    : { code: outcome === "taken" || outcome === "launched" ? ok : unset }

const stepPart = ({ attempt, from, outcome, step, to }: StepStretch, end: number): Part => ({
  name: step,
  from,
  to: to ?? end,
  values: { attempt, outcome: outcome ?? "lost" },
  events: [],
  status:
    outcome === "done"
      ? { code: ok }
      : { code: bad, message: outcome === "failed" ? "failed" : "souffleur was gone: the log has no outcome" }
})

/** Returns the spans of a recovery that is over, its root first. `id`: the watch. */
export const traceOf = Effect.fn("traceOf")(function* (id: string, recovery: Recovery) {
  const { contextTokens, cycle, from, launchedAt, outcome, provider, revision, steps, takenOver, trigger } = recovery
  const to = recovery.to ?? from
  const traceId = yield* traceIdOf(id, recovery)
  const parentSpanId = yield* idOf(`${keyOf(id, recovery)}/recovery`, spanDigits)
  const root = spanOf(
    {
      name: "recovery",
      from,
      to,
      values: { watch: id, cycle, revision, trigger, outcome, provider, context_tokens: contextTokens },
      events: [
        ...takenOver.map((at) => ["another souffleur took the watch", at] as const),
        ...(launchedAt === null ? [] : [["launched", launchedAt] as const])
      ],
      status: statusOf(outcome)
    },
    { traceId, spanId: parentSpanId, parentSpanId: undefined }
  )
  const children = yield* Effect.forEach(steps, (step, n) =>
    Effect.map(idOf(`${keyOf(id, recovery)}/${n}`, spanDigits), (spanId) =>
      spanOf(stepPart(step, to), { traceId, spanId, parentSpanId })
    )
  )
  return [root, ...children]
})

/**
 * Returns the recovery that a decision of a watch belongs to; `undefined`: it belongs to none. `before`: the state
 * before the first event, where these are a part.
 */
export const recoveryAt = (events: ReadonlyArray<Recorded>, at: number, before?: Watch): Recovery | undefined =>
  recoveriesOf(watchChanges(events, before)).findLast(({ from, to }) => from <= at && at <= (to ?? at))

/** Returns the id of the trace that has a decision of a watch; `null`: none has it. Fails as the log does. */
export const traceOfDecision = Effect.fnUntraced(function* ({ id, watch }: NamedWatch, { event, revision }: Recorded) {
  const recovery = yield* searched({ id, newest: watch.revision, around: revision }, (part) =>
    isWhole(part, revision) ? (recoveryAt(part.events, event.at, part.before) ?? null) : undefined
  )
  return recovery === undefined || recovery === null ? null : yield* traceIdOf(id, recovery)
})
