import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { makeExitCodes } from "../src/launch/ExitCodes.ts"
import { claimReceipt } from "../src/launch/ReceiptClaim.ts"
import { folder } from "./fixtures/Spawned.ts"

it.effect("an exit code is the launch's if its process took the receipt, and is given once it is known", () =>
  Effect.gen(function* () {
    const at = yield* folder
    const receiptOf = (id: string) => join(at, `${id}.receipt`)
    claimReceipt(receiptOf("taken"), { _tag: "Taken", process: { pid: 4711, startTime: 1, bootId: "boot" } })
    claimReceipt(receiptOf("cancelled"), { _tag: "Cancelled" })
    const exits = makeExitCodes(at, receiptOf)
    for (const id of ["taken", "cancelled", "never"]) {
      exits.started(id)
      exits.ended(id, 4712, 0)
      assert.isTrue(Option.isNone(yield* exits.of(id)), id)
    }
    exits.ended("taken", 4711, 3)
    assert.deepStrictEqual(yield* exits.of("taken"), Option.some(3))
    assert.deepStrictEqual(yield* makeExitCodes(at, receiptOf).of("taken"), Option.some(3))
  })
)
