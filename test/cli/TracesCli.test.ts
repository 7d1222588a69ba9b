/** @module-tag cases */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { collector } from "../../packages/embed/test/TracedNight.ts"
import { stage, until } from "./CliStage.ts"

describe("command-line#traces", () => {
  it.live("a run exports its recovery to a collector, and a missing one costs no word and no exit code", () =>
    Effect.gen(function* () {
      const { got, url } = yield* collector()
      // The numbers of the log go to the same collector.
      const traces = () => got.filter(({ url }) => url.endsWith("/v1/traces"))
      const gone = yield* Effect.scoped(collector())
      const the = yield* stage([])
      // The second life ends once `end` is there, so that the collector has the time that it needs.
      const script = "[ -e go ] || { touch go; exit 3; }; until [ -e end ]; do sleep 0.05; done"
      const run = (endpoint: string) =>
        the.start(["run", "--no-guardian", "--", "/bin/sh", "-c", script], {
          SOUFFLEUR_OTEL: "1",
          OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
          OTEL_EXPORTER_OTLP_PROTOCOL: "http/json"
        })
      fs.writeFileSync(join(the.project, "end"), "")
      const down = run(gone.url)
      assert.strictEqual((yield* down.ended).code, 0, down.errors())
      assert.notMatch(down.errors(), /collector|trace|OTEL/u)
      for (const name of ["go", "end"]) fs.rmSync(join(the.project, name))
      const up = run(url)
      yield* until(
        Effect.sync(() => traces().length),
        (count) => count > 0
      )
      fs.writeFileSync(join(the.project, "end"), "")
      assert.strictEqual((yield* up.ended).code, 0, up.errors())
      const [root] = JSON.parse(traces()[0]!.body.toString()).resourceSpans[0].scopeSpans[0].spans
      assert.strictEqual(root.name, "recovery")
      const died = (yield* the.events).find(({ _tag }) => _tag === "ConductorDied")!
      const why = yield* the.ask(["why", died.watch, String(died.revision), "--json"])
      assert.strictEqual(JSON.parse(why.lines.join("\n")).trace_id, root.traceId)
    }).pipe(Effect.scoped)
  )
})
