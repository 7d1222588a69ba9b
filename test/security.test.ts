import { assert, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { allMutants } from "./mutation/Mutants.ts"

const path = (relative: string) => fileURLToPath(new URL(`../${relative}`, import.meta.url))
const quoted = (cell: string): ReadonlyArray<string> => [...cell.matchAll(/`([^`]+)`/gu)].map(([, text]) => text!)

/** The rows of the table of trust (docs/security.md): a source, and what its words may do. */
const rows = readFileSync(path("docs/security.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| source |") && !line.startsWith("| ---"))
  .map((line) => line.slice(2, -2).split(" | "))

interface Proof {
  readonly source: string
  readonly borders: ReadonlyArray<string>
  readonly mutants: ReadonlyArray<string>
  readonly tests: ReadonlyArray<string>
}

/** The proofs of each row (docs/security-map.md). */
const proofs = readFileSync(path("docs/security-map.md"), "utf8")
  .split(/^### /mu)
  .slice(1)
  .map((part): Proof => {
    const [source = "", ...lines] = part.split("\n")
    const items = lines.filter((line) => line.startsWith("- ")).map((line) => line.slice(2))
    const named = (name: string) => items.filter((item) => item.startsWith(name)).flatMap(quoted)
    const tests = items.filter((item) => !/^(?:border|mutants): /u.test(item))
    return { source, borders: named("border: "), mutants: named("mutants: "), tests }
  })

/** Lists what is wrong with each proof, so that a failure names all of them. */
const wrong = (look: (proof: Proof) => ReadonlyArray<string>) =>
  proofs.flatMap((proof) => look(proof).map((what) => `${proof.source}: ${what}`))

it("each row has four cells, none of them empty, and its own source", () => {
  assert.isAbove(rows.length, 40)
  assert.deepStrictEqual(
    rows.filter((row) => row.length !== 4 || row.some((cell) => cell.trim() === "")),
    []
  )
  const sources = rows.map(([source]) => source)
  assert.deepStrictEqual(
    sources.filter((source, index) => sources.indexOf(source) !== index),
    []
  )
})
it("each row has its proof, in the same order, and each proof its row", () => {
  assert.deepStrictEqual(
    proofs.map(({ source }) => source),
    rows.map(([source]) => source)
  )
  assert.deepStrictEqual(
    wrong(({ borders, mutants, tests }) =>
      Object.entries({ borders, mutants, tests }).flatMap(([what, all]) => (all.length === 0 ? [`no ${what}`] : []))
    ),
    []
  )
})
it("the proofs name borders that exist", () => {
  assert.deepStrictEqual(
    wrong(({ borders }) => borders.filter((file) => !existsSync(path(file)))),
    []
  )
})
it("the proofs name tests that exist, by their titles", () => {
  const missing = (reference: string) => {
    const [, file = "", title = ""] = /^(\S+\.test\.ts): (.+)$/u.exec(reference) ?? []
    if (!existsSync(path(file))) return true
    const source = readFileSync(path(file), "utf8")
    return !['"', "'", "`"].some((quote) => source.includes(`${quote}${title}`))
  }
  assert.deepStrictEqual(
    wrong(({ tests }) => tests.filter(missing)),
    []
  )
})
it("the proofs name mutants that are tried", () => {
  const names = allMutants.map(({ name }) => name)
  const isTried = (pattern: string) =>
    pattern.endsWith("*") ? names.some((name) => name.startsWith(pattern.slice(0, -1))) : names.includes(pattern)
  assert.deepStrictEqual(
    wrong(({ mutants }) => mutants.filter((pattern) => !isTried(pattern))),
    []
  )
})
