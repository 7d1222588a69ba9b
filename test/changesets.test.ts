import { assert, it } from "@effect/vitest"
import { textOf, tracked } from "./Pages.ts"

it("each changeset names @souffleur/cli alone, because the changelog of that package is everybody's", () => {
  const named = /^---\n"@souffleur\/cli": (?:patch|minor|major)\n---\n\n\S/u
  assert.deepStrictEqual(
    tracked.filter((path) => /^\.changeset\/.*\.md$/u.test(path) && !named.test(textOf(path))),
    []
  )
})
