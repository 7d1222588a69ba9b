import { assert, it } from "@effect/vitest"
import { posix } from "node:path"
import { anchorsOf, isThere, textOf, tracked } from "./Pages.ts"

const sources = tracked.filter(
  (path) => /^(?:packages|test|bench|release)\/.*\.ts$/u.test(path) && !path.includes("/fixtures/")
)
const pages = tracked.filter((path) => path.endsWith(".md") && !path.includes("/fixtures/"))

/** Returns the comments of a source. A `//` behind a colon is an address. */
const commentsOf = (source: string): string =>
  [...source.matchAll(/\/\*[^]*?\*\/|(?<![:"'`\\])\/\/.*$/gmu)].map(([comment]) => comment).join("\n")

const wrong = (paths: ReadonlyArray<string>, look: (text: string, path: string) => ReadonlyArray<string>) =>
  paths.flatMap((path) => look(textOf(path), path).map((what) => `${path}: ${what}`))

/** `spec: behaviour#stop`, and more of them with commas. */
const references = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\bspec: ((?:[a-z-]+#[\w-]+)(?:,\s+(?:\*\s+)?[a-z-]+#[\w-]+)*)/gu)].flatMap(([, list]) =>
    list!.split(/,[\s*]+/u)
  )

const specification = ["docs/security.md", ...tracked.filter((path) => path.startsWith("docs/spec/"))]
const anchors = new Map(specification.map((path) => [posix.basename(path, ".md"), anchorsOf(textOf(path))] as const))
const isRule = (reference: string) => {
  const [page = "", anchor = ""] = reference.split("#")
  return anchors.get(page)?.includes(anchor) === true
}

/** The rules that tests name: `describe("behaviour#stop", …)`. */
const proven = new Map(
  sources
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => [
      path,
      [...textOf(path).matchAll(/\bdescribe(?:\.\w+)*\("([a-z-]+#[^"]+)"/gu)].flatMap(([, list]) => list!.split(", "))
    ])
)

it("the tests name rules of the specification that exist", () => {
  assert.deepStrictEqual(
    [...proven].flatMap(([path, names]) => names.filter((name) => !isRule(name)).map((name) => `${path}: ${name}`)),
    []
  )
})
/** Headings that state no rule, and why. Each agent's "Left out" says what souffleur leaves to the agent. */
const noRules = new Map([
  ["behaviour#departures-from-the-original-plan", "gives the reasons of rules that other headings state"],
  ...["codex", "copilot", "gemini", "opencode", "pi", "qwen"].map(
    (page) => [`${page}#left-out`, "says what is not there"] as const
  )
])

it("each rule of the specification has a test that names it", () => {
  const named = new Set([...proven.values()].flat())
  const headings = specification.flatMap((path) =>
    anchorsOf(textOf(path).replaceAll(/^# .*$/gmu, "")).map((anchor) => `${posix.basename(path, ".md")}#${anchor}`)
  )
  assert.isAbove(headings.length, 210)
  assert.deepStrictEqual(
    headings.filter((heading) => !named.has(heading)),
    headings.filter((heading) => noRules.has(heading))
  )
  assert.deepStrictEqual(
    [...noRules.keys()].filter((heading) => !headings.includes(heading)),
    []
  )
})

it("the comments refer to headings of the specification that exist", () => {
  const found = sources.flatMap((path) => references(commentsOf(textOf(path))))
  assert.isAbove(found.length, 150)
  assert.deepStrictEqual(
    wrong(sources, (text) => references(commentsOf(text)).filter((reference) => !isRule(reference))),
    []
  )
})
it("the comments refer to the specification in no other way", () => {
  // A section of another document's is named with that.
  assert.deepStrictEqual(
    wrong([...sources, ...pages], (text, path) =>
      [
        ...(path.endsWith(".ts") ? commentsOf(text) : text).matchAll(
          /\bspec(?:ification)?(?:\.md)? §[^.\n]*|\bthe seed's \w+/giu
        )
      ].map(([found]) => found)
    ),
    []
  )
})
it("the files name no document outside the repository", () => {
  /** Of a user's project, or such as one would be called. */
  const others = new Set(["PLAN.md", "NOTES.md", "README.md", "docs/spec.md", "CLAUDE.md", "x.md"])
  const named = (text: string) =>
    [...text.matchAll(/(?<![\w/.<>~*$}-])(?:[\w-]+\/)*[\w-]+\.md\b/gu)].map(([name]) => name)
  assert.deepStrictEqual(
    wrong([...sources, ...pages], (text, path) =>
      named(
        path.endsWith(".ts")
          ? commentsOf(text)
          : text.replaceAll(/^```[^]*?^```$/gmu, "").replaceAll(/\]\([^)]*\)/gu, "]")
      ).filter(
        (name) =>
          !others.has(name) &&
          !isThere(name) &&
          !isThere(`docs/${name}`) &&
          !isThere(posix.join(posix.dirname(path), name)) &&
          !isThere(`docs/spec/${name}`)
      )
    ),
    []
  )
})
it("the files name decisions that exist", () => {
  const decisions = new Set(
    tracked.filter((path) => path.startsWith("docs/decisions/")).map((path) => posix.basename(path).slice(0, 4))
  )
  assert.deepStrictEqual(
    wrong([...sources, ...pages], (text) =>
      [...text.matchAll(/\bdecision (\d{4})\b/giu)].map(([, number]) => number!).filter((one) => !decisions.has(one))
    ),
    []
  )
})
it("the pages name files of this repository that exist", () => {
  assert.deepStrictEqual(
    wrong(pages, (text) =>
      [...text.matchAll(/`((?:packages|test|bench|release|docs)\/[\w./-]+)`/gu)]
        .map(([, name]) => name!)
        // Left out are files that a reader is to make, and files that a build makes.
        .filter((name) => !/NAME|\/dist\//u.test(name) && !isThere(name))
    ),
    []
  )
})
it("the pages name source files by a name that exists", () => {
  const names = new Set(tracked.map((path) => posix.basename(path)))
  assert.deepStrictEqual(
    wrong(pages, (text) =>
      [...text.matchAll(/`([A-Z]\w+\.ts)`/gu)]
        .map(([, name]) => name!)
        .filter((name) => name !== "NAME.ts" && !names.has(name))
    ),
    []
  )
})

it("the table of commands lists each command", () => {
  const listed = textOf("packages/cli/src/CommandTable.ts")
  const commands = tracked.filter((path) => /^packages\/cli\/src\/commands\/\w+Command\.ts$/u.test(path))
  const missing = commands.filter((path) => !listed.includes(`/${posix.basename(path)}"`))
  // A command with words of its own lists those.
  assert.deepStrictEqual(
    missing.filter((path) => !commands.some((other) => textOf(other).includes(`./${posix.basename(path)}"`))),
    []
  )
})
