import { assert, it } from "@effect/vitest"
import { planOf } from "@souffleur/plan"
import { Result } from "effect"
import * as Yaml from "effect/encoding/Yaml"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Block, blocks, blocksOf } from "./Blocks.ts"
import { unknownIn } from "./Commands.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Why a block of shell is not run. The others run in test/cli/Examples.test.ts. */
const reasons: Readonly<Record<string, string>> = {
  container: "it starts a container",
  agent: "it needs a real agent at work, which it names or is called by",
  host: "it needs the terminal, the browser or a collector of the reader",
  network: "it sends a notice to a server of the reader's",
  program: "souffleur launches it: test/cli/ConductAgent.test.ts does",
  registry: "it asks the registry: test/pack does so with the tarball",
  workspace: "it installs and tests this repository"
}

/** Writes each block into a folder of its own for the time of an act. */
const inFolder = <A>(
  all: ReadonlyArray<Block>,
  extension: string,
  act: (folder: string, files: ReadonlyArray<string>) => A
): A => {
  const folder = fs.mkdtempSync(join(tmpdir(), "souffleur-examples-"))
  try {
    const files = all.map(({ mark, place, text }) => {
      // A block that another imports has a name.
      const file = mark.endsWith(`.${extension}`) ? mark : `${place.replaceAll(/[^\w]/gu, "_")}.${extension}`
      fs.writeFileSync(join(folder, file), text)
      return file
    })
    return act(folder, files)
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}
const wrong = (all: ReadonlyArray<Block>, look: (block: Block) => ReadonlyArray<string>) =>
  all.flatMap((block) => look(block).map((what) => `${block.place}: ${what}`))

it("every block says its language, and the reason where it cannot be run", () => {
  const marks: Readonly<Record<string, ReadonlyArray<string>>> = {
    dockerfile: [""],
    ini: [""],
    js: [""],
    json: [""],
    sh: ["", ...Object.keys(reasons).map((reason) => `no-run:${reason}`)],
    text: [""],
    ts: ["", "Scribe.ts", "ScribeContract.ts"],
    yaml: ["plan"]
  }
  assert.isAtLeast(blocks.length, 30)
  assert.deepStrictEqual(
    wrong(blocks, ({ language, mark }) => (marks[language]?.includes(mark) === true ? [] : [`${language} ${mark}`])),
    []
  )
  const used = new Set(blocks.map(({ mark }) => mark))
  assert.deepStrictEqual(
    marks["sh"]!.filter((mark) => !used.has(mark)),
    [],
    "a reason that no block gives"
  )
})

it("every block of TypeScript compiles against the packages, strictly", () => {
  const all = blocksOf("ts")
  assert.isAtLeast(all.length, 14)
  const said = inFolder(all, "ts", (folder, files) => {
    fs.symlinkSync(join(root, "test/node_modules"), join(folder, "node_modules"))
    fs.writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
    const compilerOptions = {
      composite: false,
      emitDeclarationOnly: false,
      noEmit: true,
      // The values of an example are for its reader.
      noUnusedLocals: false,
      typeRoots: [join(root, "node_modules/@types")]
    }
    fs.writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: join(root, "tsconfig.base.json"), compilerOptions, files })
    )
    return spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", folder, "--singleThreaded"], { encoding: "utf8" })
      .stdout
  })
  assert.strictEqual(said, "")
})

it("a page for an app installs each package of souffleur that its blocks import", () => {
  for (const page of ["docs/howto/embed.md", "docs/howto/test.md"]) {
    const on = (language: string) => blocksOf(language).filter(({ place }) => place.startsWith(`${page}:`))
    const installed = new Set(on("sh").flatMap(({ text }) => text.match(/@souffleur\/[a-z]+/gu) ?? []))
    const missing = wrong(on("ts"), ({ text }) =>
      [...text.matchAll(/ from "(@souffleur\/[a-z]+)/gu)].flatMap(([, name = ""]) =>
        installed.has(name) ? [] : [name]
      )
    )
    assert.deepStrictEqual(missing, [])
  }
})

it("every block of JavaScript parses", () => {
  inFolder(blocksOf("js"), "mjs", (folder, files) => {
    for (const file of files) execFileSync(process.execPath, ["--check", join(folder, file)])
  })
})

it("every block of shell parses, and names commands and flags of souffleur that exist", () => {
  const all = blocksOf("sh")
  inFolder(all, "sh", (folder, files) => {
    for (const file of files) execFileSync("/bin/sh", ["-n", join(folder, file)])
  })
  assert.deepStrictEqual(
    wrong(all, ({ text }) => text.split("\n").flatMap(unknownIn)),
    []
  )
})

it("every block of data is read by its own reader", () => {
  for (const { text } of blocksOf("json")) JSON.parse(text)
  assert.deepStrictEqual(
    wrong(blocksOf("yaml"), ({ text }) =>
      Result.match(planOf(Yaml.parse(text), new Map(), "plan"), {
        onFailure: (problems) => problems.map(String),
        onSuccess: () => []
      })
    ),
    []
  )
})
