import { assert, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { allMutants } from "./mutation/Mutants.ts"

const path = (relative: string) => fileURLToPath(new URL(`../${relative}`, import.meta.url))
const quoted = (cell: string): ReadonlyArray<string> => [...cell.matchAll(/`([^`]+)`/gu)].map(([, text]) => text!)

/** The rows of the table of trust (docs/security.md). */
const rows = readFileSync(path("docs/security.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| source |") && !line.startsWith("| ---"))
  .map((line) => line.slice(2, -2).split(" | "))

/** Of each row what is wrong with it, so that a failure names all of them. */
const wrong = (look: (row: ReadonlyArray<string>) => ReadonlyArray<string>) =>
  rows.flatMap((row) => look(row).map((what) => `${row[0]}: ${what}`))

it("each row has seven cells, none of them empty, and its own source", () => {
  assert.isAbove(rows.length, 40)
  assert.deepStrictEqual(
    wrong((row) => (row.length === 7 && row.every((cell) => cell.trim() !== "") ? [] : [`${row.length} cells`])),
    []
  )
  const sources = rows.map(([source]) => source)
  assert.deepStrictEqual(
    sources.filter((source, index) => sources.indexOf(source) !== index),
    []
  )
})
it("the rows name borders that exist", () => {
  assert.deepStrictEqual(
    wrong(([, , , , border]) =>
      quoted(border!).length === 0 ? ["no border"] : quoted(border!).filter((file) => !existsSync(path(file)))
    ),
    []
  )
})
it("the rows name tests that exist, by their titles", () => {
  const missing = (reference: string) => {
    const [, file = "", title = ""] = /^(\S+\.test\.ts): (.+)$/u.exec(reference) ?? []
    if (!existsSync(path(file))) return true
    const source = readFileSync(path(file), "utf8")
    return !['"', "'", "`"].some((quote) => source.includes(`${quote}${title}`))
  }
  assert.deepStrictEqual(
    wrong(([, , , , , tests]) => tests!.split("<br>").filter(missing)),
    []
  )
})
it("the rows name mutants that are tried", () => {
  const names = allMutants.map(({ name }) => name)
  const isTried = (pattern: string) =>
    pattern.endsWith("*") ? names.some((name) => name.startsWith(pattern.slice(0, -1))) : names.includes(pattern)
  assert.deepStrictEqual(
    wrong(([, , , , , , mutants]) => {
      const patterns = quoted(mutants!)
      return patterns.length === 0 ? ["no mutant"] : patterns.filter((pattern) => !isTried(pattern))
    }),
    []
  )
})
