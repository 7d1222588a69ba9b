import { Effect, Random } from "effect"
import { guardedOrdeal } from "./GuardedOrdeal.ts"
import { type Kill, type Ordeal, ordeal, type Way } from "./Ordeal.ts"
import { type Verdict, verdict } from "./TortureVerdict.ts"

export interface Outcome {
  readonly worlds: number
  readonly kills: ReadonlyArray<Kill>
  /**
   * Violations, each with the seed of its world. `ordeal` with that seed goes the same way, as far as a machine lets
   * it.
   */
  readonly violations: ReadonlyArray<{ readonly seed: string; readonly what: keyof Verdict; readonly seen: string }>
}

/** Limit of kills in one world: a recovery has some twenty events. */
const maxInWorld = 8

/** The longest way is first: the others go on beside it. */
const ways: ReadonlyArray<Way> = ["guarded", "export", "compact", "export"]

/** Runs worlds, three ways in turn and `atOnce` side by side, until so many processes were killed inside a recovery. */
export const torture = Effect.fnUntraced(function* (
  wanted: number,
  seed: string,
  atOnce: number,
  tell: (outcome: Outcome) => void = () => {}
) {
  const kills: Array<Kill> = []
  const violations: Array<Outcome["violations"][number]> = []
  let [begun, worlds] = [0, 0]
  const world = Effect.gen(function* () {
    const number = begun++
    const name = `${seed}/${number}`
    const way = ways[number % ways.length]!
    const one: Ordeal =
      way === "guarded"
        ? yield* Random.withSeed(guardedOrdeal(maxInWorld), name)
        : yield* Random.withSeed(ordeal(way, maxInWorld), name)
    for (const [what, all] of Object.entries(verdict(one)) as ReadonlyArray<[keyof Verdict, ReadonlyArray<string>]>) {
      for (const seen of all) violations.push({ seed: name, what, seen })
    }
    kills.push(...one.kills)
    worlds++
    tell({ worlds, kills, violations })
  }).pipe(Effect.scoped)
  // A late kill may come after the end of its recovery.
  const worker = Effect.repeat(world, { while: () => kills.filter(({ inside }) => inside).length < wanted })
  yield* Effect.all(
    Array.from({ length: atOnce }, () => worker),
    { concurrency: atOnce }
  )
  return { worlds, kills, violations } satisfies Outcome
})
