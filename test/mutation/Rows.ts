import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Mutant } from "./Mutant.ts"

const path = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url))

/** A row of docs/spec-map.md. */
export interface SpecRow {
  readonly rule: string
  readonly file: string
  /** As the source has it, with its `${…}` and `%s`. */
  readonly title: string
  readonly line: string
  readonly columns: number
}

export const specRows = (): ReadonlyArray<SpecRow> =>
  readFileSync(path("docs/spec-map.md"), "utf8")
    .split("\n")
    .flatMap((line) => {
      const cells = line.split(" | ")
      const [rule = "", file = "", title = ""] = cells.map((cell) => cell.replace(/^\| | \|$/gu, ""))
      return line.startsWith("| ") && rule !== "rule" && !line.startsWith("| -")
        ? [{ line, columns: cells.length, rule, file, title }]
        : []
    })

/** Written by `pnpm mutate --titles` alone. */
export const killedFile = path("test/mutation/Killed.json")

export const keyOf = ({ file, name }: Mutant): string => `${file}: ${name}`

/** Of each mutant that was tried so, every test that it failed: `file: title`, as it was run. */
export const killed = (): Readonly<Record<string, ReadonlyArray<string>>> =>
  existsSync(killedFile) ? JSON.parse(readFileSync(killedFile, "utf8")) : {}

const literally = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)
/** Matches the titles that a row's title means. */
const titled = ({ file, title }: SpecRow) =>
  new RegExp(
    `^${literally(file)}: ${title
      .split(/\$\{[^}]*\}|%[sdj]/u)
      .map(literally)
      .join(".*")}$`,
    "u"
  )

/** Finds the mutants that fail the test of a row. */
export const mutantsOfRows = () => {
  const failed = Object.entries(killed()).flatMap(([mutant, titles]) => titles.map((title) => ({ mutant, title })))
  const ofFile = Map.groupBy(failed, ({ title }) => title.split(": ", 1)[0])
  return (row: SpecRow): ReadonlyArray<string> => {
    const shape = titled(row)
    const caught = (ofFile.get(row.file) ?? []).filter(({ title }) => shape.test(title))
    return [...new Set(caught.map(({ mutant }) => mutant))]
  }
}

/** Why there may be none for a row; `undefined`: there is no reason, and one is to be made. */
export const whyNone = ({ file }: SpecRow): string | undefined => {
  if (/^test\/(?:agents|claude|fleet|page|service)\//u.test(file))
    return "none: it needs a program that is not everywhere"
  if (/^test\/(?:cli|evidence|fuzz|nights|scenarios|simulation|torture)\//u.test(file))
    return "none: it is of the whole, whose parts have theirs"
  return undefined
}
