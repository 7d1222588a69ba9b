import { spawnSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"

/**
 * `pnpm mutate` tries every mutant of the files in `stryker.config.json`, which takes hours. It keeps what it has found,
 * so an interrupted run continues where it was, and a later one tries only what has changed. It ends with 1 where the
 * tests kill less of a package's mutants, in percent, than `floors.json` asks. `--since REF` tries the mutants in the
 * lines that differ from REF and names those that no test sees, for a person to read: few mutants are no measure of a
 * package. `--minutes N` ends the trial after that time.
 */
const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: { since: { type: "string" }, minutes: { type: "string", default: "Infinity" } }
})

interface Mutant {
  readonly status: string
  readonly replacement: string
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
}

const read = (path: string) => JSON.parse(readFileSync(path, "utf8"))
const among = (mutants: ReadonlyArray<Mutant>, ...states: ReadonlyArray<string>) =>
  mutants.filter(({ status }) => states.includes(status))
const refuse = (sentence: string): never => {
  console.error(sentence)
  process.exit(2)
}

/** Returns the lines that differ, each stretch as `FILE:FIRST-LAST`. */
const linesSince = (ref: string, patterns: ReadonlyArray<string>): ReadonlyArray<string> => {
  const asked = ["diff", "--unified=0", "--no-prefix", ref, "--", ...globSync(patterns)]
  const diff = spawnSync("git", asked, { encoding: "utf8", maxBuffer: Infinity })
  if (diff.status !== 0) return refuse(`--since ${ref}: ${diff.stderr.trim()}`)
  return diff.stdout.split(/^diff .*$/mu).flatMap((change) => {
    const file = /^\+\+\+ (.*)$/mu.exec(change)?.[1]
    const stretches = [...change.matchAll(/^@@ \S+ \+(\d+)(?:,(\d+))? @@/gmu)]
    return stretches.flatMap(([, first, count = "1"]) =>
      count === "0" ? [] : [`${file}:${first}-${Number(first) + Number(count) - 1}`]
    )
  })
}

const minutes = Number(values.minutes)
if (!(minutes > 0)) refuse(`--minutes ${values.minutes}: a number above 0 is needed`)
const config = read("mutation/stryker.config.json")
if (values.since !== undefined) {
  config.mutate = linesSince(values.since, config.mutate)
  config.incrementalFile = "mutation/out/since.json"
  rmSync(config.incrementalFile, { force: true })
  if (config.mutate.length === 0) {
    console.log(`No line that has mutants differs from ${values.since}.`)
    process.exit(0)
  }
}
mkdirSync("mutation/out", { recursive: true })
writeFileSync("mutation/out/stryker.config.json", JSON.stringify(config))
// Stryker writes down what it has tried when it is asked to end.
const timeout = minutes === Infinity ? undefined : minutes * 60_000
const stryker = "node_modules/@stryker-mutator/core/bin/stryker.js"
const run = spawnSync(process.execPath, [stryker, "run", "mutation/out/stryker.config.json"], {
  stdio: "inherit",
  timeout
})
if (run.status !== 0 && run.error === undefined) process.exit(run.status ?? 1)
if (!existsSync(config.incrementalFile)) {
  console.log(`No mutant was tried in ${minutes} minutes.`)
  process.exit(0)
}

const floors: Record<string, number> = read("mutation/floors.json")
const files: Record<string, { readonly mutants: ReadonlyArray<Mutant> }> = read(config.incrementalFile).files
for (const [name, found] of Map.groupBy(Object.entries(files), ([path]) => path.split("/")[1]!)) {
  const mutants = found.flatMap(([, file]) => file.mutants)
  const killed = among(mutants, "Killed", "Timeout").length
  const alive = among(mutants, "Survived", "NoCoverage").length
  const [all, floor] = [killed + alive, floors[name] ?? 0]
  if (all === 0) continue
  const low = values.since === undefined && 100 * killed < floor * all
  if (low) process.exitCode = 1
  const score = ((100 * killed) / all).toFixed(1)
  console.log(`${name.padEnd(10)} ${score.padStart(5)} % of ${all} killed, floor ${floor} %${low ? ": too few" : ""}`)
  if (values.since === undefined) continue
  for (const [path, file] of found)
    for (const { location, replacement } of among(file.mutants, "Survived", "NoCoverage"))
      console.log(
        `  ${path}:${location.start.line}:${location.start.column} lives as ${replacement.replaceAll(/\s+/gu, " ")}`
      )
}
