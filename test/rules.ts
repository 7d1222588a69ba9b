import { textOf, tracked } from "./Pages.ts"

/**
 * `pnpm rules [WORD]` prints the tests of each rule of the specification, or of those whose name has the word.
 *
 * A test names its rule by the `describe` around it. The formatter puts the end of that block at the indent of its
 * begin.
 */
const word = process.argv[2] ?? ""
const tests = tracked.filter((path) => path.endsWith(".test.ts"))
const found = tests.flatMap((path) =>
  [...textOf(path).matchAll(/^( *)describe[^"\n]*"([a-z-]+#[^"]+)"[^]*?^\1\}/gmu)].flatMap(([block, , names]) =>
    names!.split(", ").map((rule) => {
      const titles = [...block.matchAll(/^ *(?:it|test|live)[^"'`\n]*\(\s*(["'`])(.+?)\1,/gmu)].map(
        ([, , title]) => title
      )
      return { rule, path, titles }
    })
  )
)
for (const [rule, of] of [...Map.groupBy(found, (one) => one.rule)].toSorted())
  if (rule.includes(word))
    console.log(
      `${rule}\n${of.map(({ path, titles }) => `  ${path}\n${titles.map((one) => `    ${one}\n`).join("")}`).join("")}`
    )
