import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Clock, Effect, FileSystem, Option, Schema } from "effect"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { applied, fileAndTitle, isApplicable, type Mutant, packageOf, widerThan } from "./Mutant.ts"
import { allMutants } from "./Mutants.ts"
import { copyTree, root } from "./Tree.ts"
import { keyOf, killed, killedFile, mutantsOfRows, specRows, whyNone } from "./Rows.ts"
import { makeTrial, type Noticed } from "./Trial.ts"

/**
 * `pnpm mutate`: takes each line of defence away in turn, in a copy of the tree. Then it runs the tests that should
 * notice.
 *
 * - `--only WORD`: tries the mutants whose name or file has the word. A repeated flag means any of its words.
 * - `--tests PATH`: tries mutants by their own tests alone whose path has PATH. A repeated flag means any of its paths.
 * - `--new`: tries the mutants of which `Killed.json` names no test yet.
 * - `--own`: tries mutants by their own tests alone, without the wider ones.
 * - `--patience SECONDS`: bounds the time of a test in seconds. Its default is 30.
 * - `--check`: only checks whether each mutant can be applied, and counts those of which a test is named.
 * - `--titles`: keeps in `Killed.json` every test that noticed a mutant.
 * - `--rows`: prints each row of docs/spec-map.md with the mutants that its test kills, by that file.
 *
 * Ends with 1 where fewer than 95 % are caught. Ends with 2 where the list does not fit the source any more, or tests
 * fail without any mutant.
 */
const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: {
    only: { type: "string", multiple: true, default: [""] },
    tests: { type: "string", multiple: true, default: [""] },
    new: { type: "boolean", default: false },
    patience: { type: "string", default: "30" },
    own: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    titles: { type: "boolean", default: false },
    rows: { type: "boolean", default: false }
  }
})
if (values.titles) process.env["SOUFFLEUR_ALL"] = "1"
process.env["SOUFFLEUR_PATIENCE"] = values.patience
const tried = killed()
const mutants = allMutants
  .map((mutant) => ({
    ...mutant,
    tests: mutant.tests.filter((test) => values.tests.some((part) => test.includes(part)))
  }))
  .filter(
    (mutant) =>
      mutant.tests.length > 0 && values.only.some((word) => mutant.name.includes(word) || mutant.file.includes(word))
  )
  .filter((mutant) => !values.new || (tried[keyOf(mutant)] ?? []).length === 0)

/** The list does not fit the source, or the tests fail by themselves: nothing can be said about any mutant. */
class Unfit extends Schema.TaggedError<Unfit>()("Unfit", { message: Schema.String }) {}

/** A mutant that is not there, or is no program, would be caught by anything. */
const unfitting = Effect.fnUntraced(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-mutants-" })
  const wrong = mutants
    .filter((one, at) => mutants.findIndex((other) => keyOf(other) === keyOf(one)) < at)
    .map((one) => `${keyOf(one)} is there twice`)
  for (const [number, mutant] of mutants.entries()) {
    const source = yield* fs.readFileString(join(root, mutant.file))
    if (isApplicable(mutant, source)) yield* fs.writeFileString(join(folder, `${number}.ts`), applied(mutant, source))
    else wrong.push(`${mutant.file}: "${mutant.name}" does not stand there once`)
    for (const [test, title = ""] of mutant.tests.map(fileAndTitle)) {
      const [path, name] = [join(root, test), title === "" ? test : `${test}: ${title}`]
      if (!(yield* fs.exists(path)) || (title !== "" && !(yield* fs.readFileString(path)).includes(title)))
        wrong.push(`${name} is not there`)
    }
  }
  const config = join(folder, "oxlint.json")
  yield* fs.writeFileString(config, JSON.stringify({ env: { node: true }, rules: { "no-undef": "error" } }))
  const lint = ["-c", config, "-A", "all", "-D", "no-undef", "-f", "unix", folder]
  const { status, stdout } = spawnSync(join(root, "node_modules/.bin/oxlint"), lint, { encoding: "utf8" })
  if (status !== 0)
    wrong.push(stdout.replaceAll(/^.*\/(\d+)\.ts/gmu, (_, number: string) => mutants[Number(number)]!.name))
  return wrong
}, Effect.scoped)

/** Returns the test that noticed a mutant before. A test of one package comes before one of real processes. */
const noticerOf = (mutant: Mutant): string | undefined => {
  const titles = tried[keyOf(mutant)] ?? []
  return titles.find((title) => /^packages\/(?!node\/)/u.test(title)) ?? titles[0]
}

type Trial = Effect.Success<ReturnType<typeof makeTrial>>

/** Tries twice, since a test of real processes on a busy machine sometimes fails by itself. A true notice repeats. */
const twice =
  (once: Trial): Trial =>
  (tests, changed, within) =>
    Effect.gen(function* () {
      const first = yield* once(tests, changed, within)
      const real = tests.some((test) =>
        /^packages\/node\/|^test\/(?:cli|nights)\/|\/(?:Conduct|Crash)\.test/u.test(test)
      )
      return Option.isSome(first) && (real || first.value.what.startsWith("("))
        ? yield* once(tests, changed, within)
        : first
    })

