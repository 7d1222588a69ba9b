import { assert, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { mutantsOfRow, specRows } from "./mutation/Rows.ts"

const path = (relative: string) => fileURLToPath(new URL(`../${relative}`, import.meta.url))
const rows = specRows()

it("has rows, each of a rule, a file and a test", () => {
  assert.isAbove(rows.length, 100)
  assert.deepStrictEqual(
    rows.filter(({ columns }) => columns !== 3).map(({ line }) => line),
    []
  )
})
it("names files that are there, and in each a test of that title", () => {
  const wrong = rows.filter(({ file, title }) => {
    if (!existsSync(path(file!))) return true
    const source = readFileSync(path(file!), "utf8")
    return !['"', "'", "`"].some((quote) => source.includes(`${quote}${title}${quote}`))
  })
  assert.deepStrictEqual(
    wrong.map(({ file, title }) => `${file}: ${title}`),
    []
  )
})
it("names no rule twice", () => {
  const rules = rows.map(({ line }) => line.split(" | ")[0]!).filter((rule) => !rule.startsWith("| …"))
  assert.deepStrictEqual(
    rules.filter((rule, index) => rules.indexOf(rule) !== index),
    []
  )
})
it("names for its rows the mutants that their tests kill, or why there are none; fewer never again", () => {
  const proved = rows.filter((row) => mutantsOfRow(row).length > 0)
  // As Killed.json has it, which pnpm mutate --titles writes; some slack for titles that are written anew.
  assert.isAtLeast(proved.length, 60)
})
