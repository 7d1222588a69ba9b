import { Words } from "@souffleur/domain"
import type { NamedWatch } from "@souffleur/embed"
import {
  findWatch,
  layerHost,
  layerStoreReading,
  otlpTarget,
  partSince,
  recoveriesOf,
  sendTraces,
  traceData,
  traceOf,
  watchChanges,
  watchesSince
} from "@souffleur/embed/internal"
import { Clock, Console, Effect, Layer, Option, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { withProgressLine } from "../explain/Progress.ts"
import { BadUsage, Ended } from "../Failure.ts"
import { printJson } from "../Printing.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { json, projectDir, sinceOf, utcFlag, watchName, zoneOf } from "./Options.ts"
import { withLayers } from "./ProjectCommand.ts"

/** Reads the traces of a watch's recoveries that ended since a time. */
const tracesOf = Effect.fnUntraced(function* ({ id, watch }: NamedWatch, since: number) {
  const { before, events } = yield* partSince(id, watch.revision, since)
  const over = recoveriesOf(watchChanges(events, before)).filter(({ to }) => to !== null && to >= since)
  return yield* Effect.forEach(over, (recovery) => traceOf(id, recovery))
})

/** Exports the recoveries of the log as OpenTelemetry traces (spec: command-line#traces). */
export const tracesCommand = Command.make(
  "traces",
  {
    watch: watchName,
    projectDir,
    since: Flag.String("since").pipe(Flag.withDescription("How far back, such as 8h"), Flag.withDefault("12h")),
    utc: utcFlag,
    json
  },
  Effect.fnUntraced(function* (flags) {
    const { variables } = yield* Environment
    const since = yield* sinceOf(flags.since, yield* Clock.currentTimeMillis, yield* zoneOf(flags))
    const target = otlpTarget(variables, "traces", true)
    if (Result.isFailure(target)) return yield* new BadUsage({ message: target.failure })
    const asked = Option.isSome(flags.watch)
      ? [yield* findWatch(flags.watch.value)]
      : (yield* watchesSince(since)).filter(({ unreadable }) => unreadable === undefined)
    const traces = (yield* Effect.forEach(asked, (one) => tracesOf(one, since))).flat()
    if (flags.json)
      return yield* printJson(traceData(target.success ?? { service: "souffleur", attributes: {} }, traces.flat()))
    const collector = target.success
    if (collector === null)
      return yield* Console.error("Nothing is exported: OTEL_SDK_DISABLED or OTEL_TRACES_EXPORTER says so.")
    const sent = yield* Effect.result(
      withProgressLine("exporting")(Effect.forEach(traces, (spans) => sendTraces(collector, spans), { discard: true }))
    )
    if (Result.isFailure(sent)) {
      yield* Console.error(
        `souffleur: ${sent.failure.message} (${new URL(collector.url).origin}): is OTEL_EXPORTER_OTLP_ENDPOINT right?`
      )
      return yield* new Ended({ code: 1 })
    }
    yield* Console.log(`${Words.count(traces.length)} ${traces.length === 1 ? "recovery" : "recoveries"} exported`)
  })
).pipe(withLayers((settings) => Layer.merge(layerStoreReading(settings), layerHost)))
