import { assert, describe, it } from "@effect/vitest"
import { AlreadyWatched } from "@souffleur/domain"
import { ownerOf } from "@souffleur/testing"
import { notTaken } from "../src/watching/ResumeWatch.ts"

describe("behaviour#one-owner", () => {
  it("a watch that was left on another machine is told as failed, with what to do, and never as watched", () => {
    const left = { ...ownerOf(5), machine: "another" }
    const refused = new AlreadyWatched({ owner: left, problem: 'go on there, or "souffleur release w"' })
    assert.deepStrictEqual(notTaken("w", left, refused), {
      watch: "w",
      outcome: "failed",
      pid: null,
      message: refused.message
    })
    // Another souffleur took the watch since.
    assert.deepInclude(notTaken("w", left, new AlreadyWatched({ owner: ownerOf(6), problem: "it lives" })), {
      outcome: "watched already",
      pid: 6
    })
    assert.deepInclude(notTaken("w", undefined, refused), { outcome: "watched already", pid: 5 })
  })
})
