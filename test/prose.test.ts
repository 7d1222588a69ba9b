import { assert, it } from "@effect/vitest"
import { builtIn, commands, flagNames } from "./Commands.ts"
import { anchorsOf, commentsOf, isThere, messagesOf, sentencesOf, textOf, titlesOf, tracked } from "./Pages.ts"

/** Pages that keep to the rules of CONTRIBUTING.md, Prose. A page joins when it is rewritten. */
const held = [
  ...tracked.filter((path) => /^(?:docs\/(?:spec|decisions)\/|examples\/.*\.md$)/u.test(path)),
  "docs/glossary.md",
  "docs/agent.md",
  "docs/architecture.md",
  "docs/conduct-agent.md",
  "docs/conduct.md",
  "docs/events.md",
  "docs/providers.md",
  "docs/releasing.md",
  "docs/reliability.md",
  "docs/simulation.md",
  "docs/guide.md",
  "docs/howto/embed.md",
  "docs/howto/observe.md",
  "docs/howto/test.md",
  "docs/safety.md",
  "docs/security.md",
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md"
]

/** Words of one sentence, and of the title of a test. */
const [longest, longestTitle] = [20, 25]
/** Words and turns that tell a reader too little, or name what is not in the repository. */
const forbidden =
  /\b(?:nobody|anew|one that|ones that|whoever|whomever|stands|thereof|merely|seeds?|overheard)\b|^(?:Who|What|Whose|Whom)\b(?!.*\?$)|\/work\//iu

const wrong = (look: (path: string) => ReadonlyArray<string>) =>
  held.flatMap((path) => look(path).map((what) => `${path}: ${what}`))

it("the list of held pages is not empty", () => {
  assert.isAtLeast(held.length, 5)
})
const wordsIn = (text: string) => text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
const isLong = (sentence: string) => wordsIn(sentence) > longest
it("the pages have no sentence of more than 20 words", () => {
  assert.deepStrictEqual(
    wrong((path) => sentencesOf(textOf(path)).filter(isLong)),
    []
  )
})
it("the pages have no word that tells too little", () => {
  assert.deepStrictEqual(
    wrong((path) => sentencesOf(textOf(path)).filter((sentence) => forbidden.test(sentence))),
    []
  )
})

/** A hook of the agent runs it before the command line is loaded. */
const beside = ["hook"]
/** Of Claude Code, where a launch is described. */
const ofTheAgent = ["settings", "model", "permission-mode"]
const flags = new Set([...builtIn, ...ofTheAgent, ...commands.flatMap(([, { flags }]) => flags.flatMap(flagNames))])
const codeOf = (path: string): ReadonlyArray<string> =>
  [...textOf(path).matchAll(/`([^`\n]+)`/gu)].map(([, code]) => code!)

it("README has at most 500 words beside its code and tables", () => {
  assert.isAtMost(wordsIn(sentencesOf(textOf("README.md")).join(" ")), 500)
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

const among = (pattern: RegExp) => tracked.filter((path) => pattern.test(path))
const broken = (
  paths: ReadonlyArray<string>,
  parts: (source: string) => ReadonlyArray<string>,
  rule: (part: string) => boolean
) =>
  paths.flatMap((path) =>
    parts(textOf(path))
      .filter(rule)
      .map((part) => `${path}: ${part}`)
  )
/** In code, a seed is the number that fixes a random world. */
const tellsTooLittle = (text: string) => forbidden.test(text.replaceAll(/\bseeds?\b/giu, ""))
it("the comments of the source keep the same rules", () => {
  const sources = among(/^(?:packages|bench|examples|release|test)\/.*\.ts$/u)
  assert.deepStrictEqual(
    broken(sources, commentsOf, (sentence) => isLong(sentence) || tellsTooLittle(sentence)),
    []
  )
})
/** A standby has that word. A list of programs, in lower case alone, is no sentence. */
const isPoorMessage = (sentence: string) =>
  tellsTooLittle(sentence.replaceAll("stands by", "")) || (isLong(sentence) && /[^a-z -]/u.test(sentence))
it("the messages of the source keep the same rules", () => {
  assert.deepStrictEqual(broken(among(/^packages\/\w+\/src\/.*\.ts$/u), messagesOf, isPoorMessage), [])
})
/** A title without a subject: which of them failed is not to be seen from its line. */
const withoutSubject =
  /^(?:is|has|of|that|nor|by|and|but|with|to|from|are|was|were|does|in|at|for|not|only|where|what|no)\b/iu
it("each test has a title with a subject", () => {
  const tests = among(/\.test\.ts$/u)
  assert.deepStrictEqual(
    broken(
      tests,
      titlesOf,
      (title) => wordsIn(title) > longestTitle || tellsTooLittle(title) || withoutSubject.test(title)
    ),
    []
  )
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
  const sources = among(/^packages\/\w+\/src\/.*\.ts$/u)
  const bare = sources.flatMap((path) =>
    [...exportedIn(textOf(path))].flatMap(([name, words]) => (words === undefined ? [`${path}: ${name}`] : []))
  )
  assert.deepStrictEqual(bare, [])
})
it("a docstring opens with a verb or a name, never with a bare condition", () => {
  assert.deepStrictEqual(
    broken(
      among(/\.ts$/u),
      (source) => [...source.matchAll(/\/\*\*[\s*]+(\w+)/gu)].map(([, word]) => word!),
      (word) => /^(?:Whether|If|That)$/u.test(word)
    ),
    []
  )
})
