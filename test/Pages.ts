import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The text of a file of the repository, by its path from the root. */
export const textOf = (path: string): string => readFileSync(`${root}/${path}`, "utf8")

/** Files that are, or are about to be, under version control. */
export const tracked: ReadonlyArray<string> = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard"],
  {
    cwd: root,
    encoding: "utf8"
  }
)
  .split("\n")
  .filter((path) => path !== "" && existsSync(`${root}/${path}`))

/** Holds if there is such a file or folder of the repository. */
export const isThere = (path: string): boolean => existsSync(`${root}/${path}`)

const withoutCode = (markdown: string): string => markdown.replaceAll(/^```[^]*?^```$/gmu, "")

/** The anchors of a page's headings, as GitHub makes them. */
export const anchorsOf = (markdown: string): ReadonlyArray<string> => {
  const seen = new Map<string, number>()
  return [...withoutCode(markdown).matchAll(/^#+ (.+)$/gmu)].map(([, title = ""]) => {
    const slug = title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-")
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return times === 0 ? slug : `${slug}-${times}`
  })
}

/** The sentences of a page, without code, tables and headings. A piece of code is one word, `x`. */
export const sentencesOf = (markdown: string): ReadonlyArray<string> =>
  withoutCode(markdown)
    .split("\n")
    .map((line) => (/^(?:#|\|| {4})/u.test(line) ? "" : line))
    .join("\n")
    // A list's item is a block of its own, and so is what a blank line parts.
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/u)
    .map((block) =>
      block
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
        .replaceAll(/`[^`]*`/gu, "x")
        .replaceAll(/[*_]{1,2}/gu, "")
        .replace(/^\s*(?:[-*]|\d+\.) /u, "")
        .replaceAll(/\s+/gu, " ")
        .trim()
    )
    .flatMap((block) => block.split(/(?<=[.?!])\s+/u))
    .filter((sentence) => sentence !== "")

/** The prose of the comments of a source, in sentences: without examples, tags and code. */
export const commentsOf = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(/\/\*\*?([^]*?)\*\/|((?:^[ \t]*\/\/.*\n)+)|(?<=\S)[ \t]+\/\/ (.*)$/gmu)].flatMap(
    ([, block, lines, behind]) =>
      sentencesOf(
        (block ?? lines ?? behind ?? "")
          .replaceAll(/^[ \t]*(?:\*|\/\/) ?/gmu, "")
          .replaceAll(/@\w+|\(spec: [^)]*\)/gu, "")
          .replaceAll(/\{@link (\w+)\}/gu, "$1")
      )
  )

/** The clauses of the messages of a source: of its literals with at least four words. A value in a template is `x`. */
export const messagesOf = (source: string): ReadonlyArray<string> =>
  [...source.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gmu, "").matchAll(/"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/gu)]
    .map(([, plain, template]) => (plain ?? template ?? "").replaceAll(/\$\{[^}]*\}/gu, "x"))
    .filter((text) => text.split(" ").length > 3 && !/[<>{}=]|\b(?:SELECT|INSERT|UPDATE|CREATE)\b/u.test(text))
    .flatMap((text) => text.split(/(?<=[.?!:;])\s+|\\n/u))

/** The titles of the tests of a file. */
export const titlesOf = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(/\b(?:it|describe)[\w.]*\(\s*(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`)/gu)].map(
    ([, plain, template]) => plain ?? template!
  )
