import { assert, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { allMutants } from "./mutation/Mutants.ts"
import { keyOf, killed, mutantsOfRows, specRows, whyNone } from "./mutation/Rows.ts"
import { anchorsOf, isThere, textOf } from "./Pages.ts"

const path = (relative: string) => fileURLToPath(new URL(`../${relative}`, import.meta.url))
const rows = specRows()

it("each row has a rule, a file and a test", () => {
  assert.isAbove(rows.length, 100)
  assert.deepStrictEqual(
    rows.filter(({ columns }) => columns !== 3).map(({ line }) => line),
    []
  )
})
it("the rows name files that exist, and tests in them by their titles", () => {
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
it("each rule has one row", () => {
  const rules = rows.map(({ line }) => line.split(" | ")[0]!).filter((rule) => !rule.startsWith("| …"))
  assert.deepStrictEqual(
    rules.filter((rule, index) => rules.indexOf(rule) !== index),
    []
  )
})
it("each row names the mutants that its test kills, or the reason for none", () => {
  const mutantsOf = mutantsOfRows()
  const unproved = rows.filter((row) => mutantsOf(row).length === 0 && whyNone(row) === undefined)
  assert.deepStrictEqual(
    unproved.map(({ file, rule, title }) => `${rule} | ${file} | ${title}`),
    [],
    "list a mutant of each of these rules with its test, and try it: pnpm mutate --only NAME --own --titles"
  )
})
it("the rows name no mutant that has left the list", () => {
  const there = new Set(allMutants.map(keyOf))
  assert.deepStrictEqual(
    Object.keys(killed()).filter((key) => !there.has(key)),
    []
  )
})
it("the rows are under headings of the specification, and prove each rule of its behaviour", () => {
  const groups = textOf("docs/spec-map.md")
    .split(/^## /mu)
    .slice(1)
    .map((group) => group.split("\n", 1)[0]!)
  assert.deepStrictEqual(
    groups.filter((title) => {
      const [, text, name, anchor = ""] = /^\[(.+)\]\(spec\/([a-z-]+)\.md#([\w-]+)\)$/u.exec(title) ?? []
      if (name === undefined || !isThere(`docs/spec/${name}.md`)) return true
      return !anchorsOf(textOf(`docs/spec/${name}.md`)).includes(anchor) || anchorsOf(`# ${text}`)[0] !== anchor
    }),
    []
  )
  const rules = [...textOf("docs/spec/behaviour.md").matchAll(/^## (.+)$/gmu)].map(([, title]) => title!)
  assert.isAbove(rules.length, 50)
  assert.deepStrictEqual(
    rules.filter((rule) => !groups.some((title) => title.startsWith(`[${rule}](`))),
    []
  )
})
