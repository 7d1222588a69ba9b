import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers"
import { parseArgs } from "node:util"
import { Instrumenter } from "@stryker-mutator/instrumenter"
import { Seed } from "../test/simulation/Seed.ts"

/**
 * `pnpm mutate:worlds --seed N --mutants N --minutes N` changes the deciders in one place at a time, drawn at random, in
 * a clone of HEAD, and simulates worlds on each mutant until one of them is violated. It names the mutants that no world
 * sees within the minutes, for a person to read: the rule is one that no world can see, or a world or a judge is lacking.
 */
const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: {
    seed: { type: "string" },
    mutants: { type: "string", default: "50" },
    minutes: { type: "string", default: "5" }
  }
})
const [wanted, minutes] = [Number(values.mutants), Number(values.minutes)]
const seed =
  values.seed === undefined ? crypto.getRandomValues(new Uint32Array(1))[0]! % 900_000_000 : Number(values.seed)
if (!(wanted > 0 && minutes > 0 && Number.isSafeInteger(seed))) {
  console.error("--seed, --mutants and --minutes: numbers above 0 are needed")
  process.exit(2)
}

/** What plays the worlds that a file decides in. */
const plays = [
  { files: "packages/domain/src/{decide,evidence,watch}/*.ts", words: [] },
  { files: "packages/plan/src/{decide,run,tree}/*.ts", words: ["--runs"] }
]
/** The instrumenter has nothing to say here. */
const logger = new Proxy({} as ConstructorParameters<typeof Instrumenter>[0], { get: () => () => false })
/** No world can see a word that is told, and a schema is not a decision. */
const excludedMutations = ["StringLiteral", "Regex", "ObjectLiteral"]

const folder = mkdtempSync(join(tmpdir(), "souffleur-worlds-"))
/** What simulates now. Its workers go with its group. */
let worlds: ChildProcess | undefined
const endWorlds = () => {
  if (worlds?.pid !== undefined && worlds.exitCode === null && worlds.signalCode === null)
    process.kill(-worlds.pid, "SIGKILL")
}
process.once("exit", () => {
  endWorlds()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
execFileSync("git", ["clone", "--quiet", ".", folder], { stdio: "inherit" })
const version = /pnpm@[\d.]+/u.exec(readFileSync("package.json", "utf8"))?.[0] ?? "pnpm"
execFileSync("npx", ["--yes", version, "install", "--frozen-lockfile", "--prefer-offline", "--silent"], {
  cwd: folder,
  stdio: "inherit"
})

const described = plays.flatMap(({ files, words }) =>
  globSync(files, { cwd: folder }).map((name) => ({
    name,
    words,
    mutate: true,
    content: readFileSync(join(folder, name), "utf8")
  }))
)
const { files, mutants: all } = await new Instrumenter(logger).instrument(described, {
  plugins: null,
  excludedMutations,
  ignorers: []
})
for (const { name, content } of files) writeFileSync(join(folder, name), content)
const draw = new Seed(seed)
const drawn = all
  .filter(({ status }) => status === undefined)
  .map((mutant) => ({ mutant, order: draw.next() }))
  .sort((a, b) => a.order - b.order)
  .slice(0, wanted)
  .map(({ mutant }) => mutant)
console.log(`seed ${seed}: ${drawn.length} of ${all.length} mutants, ${minutes} minutes each`)

/** Simulates worlds until one is violated, the program fails, or the time is over. `undefined`: none saw anything. */
const seen = (id: string, words: ReadonlyArray<string>): Promise<string | undefined> =>
  new Promise((resolve) => {
    const args = ["test/simulation/simulate.ts", ...words, `--seed=${seed}`, "--cycles=1000000"]
    worlds = spawn(process.execPath, args, {
      cwd: folder,
      env: { ...process.env, __STRYKER_ACTIVE_MUTANT__: id },
      stdio: ["ignore", "ignore", "pipe"],
      detached: true
    })
    let [found, told] = ["", false]
    const over = setTimeout(() => end(told ? "" : "a world that does not end"), minutes * 60_000)
    const end = (why: string) => {
      found ||= why
      endWorlds()
    }
    worlds.stderr!.setEncoding("utf8").on("data", (text: string) => {
      told = true
      const failed = /, worlds? (\d+)/u.exec(text)
      if (failed !== null) end(`world ${failed[1]}`)
    })
    worlds.once("close", (code) => {
      clearTimeout(over)
      resolve(found !== "" ? found : code === null ? undefined : `it ended with ${code}`)
    })
  })

const hidden: Array<string> = []
for (const { fileName, id, location, mutatorName, replacement } of drawn) {
  const words = described.find(({ name }) => name === fileName)?.words ?? []
  const place = `${fileName}:${location.start.line + 1}:${location.start.column + 1} ${mutatorName} ${replacement.replaceAll(/\s+/gu, " ").slice(0, 100)}`
  const start = performance.now()
  const by = await seen(id, words)
  console.log(
    `${by === undefined ? "HIDDEN" : "seen  "} ${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${place}${by === undefined ? "" : `  by ${by}`}`
  )
  if (by === undefined) hidden.push(place)
}
console.log(`${drawn.length - hidden.length} of ${drawn.length} seen`)
