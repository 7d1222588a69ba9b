import { assert, describe, it } from "@effect/vitest"
import { Event, EventLog, type Recorded, watchCodec, type WatchEvent } from "@souffleur/domain"
import { Effect } from "effect"
import { isDeepStrictEqual } from "node:util"
import { fingerprintOf } from "../../domain/test/FoldDigest.ts"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { prometheusText } from "@souffleur/domain"
import { tallyFold, totals } from "../src/metrics/Tally.ts"
import { countersOf } from "../src/metrics/TallyMetrics.ts"
import { watchTimeline } from "../src/timeline/WatchTimeline.ts"
import { parsePrometheus } from "./PrometheusParser.ts"
import { TracedNight } from "./TracedNight.ts"

const at = <E extends WatchEvent>(at: number, event: E): E => ({ ...event, at })
const began = (time: number, cycle: number) =>
  Event.RecoveryStarted.make({ at: time, cycle, purpose: "relaunch", trigger: "pid" })
const died = (time: number) => at(time, { ...examples.ConductorDied, reason: "pid" as const })
const opened = TracedNight.events.slice(0, 2)
const released = Event.WatchReleased.make({ at: 99_000, exportPath: null })
const relaunched = (time: number) => at(time, { ...examples.ConductorRelaunched, generation: 2 })
const withheld = (time: number, cycle: number) => at(time, { ...examples.RecoveryWithheld, cycle })

/** Nights with each end of a recovery. */
const nights: Readonly<Record<string, ReadonlyArray<WatchEvent>>> = {
  taken: TracedNight.events,
  untaken: [...opened, died(5000), began(5500, 1), relaunched(8000), died(9000), began(9500, 2)],
  again: [...opened, died(5000), began(5500, 1), began(6000, 1), relaunched(8000)],
  "failed closed": [...opened, died(5000), began(5500, 1), at(400_000, examples.RecoveryFailedClosed)],
  withheld: [...opened, died(5000), withheld(5100, 1), began(70_000, 1), relaunched(71_000)],
  overruled: [...opened, died(5000), began(5500, 1), released],
  command: [
    { ...examples.WatchOpened, at: 1000, kind: "command" },
    died(5000),
    began(5500, 1),
    relaunched(5600),
    at(6000, examples.EndedEarly)
  ] as ReadonlyArray<WatchEvent>,
  "a clock that went back": [...opened, died(5000), began(5500, 1), at(10, examples.RecoveryFailedClosed)]
}

const recorded = (events: ReadonlyArray<WatchEvent>): ReadonlyArray<Recorded> =>
  events.map((event, n) => ({ stream: "w", position: n + 1, revision: n + 1, event }))

