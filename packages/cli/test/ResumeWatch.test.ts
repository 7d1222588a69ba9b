import { assert, describe, it } from "@effect/vitest"
import { AlreadyWatched } from "@souffleur/domain"
import { ownerOf } from "@souffleur/testing"
import { notTaken } from "../src/watching/ResumeWatch.ts"

describe("behaviour#one-owner", () => {
  it("a watch whose owner cannot be seen from here is told as failed, with what to do, and never as watched", () => {
    const left = { ...ownerOf(5), machine: "another" }
    const refused = new AlreadyWatched({ owner: left, unseen: true, problem: "it may be alive" })
    const { message, ...failed } = notTaken("w", refused)
    assert.deepStrictEqual(failed, { watch: "w", outcome: "failed", pid: null })
    assert.match(message, /^already watched: it may be alive.*"souffleur resume w --moved" goes on here/u)
    assert.deepInclude(notTaken("w", new AlreadyWatched({ owner: ownerOf(6), problem: "it lives" })), {
      outcome: "watched already",
      pid: 6
    })
  })
})
