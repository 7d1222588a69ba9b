import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { domainMutants } from "./DomainMutants.ts"
import type { Mutant } from "./Mutant.ts"
import { nodeMutants } from "./NodeMutants.ts"
import { roleMutants } from "./RoleMutants.ts"

/**
 * `pnpm mutate`: takes each line of defence away in turn, in a copy of the tree, and runs the tests that should notice. `--only WORD`: those
 * whose name or file has it. Ends with 1 where fewer than 95 % are caught, with 2 where the list does not fit the source any more.
 */
const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: { only: { type: "string", default: "" } }
})
const root = resolve(import.meta.dirname, "../..")
const mutants = [...domainMutants, ...roleMutants, ...nodeMutants].filter(
  ({ file, name }) => name.includes(values.only) || file.includes(values.only)
)
/** Ms of one run of tests: a mutant that makes them hang is caught. */
const limit = 240_000
/** What runs of the whole see what a unit's tests do not. Nothing there touches a process of this machine. */
const wider = ["test/scenarios", "test/simulation"]

const stale = mutants.filter(({ file, from }) => readFileSync(join(root, file), "utf8").split(from).length !== 2)
if (stale.length > 0) {
  for (const { file, name } of stale)
    console.error(`${file}: "${name}" does not stand there once: the list of mutants is to follow the source`)
  process.exit(2)
}

/** The tree without what is installed or built, which is linked; its packages are its own, so that every test takes the mutant. */
const copyTree = (): string => {
  const tree = mkdtempSync(join(tmpdir(), "souffleur-mutants-"))
  for (const entry of [
    "docs",
    "packages",
    "test",
    "vitest.config.ts",
    "tsconfig.base.json",
    "tsconfig.json",
    "tsconfig.test.json",
    "package.json"
  ])
    cpSync(join(root, entry), join(tree, entry), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !/\/(?:dist|\.tsbuild)$/u.test(path)
    })
  mkdirSync(join(tree, "node_modules/@souffleur"), { recursive: true })
  for (const entry of readdirSync(join(root, "node_modules")))
    if (entry !== "@souffleur" && !entry.startsWith(".vite"))
      symlinkSync(join(root, "node_modules", entry), join(tree, "node_modules", entry))
  for (const name of readdirSync(join(root, "node_modules/@souffleur")))
    symlinkSync(join(tree, "packages", name), join(tree, "node_modules/@souffleur", name))
  return tree
}

const tree = copyTree()

/** Whether these tests fail there, or do not end. */
const fails = (tests: ReadonlyArray<string>, within = limit): boolean => {
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--bail=1", "--maxWorkers=1", ...tests]
  const { status } = spawnSync(process.execPath, vitest, { cwd: tree, timeout: within, killSignal: "SIGKILL", stdio: "ignore" })
  return status !== 0
}

const isCaught = ({ file, from, tests, to }: Mutant): boolean => {
  const path = join(tree, file)
  const source = readFileSync(path, "utf8")
  writeFileSync(
    path,
    source.replace(from, () => to)
  )
  try {
    return fails(tests) || (!file.startsWith("packages/node/") && fails(wider))
  } finally {
    writeFileSync(path, source)
  }
}

try {
  const used = [...new Set(mutants.flatMap(({ tests }) => tests)), ...wider]
  if (fails(used, 5 * limit)) {
    console.error("the tests fail without any mutant")
    process.exitCode = 2
  } else {
    const survivors: Array<Mutant> = []
    for (const mutant of mutants) {
      const caught = isCaught(mutant)
      if (!caught) survivors.push(mutant)
      console.log(`${caught ? "caught  " : "SURVIVED"} ${mutant.file.replace(/^packages\/|src\//gu, "").padEnd(40)} ${mutant.name}`)
    }
    const share = (100 * (mutants.length - survivors.length)) / mutants.length
    console.log(`\n${mutants.length - survivors.length} of ${mutants.length} mutants caught (${share.toFixed(1)} %)`)
    for (const { file, name } of survivors) console.log(`survived: ${file}: ${name}`)
    process.exitCode = share < 95 ? 1 : 0
  }
} finally {
  rmSync(tree, { recursive: true, force: true })
}
