import { assert, it } from "@effect/vitest"
import { publicApi } from "../release/PublicApi.ts"
import { textOf, tracked } from "./Pages.ts"
import { complaints } from "./Tool.ts"

let lists: ReturnType<typeof publicApi> = []

it("every package and every test has the types that it says", async () => {
  assert.strictEqual(await complaints("tsc", "-b", "--singleThreaded"), "")
  // The compiler has just written their declarations.
  lists = publicApi()
})
it("docs/api lists the public API of each library as the compiler declared it", () => {
  assert.isNotEmpty(lists)
  for (const { path, text } of lists) assert.strictEqual(textOf(path), text, `${path} is old: run "pnpm api"`)
})
it("docs/api has a list of each library and no other", () => {
  assert.deepStrictEqual(
    tracked.filter((path) => path.startsWith("docs/api/")),
    lists.map(({ path }) => path)
  )
})
it("the list of a library has the methods of its services", () => {
  const { text } = lists.find(({ path }) => path === "docs/api/embed.txt")!
  assert.match(text, /^Souffleur\n {4}class Souffleur extends Souffleur_base \{[^]*? {8}readonly release: \(/mu)
})