describe("command-line#metrics", () => {
  it("deaths and recoveries are counted as the timeline tells them", () => {
    for (const [name, events] of Object.entries(nights)) {
      const tally = events.reduce(tallyFold.evolve, tallyFold.initial)
      const { deaths, recoveries } = watchTimeline(recorded(events), 100_000)
      const over = recoveries.filter(({ to }) => to !== null)
      const told = Object.entries(tally.recoveries).map(([word, count]) => [word.split("/")[0], count])
      assert.deepStrictEqual(
        told.flatMap(([outcome, count]) => Array.from({ length: Number(count) }, () => outcome)).toSorted(),
        over.map(({ outcome }) => String(outcome)).toSorted(),
        name
      )
      assert.strictEqual(
        Object.values(tally.millis).reduce((sum, one) => sum + one, 0),
        over.reduce((sum, { from, to }) => sum + Math.max(0, to! - from), 0),
        name
      )
      assert.strictEqual(
        Object.values(tally.deaths).reduce((sum, one) => sum + one, 0),
        deaths.length,
        name
      )
    }
  })

  it.effect("the counts of all watches outlive their end, and a moved watch alone is read", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append("a", 0, [...TracedNight.events, released])
      yield* log.append("b", 0, opened)
      const sums = { deaths: { pid: 1 }, recoveries: { "taken/5": 1 }, millis: { taken: 4000 } }
      assert.deepStrictEqual(yield* totals, sums)
      // The snapshots know that the first one is over.
      assert.strictEqual(yield* log.snapshots.endedCount(tallyFold.name), 1)
      let reads = 0
      const counted = { ...log, read: (...of: Parameters<typeof log.read>) => ((reads += 1), log.read(...of)) }
      assert.deepStrictEqual(yield* Effect.provideService(totals, EventLog, counted), sums)
      assert.strictEqual(reads, 0)
      yield* log.append("b", 2, [died(20_000)])
      assert.deepStrictEqual((yield* totals).deaths, { pid: 2 })
    }).pipe(Effect.provide(EventLog.layerMemory))
  )

  it("the text is what Prometheus reads, with buckets that grow", () => {
    const text = prometheusText(
      countersOf({
        deaths: { pid: 3, 'odd"\n': 1 },
        recoveries: { "taken/5": 2, "taken/+Inf": 1, "failed closed/1": 1 },
        millis: { taken: 5_000_500, "failed closed": 10 }
      })
    )
    const families = parsePrometheus(text)
    assert.deepStrictEqual(
      [...families].map(([name, { type }]) => [name, type]),
      [
        ["souffleur_deaths_total", "counter"],
        ["souffleur_recoveries_total", "counter"],
        ["souffleur_recovery_seconds", "histogram"]
      ]
    )
    const valueOf = (family: string, name: string, labels: Readonly<Record<string, string>>) =>
      families.get(family)?.samples.find((one) => one.name === name && isDeepStrictEqual(one.labels, labels))?.value
    assert.strictEqual(valueOf("souffleur_deaths_total", "souffleur_deaths_total", { cause: "pid" }), 3)
    for (const [outcome, count] of [
      ["taken", 3],
      ["withheld", 0]
    ] as const)
      assert.strictEqual(valueOf("souffleur_recoveries_total", "souffleur_recoveries_total", { outcome }), count)
    const seconds = (end: string, labels: Readonly<Record<string, string>>) =>
      valueOf("souffleur_recovery_seconds", `souffleur_recovery_seconds_${end}`, { outcome: "taken", ...labels })
    assert.deepStrictEqual(
      ["1", "3600", "+Inf"].map((le) => seconds("bucket", { le })),
      [0, 2, 3]
    )
    assert.deepStrictEqual([seconds("sum", {}), seconds("count", {})], [5000.5, 3])
  })

  it.effect("the fingerprint of the fold of counts is that of its rules and of its state", () =>
    Effect.gen(function* () {
      const corpus = { codec: watchCodec, schema: Event.WatchEvent, examples: Object.values(examples) }
      // A change here is meant: counts by the rules before are no longer read. Write the new one into tallyFold.
      assert.strictEqual(tallyFold.name.fingerprint, yield* fingerprintOf(tallyFold, corpus))
    })
  )
})

it("the parser of these tests refuses what Prometheus would", () => {
  const buckets = (...counts: ReadonlyArray<number>) =>
    `# TYPE h histogram\nh_bucket{le="1"} ${counts[0]}\nh_bucket{le="+Inf"} ${counts[1]}\nh_sum 1\nh_count ${counts[2]}\n`
  assert.strictEqual(parsePrometheus(buckets(1, 2, 2)).get("h")!.samples.length, 4)
  for (const wrong of [
    "# TYPE a gauge\na 1",
    "a 1\n",
    "# TYPE a gauge\n# TYPE a gauge\n",
    "# TYPE a number\n",
    "# TYPE a gauge\nb 1\n",
    "# TYPE a gauge\na 1\na 1\n",
    "# TYPE a gauge\na x\n",
    '# TYPE a gauge\na{b="c"d"} 1\n',
    '# TYPE a gauge\na{b="\\c"} 1\n',
    '# TYPE a gauge\na{b="1",b="2"} 1\n',
    "# TYPE a counter\na 1\n",
    "# TYPE a_total counter\na_total -1\n",
    buckets(2, 1, 1),
    buckets(1, 2, 3)
  ])
    assert.throws(() => parsePrometheus(wrong), Error, undefined, wrong)
})
