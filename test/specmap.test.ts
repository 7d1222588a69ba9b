import { assert, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const path = (relative: string) => fileURLToPath(new URL(`../${relative}`, import.meta.url))
/** A row of the map: a rule, a file, a title. */
const rows = readFileSync(path("docs/spec-map.md"), "utf8")
  .split("\n")
  .flatMap((line) => {
    const cells = line.split(" | ")
    const [rule, file, title] = cells.map((cell) => cell.replace(/^\| | \|$/gu, ""))
    return line.startsWith("| ") && rule !== "rule" && !line.startsWith("| -") ? [{ line, columns: cells.length, file, title }] : []
  })

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
