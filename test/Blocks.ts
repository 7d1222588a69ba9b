import { textOf, tracked } from "./Pages.ts"

/** A fenced block of code, of a page or of a docstring. */
export interface Block {
  /** The file, and the line of the fence, such as `docs/guide.md:7`. */
  readonly place: string
  readonly language: string
  /** The rest of the info string, such as `no-run:agent`. */
  readonly mark: string
  readonly text: string
}

const blocksIn = (path: string, text: string): ReadonlyArray<Block> =>
  [...text.matchAll(/^```(\S*) ?(.*)\n([^]*?)^```$/gmu)].map(
    ({ 1: language = "", 2: mark = "", 3: code = "", index }) => ({
      place: `${path}:${text.slice(0, index).split("\n").length}`,
      language,
      mark,
      text: code
    })
  )

/** The words of docstrings, each in its own line of the file. */
const docstringsOf = (source: string): string =>
  source
    .split("\n")
    .map((line) => /^\s*\* ?(?!\/)(.*)$/u.exec(line)?.[1] ?? "")
    .join("\n")

/** Every block that a reader may copy: of the pages, and of the docstrings of sources. */
export const blocks: ReadonlyArray<Block> = tracked.flatMap((path) => {
  if (/^(?:[A-Z]+|docs\/.+|packages\/[a-z]+\/README|examples\/[a-z-]+\/README)\.md$/u.test(path))
    return blocksIn(path, textOf(path))
  return /^packages\/[a-z]+\/src\/.+\.ts$/u.test(path) ? blocksIn(path, docstringsOf(textOf(path))) : []
})

/** The blocks of a language. */
export const blocksOf = (language: string): ReadonlyArray<Block> =>
  blocks.filter((block) => block.language === language)
