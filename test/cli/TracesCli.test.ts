import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { collector } from "../../packages/embed/test/TracedNight.ts"
import { stage, until } from "./CliStage.ts"

it.live("a run exports its recovery to a collector, and a missing one costs no word and no exit code", () =>
  Effect.gen(function* () {
    const { got, url } = yield* collector()
    const gone = yield* Effect.scoped(collector())
    const the = yield* stage([])
    const script = "[ -e go ] && exit 0; touch go; exit 3"
    const run = (endpoint: string) =>
      the.run(["run", "--no-guardian", "--", "/bin/sh", "-c", script], {
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json"
      })
    const down = yield* run(gone.url)
    assert.strictEqual(down.code, 0, down.errors)
    assert.notMatch(down.errors, /collector|trace|OTEL/u)
    fs.rmSync(join(the.project, "go"))
    const up = yield* run(url)
    assert.strictEqual(up.code, 0, up.errors)
    yield* until(
      Effect.sync(() => got.length),
      (count) => count > 0
    )
    const [root] = JSON.parse(got[0]!.body.toString()).resourceSpans[0].scopeSpans[0].spans
    assert.strictEqual(root.name, "recovery")
    const died = (yield* the.events).find(({ _tag }) => _tag === "ConductorDied")!
    const why = yield* the.run(["why", died.watch, String(died.revision), "--json"])
    assert.strictEqual(JSON.parse(why.lines.join("\n")).trace_id, root.traceId)
  }).pipe(Effect.scoped)
)
