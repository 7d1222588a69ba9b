import { assert, it } from "@effect/vitest"
import { builtIn, commands, flagNames } from "./Commands.ts"
import { anchorsOf, isThere, proseOf, textOf, tracked } from "./Pages.ts"

const held = tracked.filter((path) => path.endsWith(".md") && !path.includes("/fixtures/"))
const wrong = (look: (path: string) => ReadonlyArray<string>) =>
  held.flatMap((path) => look(path).map((what) => `${path}: ${what}`))

it("the list of held pages is not empty", () => {
  assert.isAtLeast(held.length, 50)
})

/** A hook of the agent runs it before the command line is loaded. */
const beside = ["hook"]
/** Of Claude Code, where a launch is described. */
const ofTheAgent = [
  "settings",
  "model",
  "permission-mode",
  "max-budget-usd",
  "max-turns",
  "max-session-turns",
  "max-ai-credits",
  "max-tool-calls",
  "max-wall-time"
]
const flags = new Set([...builtIn, ...ofTheAgent, ...commands.flatMap(([, { flags }]) => flags.flatMap(flagNames))])
const codeOf = (path: string): ReadonlyArray<string> =>
  [...textOf(path).matchAll(/`([^`\n]+)`/gu)].map(([, code]) => code!)

it("README has at most 500 words beside its code and tables", () => {
  const words = proseOf(textOf("README.md"))
    .split(/\s+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
  assert.isAtMost(words.length, 500)
})
it("the pages name commands that exist", () => {
  assert.isAbove(commands.length, 25)
  const known = new Set([...commands.map(([path]) => path), ...beside])
  assert.deepStrictEqual(
    wrong((path) =>
      codeOf(path).flatMap((code) => {
        const [first, second] = /^souffleur ((?:[a-z]+ ?)+)/u.exec(code)?.[1]?.trim().split(" ") ?? []
        if (first === undefined) return []
        const isGroup = second !== undefined && commands.some(([path]) => path.startsWith(`${first} `))
        return known.has(isGroup ? `${first} ${second}` : first) ? [] : [code]
      })
    ),
    []
  )
})
it("the pages name flags that exist", () => {
  assert.deepStrictEqual(
    wrong((path) =>
      // Of the agents, of git and of the tools of this repository, other flags are known.
      /claude-code|spec\/(?:codex|copilot|gemini|opencode|pi|qwen)|add-an-agent|CONTRIBUTING|releasing/u.test(path)
        ? []
        : codeOf(path)
            .filter((code) => /^--[a-z]/u.test(code) || code.startsWith("souffleur "))
            .flatMap((code) =>
              [...code.matchAll(/(?:^|\s)--([a-z-]+)/gu)]
                .map(([, name]) => name!)
                .filter((name) => !flags.has(name))
                .map((name) => `${code}: --${name}`)
            )
    ),
    []
  )
})
it("the pages link to pages and headings that exist", () => {
  assert.deepStrictEqual(
    wrong((path) =>
      [...textOf(path).matchAll(/\]\(([^)\s]+)\)/gu)].flatMap(([, target = ""]) => {
        if (/^[a-z]+:/u.test(target)) return []
        const [file = "", anchor] = target.split("#")
        const url = new URL(file, `https://there/${path}`)
        const page = file === "" ? path : url.pathname.slice(1)
        if (!isThere(page)) return [target]
        return anchor === undefined || anchorsOf(textOf(page)).includes(anchor) ? [] : [target]
      })
    ),
    []
  )
})

it("no file names a folder of the machine that it was written on", () => {
  const files = tracked.filter((path) => /\.(?:ts|md|json|yaml)$/u.test(path) && !path.includes("/fixtures/"))
  // The opera is a project of the tests.
  const named = files.filter((path) => /\/work\/(?!opera\b)/u.test(textOf(path)))
  assert.deepStrictEqual(named, [])
})

/** Names that a source exports, with the docstring of each one's first declaration; `undefined`: it has none. */
const exportedIn = (source: string): ReadonlyMap<string, string | undefined> => {
  const found = new Map<string, string | undefined>()
  const declared =
    /^(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?export (?:(?:abstract|async|declare) )*(?:class|const|enum|function\*?|interface|let|type) (\w+)/gmu
  for (const [, words, name] of source.matchAll(declared))
    if (!found.has(name!)) found.set(name!, words?.replaceAll(/\s*\*?\s+/gu, " ").trim())
  return found
}
it("each exported name of a package has a docstring", () => {
  assert.deepStrictEqual(
    [
      ...exportedIn(
        "/** A. */\nexport const a = 1\nexport const b = 2\n/** C. */\nexport class C {}\nexport type C = 1\n"
      )
    ],
    [
      ["a", "A."],
      ["b", undefined],
      ["C", "C."]
    ]
  )
  const sources = tracked.filter((path) => /^packages\/\w+\/src\/.*\.ts$/u.test(path))
  const bare = sources.flatMap((path) =>
    [...exportedIn(textOf(path))].flatMap(([name, words]) => (words === undefined ? [`${path}: ${name}`] : []))
  )
  assert.deepStrictEqual(bare, [])
})
