/** One line of defence taken away: an exact piece of source and its replacement. */
export interface Mutant {
  readonly name: string
  /** From the root. */
  readonly file: string
  /** The file has this piece once. */
  readonly from: string
  readonly to: string
  /** The cheapest tests that should notice, tried first: files; `file: title`, of what costs much, that test alone. */
  readonly tests: ReadonlyArray<string>
}

/** Mutants of one file: what is removed, the piece, its replacement, and what should notice this one besides. */
export const mutantsOf = (
  file: string,
  tests: ReadonlyArray<string>,
  rows: ReadonlyArray<readonly [name: string, from: string, to: string, ...besides: ReadonlyArray<string>]>
): ReadonlyArray<Mutant> =>
  rows.map(([name, from, to, ...besides]) => ({ name, file, from, to, tests: [...tests, ...besides] }))

/** A test's file, and the title of the one in it that is meant. */
export const fileAndTitle = (test: string): readonly [file: string, title?: string] => {
  const at = test.indexOf(": ")
  return at === -1 ? [test] : [test.slice(0, at), test.slice(at + 2)]
}

export const packageOf = ({ file }: Mutant): string => file.split("/")[1]!

const literally = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)
const isWord = (text = "") => /^\w/u.test(text)

/** The piece however its lines are broken, which is the formatter's to say. */
const pieceOf = ({ from }: Mutant): RegExp => {
  const tokens = from.match(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\w+|[^\w\s]/gu) ?? []
  const between = (index: number) =>
    isWord(tokens[index - 1]) && isWord(tokens[index]) ? String.raw`\s+` : String.raw`\s*`
  return new RegExp(
    tokens.map((token, index) => `${index === 0 ? "" : between(index)}${literally(token)}`).join(""),
    "gu"
  )
}

/** Only such a mutant can be caught for its own sake. */
export const isApplicable = (mutant: Mutant, source: string): boolean =>
  mutant.from !== mutant.to && [...source.matchAll(pieceOf(mutant))].length === 1

export const applied = (mutant: Mutant, source: string): string => source.replace(pieceOf(mutant), () => mutant.to)

/** The scenarios, except the one test that takes as long as all others. */
const scenarios = [
  "Death",
  "Trouble",
  "Standby",
  "Compact",
  "Payload",
  "Handoff",
  "TurnEnd",
  "HeartbeatOnly",
  "Ending"
].map((name) => `test/scenarios/${name}.test.ts`)

/**
 * Lists wider tests for a mutant that its own tests did not notice: runs of the whole, and its package's. A mutant of
 * `node` has none, since tests of `node` meet real processes. Such a mutant meets only the tests it was written for.
 */
export const widerThan = (mutant: Mutant): ReadonlyArray<ReadonlyArray<string>> => {
  const own = [`packages/${packageOf(mutant)}/test`]
  switch (packageOf(mutant)) {
    case "node":
      return []
    case "conductor":
    case "cli":
      return [own]
    default:
      return [scenarios, own, ["test/scenarios/Crash", "test/simulation"]]
  }
}