/** Beside what was known of other mutants, and of this one by tests that were not run now. */
const remember = Effect.fnUntraced(function* (mutant: Mutant, titles: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const before = killed()
  const others = (before[keyOf(mutant)] ?? []).filter((title) => !mutant.tests.some((test) => title.startsWith(test)))
  const known = { ...before, [keyOf(mutant)]: [...new Set([...others, ...titles])].toSorted() }
  const sorted = Object.fromEntries(Object.entries(known).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  yield* fs.writeFileString(killedFile, `${JSON.stringify(sorted, undefined, 2)}\n`)
})

/** Tries these lists of tests in turn until a list notices the mutant. */
const judge = Effect.fnUntraced(function* (
  tree: string,
  trial: Trial,
  mutant: Mutant,
  lists: ReadonlyArray<ReadonlyArray<string>>
) {
  const fs = yield* FileSystem.FileSystem
  const path = join(tree, mutant.file)
  const source = yield* fs.readFileString(path)
  const judging = Effect.gen(function* () {
    for (const tests of lists) {
      const noticed = yield* trial(tests, path, "5 minutes")
      if (Option.isSome(noticed)) return noticed
    }
    return Option.none<Noticed>()
  })
  const before = yield* Clock.currentTimeMillis
  const noticed = yield* Effect.acquireUseRelease(
    fs.writeFileString(path, applied(mutant, source)),
    () => judging,
    () => Effect.orDie(fs.writeFileString(path, source))
  )
  const took = `${(((yield* Clock.currentTimeMillis) - before) / 1000).toFixed(1)} s`
  const [verdict, by] = Option.match(noticed, {
    onNone: () => ["SURVIVED", ""],
    onSome: ({ what }) => ["caught  ", what]
  })
  console.log(`${verdict} ${mutant.file.replace(/^packages\/|src\//gu, "")}: ${mutant.name} · ${took} · ${by}`)
  if (values.titles && Option.isSome(noticed)) yield* remember(mutant, noticed.value.titles)
  return Option.isSome(noticed)
})

const printShare = (name: string, part: number, whole: number) =>
  console.log(`${name.padEnd(12)} ${String(part).padStart(4)} of ${whole}`)

const share = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`

const main = Effect.gen(function* () {
  const wrong = yield* unfitting()
  if (wrong.length > 0)
    return yield* new Unfit({ message: `the list of mutants is to follow the source:\n${wrong.join("\n")}` })
  if (values.rows) {
    const mutantsOf = mutantsOfRows()
    return specRows().forEach((row) =>
      console.log(`${row.rule} | ${row.title} | ${mutantsOf(row).join(", ") || (whyNone(row) ?? "none was found yet")}`)
    )
  }
  if (values.check) {
    const isNamed = (mutant: Mutant) => noticerOf(mutant) !== undefined
    for (const [name, all] of Map.groupBy(mutants, packageOf)) printShare(name, all.filter(isNamed).length, all.length)
    const named = mutants.filter(isNamed).length
    return console.log(`${mutants.length} mutants, each fits the source; a test is named of ${named}`)
  }
  const start = yield* Clock.currentTimeMillis
  const tree = yield* copyTree
  const trial = twice(yield* makeTrial(tree))
  /** Returns the mutants that these tests do not notice. The tests pass without any mutant. */
  const left = Effect.fnUntraced(function* (
    all: ReadonlyArray<Mutant>,
    listsOf: (mutant: Mutant) => ReadonlyArray<ReadonlyArray<string>>
  ) {
    const failing = yield* trial([...new Set(all.flatMap(listsOf).flat())], undefined, "15 minutes")
    if (Option.isSome(failing))
      return yield* new Unfit({ message: `tests fail without any mutant: ${failing.value.what}` })
    return yield* Effect.filter(all, (mutant) =>
      Effect.map(judge(tree, trial, mutant, listsOf(mutant)), (noticed) => !noticed)
    )
  })
  // The test that noticed a mutant before is one of a file, where its own tests are whole files. All are wanted for titles.
  const before = values.titles ? [] : mutants.filter((mutant) => noticerOf(mutant) !== undefined)
  const missed = before.length === 0 ? [] : yield* left(before, (mutant) => [[noticerOf(mutant)!]])
  const others = mutants.filter((mutant) => !before.includes(mutant) || missed.includes(mutant))
  const unnoticed = others.length === 0 ? [] : yield* left(others, ({ tests }) => [tests])
  const tryable = values.own ? [] : unnoticed.filter((mutant) => widerThan(mutant).length > 0)
  if (tryable.length > 0)
    console.log(`\n${tryable.length} of ${unnoticed.length} that their own tests did not notice, by wider ones:`)
  const still = tryable.length === 0 ? [] : yield* left(tryable, widerThan)
  const survivors = [...unnoticed.filter((mutant) => !tryable.includes(mutant)), ...still]
  const caught = mutants.length - survivors.length
  const minutes = (((yield* Clock.currentTimeMillis) - start) / 60_000).toFixed(0)
  for (const [name, all] of Map.groupBy(mutants, packageOf)) {
    const left = survivors.filter((one) => packageOf(one) === name).length
    printShare(name, all.length - left, all.length)
  }
  console.log(`\n${caught} of ${mutants.length} mutants caught (${share(caught, mutants.length)}) in ${minutes} min`)
  for (const { file, name } of survivors) console.log(`survived: ${file}: ${name}`)
  if (caught < 0.95 * mutants.length) process.exitCode = 1
}).pipe(
  Effect.scoped,
  Effect.catchTag("Unfit", ({ message }) =>
    Effect.sync(() => {
      console.error(message)
      process.exitCode = 2
    })
  ),
  Effect.provide(NodeServices.layer)
)
NodeRuntime.runMain(main)
