import * as fs from "node:fs"

/** One slice that ended, or several of one command on one commit. */
export interface Proof {
  readonly command: string
  /** The seeds of its slices, in their order. */
  readonly seeds: ReadonlyArray<string>
  /** In the unit of the command. */
  readonly size: number
  readonly unit: string
  readonly verdict: "held" | "broken"
  readonly commit: string
  /** The day of the last slice. */
  readonly date: string
}

const json = new URL("../../docs/proofs.json", import.meta.url)
export const page = new URL("../../docs/reliability.md", import.meta.url)

export const proofs = (): ReadonlyArray<Proof> => JSON.parse(fs.readFileSync(json, "utf8"))

/** Sizes add up on the same commit alone, and a broken slice stays broken until another commit takes its place. */
export const added = (before: ReadonlyArray<Proof>, slice: Proof): ReadonlyArray<Proof> => {
  const old = before.find(({ command, commit }) => command === slice.command && commit === slice.commit)
  const sum: Proof =
    old === undefined
      ? slice
      : {
          ...slice,
          seeds: [...old.seeds, ...slice.seeds],
          size: old.size + slice.size,
          verdict: old.verdict === "broken" ? "broken" : slice.verdict
        }
  return [...before.filter(({ command }) => command !== slice.command), sum].toSorted((one, other) =>
    one.command.localeCompare(other.command, "en")
  )
}

/** The table of the page, with the lines that hold it. */
export const tableOf = (all: ReadonlyArray<Proof>): string => {
  const rows = all.map(
    ({ command, commit, date, seeds, size, unit, verdict }) =>
      `| \`${command}\` | ${size.toLocaleString("en")} ${unit} | ${seeds[0]}${seeds.length === 1 ? "" : ` and ${seeds.length - 1} more`} | ${verdict} | ${commit.slice(0, 8)} | ${date} |`
  )
  const table =
    rows.length === 0
      ? ["Nothing has been proved yet."]
      : ["| command | size | seeds | verdict | commit | date |", "| --- | --- | --- | --- | --- | --- |", ...rows]
  return ["<!-- proofs -->", "", ...table, "", "<!-- /proofs -->"].join("\n")
}

/** The page with the table of these. */
export const withTable = (text: string, all: ReadonlyArray<Proof>): string =>
  text.replace(/<!-- proofs -->[^]*<!-- \/proofs -->/u, () => tableOf(all))

export const write = (all: ReadonlyArray<Proof>): void => {
  fs.writeFileSync(json, `${JSON.stringify(all, undefined, 2)}\n`)
  fs.writeFileSync(page, withTable(fs.readFileSync(page, "utf8"), all))
}
