import { assert, describe, it } from "@effect/vitest"
import { initial, progressedSince, soloFingerprint, type Watch } from "../src/index.ts"

const [one, other] = ["a".repeat(40), "b".repeat(40)]
const since = (taskFingerprint: string, change: Partial<Watch> = {}): Watch => ({
  ...initial,
  comms: null,
  baseline: { ...initial.baseline, taskFingerprint },
  ...change
})
const measured = (fingerprint: string) => ({ now: 0, tasks: { count: 0, fingerprint } })
const progressed = (before: readonly [number, string?], after: readonly [number, string?]) =>
  progressedSince(since(soloFingerprint(before[0], before[1])), measured(soloFingerprint(after[0], after[1])))

describe("behaviour#retries", () => {
  it("more results of tools or another commit are progress, and a commit that could not be read is none", () => {
    assert.isTrue(progressed([3, one], [4, one]))
    assert.isTrue(progressed([3, one], [3, other]))
    assert.isTrue(progressed([3, ""], [3, other]))
    assert.isTrue(progressed([3, one], [4]))
    assert.isTrue(progressed([3], [4, one]))
    assert.isFalse(progressed([3, one], [3, one]))
    assert.isFalse(progressed([3, one], [3]))
    assert.isFalse(progressed([3], [3, one]))
    assert.isFalse(progressed([3, one], [3, ""]))
    assert.isFalse(progressed([3, one], [2, one]))
  })

  it("each change of the tasks is progress with comms, and tasks that nothing counted are none", () => {
    const tasks = since("3 a", { comms: "/p/comms.db" })
    assert.isTrue(progressedSince(tasks, measured("2 a")))
    assert.isFalse(progressedSince(tasks, measured("3 a")))
    for (const watch of [tasks, since("3 a")]) assert.isFalse(progressedSince(watch, { now: 0, tasks: null }))
  })

  it("a command has progressed once it ran for ten minutes", () => {
    const command = since("", { kind: "command", launchedAt: 1000 })
    assert.isFalse(progressedSince(command, { now: 600_999, tasks: null }))
    assert.isTrue(progressedSince(command, { now: 601_000, tasks: null }))
  })
})
