import { assert, it } from "@effect/vitest"
import { Effect, Random, Schedule } from "effect"
import { prints, type Running, said, stage, standIns, task } from "./Stage.ts"

/** Printed with each failure: `SOUFFLEUR_TEST_SEED=…` runs the same moments again. */
const seed = process.env["SOUFFLEUR_TEST_SEED"] ?? crypto.randomUUID()
const recoveries = 20

/** Every event of a recovery, in order: after which of them the first souffleur is killed, and a moment more. */
const moments = [
  "ConductorDied",
  "RecoveryStarted",
  ...["1 stop", "2 export", "3 trim", "4 estimate", "5 prepare", "6 launch"].flatMap((step) => [
    `StepStarted ${step}`,
    `StepSucceeded ${step}`
  ]),
  "LaunchPrepared",
  "LaunchPrepared"
]

/** Homes, and for each the agents that were seen in it at one look after another. */
type Sightings = Map<string, Array<ReadonlyArray<number>>>

/** Looks from outside, at all homes at once, which agents are alive: whoever works on a plan, launched by souffleur or not. */
const sampler = Effect.gen(function* () {
  const seen: Sightings = new Map()
  const look = Effect.sync(() => {
    const now = Map.groupBy(standIns(), ({ home }) => home)
    for (const [home, agents] of now) seen.set(home, [...(seen.get(home) ?? []), agents.map(({ pid }) => pid)])
  })
  yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced("20 millis")))
  return seen
})

const recovered = Effect.fnUntraced(function* (number: number) {
  const the = yield* stage([task(1, 50), task(2, 700)])
  const conductor = yield* the.conductor()
  const started: Array<Running> = [the.watch(conductor)]
  yield* prints(started[0]!, "WatchSettled")

  const [event = "", ...words] = moments[number % moments.length]!.split(" ")
  conductor.kill("SIGKILL")
  yield* prints(started[0]!, event, ({ step }) => words.length === 0 || step === words.join(" "))
  yield* Effect.sleep(yield* Random.nextIntBetween(0, 30))
  started[0]!.kill("SIGKILL")
  yield* started[0]!.ended
  // The next ones die while they start, take over, or go on.
  const again = yield* Random.nextIntBetween(0, 2)
  for (let n = 0; n < again; n++) {
    const next = the.start(["watch", "--json"])
    started.push(next)
    yield* Effect.sleep(yield* Random.nextIntBetween(100, 500))
    next.kill("SIGKILL")
    yield* next.ended
  }
  // On a slow machine the last of them may have seen the end before it died; then there is nothing to go on with.
  const over = (yield* the.events).at(-1)?._tag === "ConductorCompleted"
  if (!over) started.push(the.start(["watch", "--json"]))
  const code = over ? 0 : (yield* started.at(-1)!.ended).code
  const inside = !started[0]!.lines.some((line) => said(line)._tag === "ConductorRelaunched")
  return {
    code,
    inside,
    over,
    the,
    started,
    what: `seed ${seed}, recovery ${number}: killed at ${moments[number % moments.length]}, ${again} times more`
  }
})

it.live(
  `souffleur killed ${recoveries} times and more in real recoveries: one successor, never two, and no event lost`,
  () =>
    Effect.gen(function* () {
      const seen = yield* sampler
      const judged = Effect.fnUntraced(function* (number: number) {
        const { code, inside, over, started, the, what } = yield* recovered(number)
        assert.strictEqual(code, 0, `${what}\n${started.at(-1)!.errors()}`)
        assert.lengthOf(the.launched(), 1, what)
        assert.lengthOf(the.sessions(), 2, what)
        const sightings = seen.get(the.home) ?? []
        assert.isAbove(sightings.length, 5, `${what}: hardly looked at`)
        for (const agents of sightings) assert.isAtMost(agents.length, 1, `${what}: two at once`)
        assert.isAtMost(new Set(sightings.flat()).size, 2, what)
        const events = yield* the.events
        const revisions = events.map(({ revision }) => revision)
        assert.deepStrictEqual(
          revisions,
          Array.from(events.keys(), (n) => n + 1),
          what
        )
        // What was printed was acknowledged.
        for (const event of started.flatMap(({ lines }) => lines.map(said))) assert.deepStrictEqual(event, events[event.revision - 1], what)
        if (!over) assert.strictEqual(the.row("souffleur")["state"], "complete", what)
        const successor = the.sessions().find((file) => !file.includes(the.session)) ?? ""
        assert.include(the.conversation(successor), "the stage word is gossamer", what)
        return inside
      })
      const inside = yield* Effect.forEach(
        Array.from({ length: recoveries }, (_, n) => n),
        (number) => judged(number).pipe(Effect.scoped, Random.withSeed(`${seed}/${number}`)),
        { concurrency: 5 }
      )
      // A late kill may come after the end of its recovery; most do not.
      assert.isAtLeast(inside.filter(Boolean).length, 15, `seed ${seed}`)
    }).pipe(Effect.scoped),
  60_000
)
