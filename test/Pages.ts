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

/** Returns whether the repository has a file or folder at this path. */
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

/** The prose of a page: without code, tables, headings and the targets of links. */
export const proseOf = (markdown: string): string =>
  withoutCode(markdown)
    .replaceAll(/^(?:#|\|| {4}).*$/gmu, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replaceAll(/`[^`]*`/gu, "x")
