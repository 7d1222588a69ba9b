import { assert, describe, it } from "@effect/vitest"
import { isPressing, type NoticeChannel, NoticeChannels, NoticeLost } from "@souffleur/process"
import type { Alarm } from "@souffleur/hub"
import { Effect, FiberMap } from "effect"
import { fleetNotice, tellAlarms } from "../src/fleet/FleetNotice.ts"

const key = { log: "0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1", stream: "", begun: "2026-01-01" }
const silent = (host: string): Alarm => ({ kind: "silent", host, job: null, why: "silent", key })
const needs = (job: string): Alarm => ({ kind: "needs you", host: "one", job, why: "it is held\n", key })

describe("fleet#alarms", () => {
  it("a notice of a fleet names its first alarms, counts the others, and is pressing where a person is needed", () => {
    const text = (...alarms: ReadonlyArray<Alarm>) => fleetNotice(alarms, 5).notice.text
    assert.strictEqual(text(silent("one")), "1 host is silent: one")
    assert.strictEqual(
      text(silent("one"), needs("night"), silent("two")),
      String.raw`1 job needs you: night on one (it is held\u000a). 2 hosts are silent: one, two`
    )
    const many = Array.from({ length: 40 }, (_, n) => needs(`w${n}`))
    assert.notInclude(text(...many), "w5 on")
    assert.match(text(...many), /^40 jobs need you: w0 on one .*w4 on one \(.*\), and 35 more$/u)
    assert.isTrue(isPressing(fleetNotice([silent("one"), needs("night")], 5).notice))
    assert.isFalse(isPressing(fleetNotice([silent("one")], 5).notice))
  })

  it.effect("alarms are told once one channel took them, and the others are tried again behind it", () =>
    Effect.gen(function* () {
      const sent: Array<string> = []
      const channel = (name: string, works: boolean): NoticeChannel => ({
        name,
        words: false,
        send: (_, once = false) =>
          Effect.suspend(() => {
            sent.push(`${name}${once ? "" : ", again"}`)
            if (works) return Effect.void
            return once ? Effect.fail(new NoticeLost({ tries: 1, message: "out" })) : Effect.never
          })
      })
      const again = yield* FiberMap.make<string>()
      const tell = (...channels: ReadonlyArray<NoticeChannel>) =>
        Effect.provideService(tellAlarms([needs("night")], again), NoticeChannels, channels)
      assert.isTrue(yield* tell(channel("slow", false), channel("good", true)))
      yield* Effect.yieldNow
      assert.deepStrictEqual(sent.splice(0), ["slow", "good", "slow, again"])
      assert.isTrue(yield* tell(channel("slow", false), channel("good", true)))
      yield* Effect.yieldNow
      assert.deepStrictEqual(sent.splice(0), ["slow", "good"], "one notice a channel is tried again")
      assert.isFalse(yield* tell(channel("slow", false), channel("dead", false)))
      yield* Effect.yieldNow
      assert.deepStrictEqual(sent, ["slow", "dead"])
    })
  )
})
