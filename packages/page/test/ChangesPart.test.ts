import { assert, describe, it } from "@effect/vitest"
import { written } from "../src/Html.ts"
import { changesPart } from "../src/shown/ChangesPage.ts"

describe("command-line#page", () => {
  it("the lines of all files are told where each of them is counted", () => {
    const files = [{ path: "a", added: 3, removed: 1, untracked: false, patch: null }]
    const sum = (more: number) =>
      /<p role="status">([\s\S]*?)<\/p/u
        .exec(written(changesPart({ base: null, files, more }, "of a task")))?.[1]
        ?.replaceAll(/<[^>]*>|\s+/gu, " ")
        .trim()
    assert.match(sum(0) ?? "", /^1 file\s+\+3\s+−1$/u)
    assert.strictEqual(sum(9), "10 files")
  })
})
