import { assert, it } from "@effect/vitest"
import type { Effect, Stream } from "effect"
import * as embed from "../src/index.ts"

type Members = embed.Souffleur["Service"]
type ErrorOf<A> = A extends (...args: never) => infer B
  ? ErrorOf<B>
  : A extends Effect.Effect<infer _, infer E, infer __>
    ? E
    : A extends Stream.Stream<infer _, infer E, infer __>
      ? E
      : never
type Failure = ErrorOf<Members[keyof Members]> | embed.WatchBroken | embed.PlanBroken
/** The tags of all errors of the service. `PlatformError` is Effect's own. */
type Tag = Exclude<Failure["_tag"], "PlatformError">

/** The compiler names each tag that is missing here: the package has no class of that name. */
const unnamed: Readonly<Record<Exclude<Tag, keyof typeof embed>, never>> = {}

it("an app names each error of the service, its events and its states by this package alone", () => {
  assert.deepStrictEqual(unnamed, {})
  const event: embed.WatchEvent = embed.Event.WatchSettled.make({ at: 0 })
  assert.strictEqual(embed.describeEvent(event).text, "souffleur watches.")
  assert.isFalse(embed.isEnd(event))
  const states: readonly [watch: embed.Watch["end"], run: embed.Run["phase"]] = [undefined, "finished"]
  assert.lengthOf(states, 2)
})
