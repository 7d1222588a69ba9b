import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import { collector, TracedNight } from "../../embed/test/TracedNight.ts"
import { cli } from "../src/Cli.ts"
import { place, services } from "./mcp/McpPlace.ts"

describe("command-line#traces", () => {
  it.layer(services)((it) => {
    it.effect("traces sends the recoveries of a time, prints them as JSON, and why names the trace of a decision", () =>
      Effect.gen(function* () {
        const { got, url } = yield* collector(200, 503)
        const { as, project, watch } = yield* place({ comms: false })
        yield* watch("opera-1507", TracedNight.events)
        const to = { SOUFFLEUR_OTEL: "1", OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }
        const said = Effect.fnUntraced(function* (
          variables: Readonly<Record<string, string>>,
          ...args: ReadonlyArray<string>
        ) {
          const before = (yield* TestConsole.logLines).length
          const exit = yield* Effect.exit(as("", variables)(cli([...args, "--project-dir", project])))
          return { exit: exit._tag, text: (yield* TestConsole.logLines).slice(before).map(String).join("\n") }
        })
        const since = ["--since", "30000d"]
        assert.deepStrictEqual(yield* said(to, "traces", ...since), { exit: "Success", text: "1 recovery exported" })
        const [sent] = JSON.parse(got[0]!.body.toString()).resourceSpans[0].scopeSpans[0].spans
        const printed = JSON.parse((yield* said({}, "traces", "opera-1507", ...since, "--json")).text)
        assert.deepStrictEqual(printed.resourceSpans[0].scopeSpans[0].spans[0], sent)
        const why = JSON.parse((yield* said({}, "why", "opera-1507", "3", "--json")).text)
        assert.strictEqual(why.trace_id, sent.traceId)
        assert.include((yield* said(to, "why", "opera-1507", "3")).text, `Trace\n  ${sent.traceId}`)
        assert.notInclude((yield* said({}, "why", "opera-1507", "3")).text, sent.traceId)
        assert.strictEqual((yield* said(to, "traces", ...since)).exit, "Failure")
        const address = `(${new URL(url).origin}): is OTEL_EXPORTER_OTLP_ENDPOINT right?`
        assert.include(String((yield* TestConsole.errorLines).at(-1)), address)
        assert.strictEqual((yield* said({ ...to, OTEL_SDK_DISABLED: "true" }, "traces", ...since)).exit, "Success")
        assert.strictEqual((yield* said({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "traces")).exit, "Failure")
        assert.lengthOf(got, 2)
        yield* TestClock.setTime(20_000)
        assert.deepStrictEqual(yield* said(to, "traces", "--since", "5s"), {
          exit: "Success",
          text: "0 recoveries exported"
        })
      }).pipe(Effect.scoped)
    )
  })
})
