import { mutantsOf } from "./Mutant.ts"

const trace = "packages/embed/test/RecoveryTrace.test.ts"
const teller = "packages/embed/test/TraceTeller.test.ts"
const numbers = "packages/embed/test/MetricsTeller.test.ts"

/** Mutants of the traces of recoveries: their ids, their spans, and the ways to a collector. */
export const traceMutants = [
  ...mutantsOf(
    "packages/embed/src/trace/RecoveryTrace.ts",
    [trace],
    [
      ["trace: an id of its own", "`${id}/${revision}/${from}`", "`${id}`"],
      ["trace: no end before the begin", "nanos(Math.max(from, to))", "nanos(to)"],
      ["trace: what failed is an error", "outcome !== null && bads.has(outcome)", "false"],
      [
        "trace: a lost step is an error",
        'outcome === "done" ? { code: ok } :',
        "outcome !== 'failed' ? { code: ok } :"
      ],
      [
        "trace: one trace for all spans",
        "spanOf(stepPart(step, to), { traceId, spanId, parentSpanId })",
        "spanOf(stepPart(step, to), { traceId: spanId + spanId, spanId, parentSpanId })"
      ],
      ["trace: of the decision", "from <= at && at <= (to ?? at)", "from <= at"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/trace/OtlpTarget.ts",
    [trace],
    [
      ["trace: only where it is asked for", 'asked || exporter === "otlp" || own("ENDPOINT") !== ""', "true"],
      ["trace: off is off", 'if (!wanted || word("SDK_DISABLED").toLowerCase() === "true")', "if (!wanted)"],
      ["trace: no other exporter", 'exporter !== "" && exporter !== "otlp"', "false"],
      ["trace: its own variables first", "word(`${prefix}${name}`) ||", ""],
      ["trace: an address", "URL.canParse(base) && /^https?:$/u.test(new URL(base).protocol)", "true"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/trace/OtlpTarget.ts",
    [numbers],
    [
      ["numbers: their own exporter", "word(`${signal.toUpperCase()}_EXPORTER`)", 'word("TRACES_EXPORTER")'],
      ["numbers: their own path", "/v1/${signal}`", "/v1/traces`"],
      ["numbers: their interval", 'millis(word("METRIC_EXPORT_INTERVAL"), defaultInterval)', "defaultInterval"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/metrics/OtlpNumbers.ts",
    [numbers],
    [
      ["numbers: a bucket of its own", "value - (buckets[n - 1]?.value ?? 0)", "value"],
      ["numbers: a word of others", "stringValue: plain(text)", "stringValue: text"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/metrics/MetricsTeller.ts",
    [numbers],
    [
      [
        "numbers: again",
        "Effect.asVoid(Effect.repeat(tell(target), Schedule.spaced(target.interval)))",
        "tell(target)"
      ],
      ["numbers: a collector that is out", "Effect.ignore(telling)", "telling as never"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/trace/TraceTeller.ts",
    [teller],
    [
      ["trace: once", "to !== null && revision > exported", "to !== null"],
      ["trace: whole", "to !== null && revision > exported", "revision > exported"],
      ["trace: refused once", "while: ({ final }) => !final", "while: ({ final }) => final"],
      ["trace: the mark is kept", "yield* cursor.advance(mark, recovery.revision)", ""]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/trace/OtlpExport.ts",
    [teller],
    [
      ["trace: its headers", "HttpClientRequest.setHeaders(target.headers),", ""],
      ["trace: its packing", "target.gzip ?", "false ?"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/keeping/KeptWatch.ts",
    ["test/cli/TracesCli.test.ts"],
    [
      [
        "trace: told by a watch",
        'attendedHere("teller of traces", traceTeller(id))',
        'attendedHere("teller of traces", Effect.void)'
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/TracesCommand.ts",
    ["packages/cli/test/TracesCommand.test.ts"],
    [["trace: of the time alone", "to !== null && to >= since", "to !== null"]]
  )
]
