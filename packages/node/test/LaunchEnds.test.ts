import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { makeLaunchEnds } from "../src/launch/LaunchEnds.ts"
import { claimReceipt } from "../src/launch/ReceiptClaim.ts"
import { folder } from "./fixtures/Spawned.ts"

describe("behaviour#restart", () => {
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
      // A terminal's own pid took no receipt. It ends as the command does, or as a launcher that came late.
      claimReceipt(receiptOf("in-pty"), { _tag: "Taken", process: { pid: 4713, startTime: 1, bootId: "boot" } })
      ends.ended("cancelled", "pty", end)
      ends.ended("in-pty", "pty", { _tag: "Exited", code: 120 })
      assert.deepStrictEqual([yield* ends.of("cancelled"), yield* ends.of("in-pty")], [Option.none(), Option.none()])
      ends.ended("in-pty", "pty", end)
      assert.deepStrictEqual(yield* ends.of("in-pty"), Option.some(end))
      assert.deepStrictEqual(yield* makeLaunchEnds(at, receiptOf).of("taken"), Option.some(end))
    })
  )
})

describe("behaviour#launch-at-most-once", () => {
  it.effect("128 and a signal's number are that signal, but in a launch that no shell waited for", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const receiptOf = (id: string) => join(at, `${id}.receipt`)
      const ends = makeLaunchEnds(at, receiptOf)
      const killed = { _tag: "Exited", code: 137 } as const
      for (const id of ["headless", "pty"])
        claimReceipt(receiptOf(id), { _tag: "Taken", process: { pid: 4711, startTime: 1, bootId: "boot" } })
      ends.ended("headless", 4711, killed)
      ends.ended("pty", "pty", killed)
      assert.deepStrictEqual(yield* ends.of("headless"), Option.some(killed))
      assert.deepStrictEqual(yield* ends.of("pty"), Option.some({ _tag: "Killed", signal: "SIGKILL" }))
      for (const [code, end] of [
        ["143", { _tag: "Killed", signal: "SIGTERM" }],
        ["3", { _tag: "Exited", code: 3 }],
        ["255", { _tag: "Exited", code: 255 }]
      ] as const) {
        fs.writeFileSync(ends.window(code).exit, code, { mode: 0o600 })
        assert.deepStrictEqual(yield* ends.of(code), Option.some(end))
      }
    })
  )
})
