import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { makeLaunchEnds } from "../src/launch/LaunchEnds.ts"
import { claimReceipt } from "../src/launch/ReceiptClaim.ts"
import { folder } from "./fixtures/Spawned.ts"

it.effect("an end is the launch's if its process took the receipt, and is given once it is known", () =>
  Effect.gen(function* () {
    const at = yield* folder
    const receiptOf = (id: string) => join(at, `${id}.receipt`)
    claimReceipt(receiptOf("taken"), { _tag: "Taken", process: { pid: 4711, startTime: 1, bootId: "boot" } })
    claimReceipt(receiptOf("cancelled"), { _tag: "Cancelled" })
    const ends = makeLaunchEnds(at, receiptOf)
    for (const id of ["taken", "cancelled", "never"]) {
      ends.started(id)
      ends.ended(id, 4712, { _tag: "Exited", code: 0 })
      assert.isTrue(Option.isNone(yield* ends.of(id)), id)
    }
    const end = { _tag: "Exited", code: 3 } as const
    ends.ended("taken", 4711, end)
    assert.deepStrictEqual(yield* ends.of("taken"), Option.some(end))
    assert.deepStrictEqual(yield* makeLaunchEnds(at, receiptOf).of("taken"), Option.some(end))
  })
)
