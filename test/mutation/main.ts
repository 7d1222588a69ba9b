import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Clock, Effect, FileSystem, Option, Schema } from "effect"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { agentMutants } from "./AgentMutants.ts"
import { conductorMutants } from "./ConductorMutants.ts"
import { domainMutants } from "./DomainMutants.ts"
import { guardianMutants } from "./GuardianMutants.ts"
import { applied, isApplicable, type Mutant, packageOf, widerThan } from "./Mutant.ts"
import { nodeMutants } from "./NodeMutants.ts"
import { recoveryMutants } from "./RecoveryMutants.ts"
import { supervisorMutants } from "./SupervisorMutants.ts"
import { copyTree, root } from "./Tree.ts"
import { makeTrial } from "./Trial.ts"
import { watcherMutants } from "./WatcherMutants.ts"

/**
 * `pnpm mutate`: takes each line of defence away in turn, in a copy of the tree, and runs the tests that should notice. `--only WORD`: those
 * whose name or file has it; `--own`: by their own tests alone, not by what is wider; `--check`: only whether each can be applied. Ends with 1 where fewer than 95 % are caught, with 2 where the list does
 * not fit the source any more, or tests fail without any mutant.
 */
const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: { only: { type: "string", default: "" }, own: { type: "boolean", default: false }, check: { type: "boolean", default: false } }
})
const mutants = [
  ...domainMutants,
  ...watcherMutants,
  ...recoveryMutants,
  ...supervisorMutants,
  ...guardianMutants,
  ...agentMutants,
  ...conductorMutants,
  ...nodeMutants
].filter(({ file, name }) => name.includes(values.only) || file.includes(values.only))

/** The list does not fit the source, or the tests fail by themselves: nothing can be said about any mutant. */
class Unfit extends Schema.TaggedError<Unfit>()("Unfit", { why: Schema.String }) {}

/** A mutant that is not there, or is no program, would be caught by anything. */
const unfitting = Effect.fnUntraced(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-mutants-" })
  const wrong: Array<string> = []
  for (const [number, mutant] of mutants.entries()) {
    const source = yield* fs.readFileString(join(root, mutant.file))
    if (isApplicable(mutant, source)) yield* fs.writeFileString(join(folder, `${number}.ts`), applied(mutant, source))
    else wrong.push(`${mutant.file}: "${mutant.name}" does not stand there once`)
    for (const test of mutant.tests) if (!(yield* fs.exists(join(root, test)))) wrong.push(`${test} is not there`)
  }
  const config = join(folder, "oxlint.json")
  yield* fs.writeFileString(config, JSON.stringify({ env: { node: true }, rules: { "no-undef": "error" } }))
  const lint = ["-c", config, "-A", "all", "-D", "no-undef", "-f", "unix", folder]
  const { status, stdout } = spawnSync(join(root, "node_modules/.bin/oxlint"), lint, { encoding: "utf8" })
  if (status !== 0) wrong.push(stdout.replaceAll(/^.*\/(\d+)\.ts/gmu, (_, number: string) => mutants[Number(number)]!.name))
  return wrong
}, Effect.scoped)

type Trial = Effect.Success<ReturnType<typeof makeTrial>>

const judge = Effect.fnUntraced(function* (tree: string, trial: Trial, mutant: Mutant) {
  const fs = yield* FileSystem.FileSystem
  const path = join(tree, mutant.file)
  const source = yield* fs.readFileString(path)
  const judging = Effect.gen(function* () {
    const own = yield* trial(mutant.tests, path, "2 minutes")
    if (Option.isSome(own)) return own
    for (const tests of values.own ? [] : widerThan(mutant)) {
      const noticed = yield* trial(tests, path, "6 minutes")
      if (Option.isSome(noticed)) return Option.map(noticed, (what) => `(wider) ${what}`)
    }
    return Option.none<string>()
  })
  return yield* Effect.acquireUseRelease(
    fs.writeFileString(path, applied(mutant, source)),
    () => judging,
    () => Effect.orDie(fs.writeFileString(path, source))
  )
})

const share = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`

const main = Effect.gen(function* () {
  const wrong = yield* unfitting()
  if (wrong.length > 0) return yield* new Unfit({ why: `the list of mutants is to follow the source:\n${wrong.join("\n")}` })
  if (values.check) return console.log(`${mutants.length} mutants, each fits the source`)
  const start = yield* Clock.currentTimeMillis
  const tree = yield* copyTree
  const once = yield* makeTrial(tree)
  /** On a machine that is busy a test of real processes fails now and then by itself: what it notices, it notices twice. */
  const trial: Trial = (tests, changed, within) =>
    Effect.gen(function* () {
      const first = yield* once(tests, changed, within)
      const real = tests.some((test) => /^packages\/node\/|^test\/cli\/|\/(?:Conduct|Crash)\.test/u.test(test))
      return Option.isSome(first) && (real || first.value.startsWith("(")) ? yield* once(tests, changed, within) : first
    })
  const used = new Set(mutants.flatMap((mutant) => [...mutant.tests, ...(values.own ? [] : widerThan(mutant).flat())]))
  const failing = yield* trial([...used], undefined, "15 minutes")
  if (Option.isSome(failing)) return yield* new Unfit({ why: `tests fail without any mutant: ${failing.value}` })
  const survivors: Array<Mutant> = []
  for (const mutant of mutants) {
    const before = yield* Clock.currentTimeMillis
    const noticed = yield* judge(tree, trial, mutant)
    if (Option.isNone(noticed)) survivors.push(mutant)
    const took = `${(((yield* Clock.currentTimeMillis) - before) / 1000).toFixed(1)} s`
    const place = mutant.file.replace(/^packages\/|src\//gu, "")
    console.log(
      `${Option.isSome(noticed) ? "caught  " : "SURVIVED"} ${place}: ${mutant.name} · ${took} · ${Option.getOrElse(noticed, () => "")}`
    )
  }
  const caught = mutants.length - survivors.length
  const minutes = (((yield* Clock.currentTimeMillis) - start) / 60_000).toFixed(0)
  for (const [name, all] of Map.groupBy(mutants, packageOf)) {
    const left = survivors.filter((one) => packageOf(one) === name).length
    console.log(`${name.padEnd(12)} ${String(all.length - left).padStart(4)} of ${all.length}`)
  }
  console.log(`\n${caught} of ${mutants.length} mutants caught (${share(caught, mutants.length)}) in ${minutes} min`)
  for (const { file, name } of survivors) console.log(`survived: ${file}: ${name}`)
  if (caught < 0.95 * mutants.length) process.exitCode = 1
}).pipe(
  Effect.scoped,
  Effect.catchTag("Unfit", ({ why }) =>
    Effect.sync(() => {
      console.error(why)
      process.exitCode = 2
    })
  ),
  Effect.provide(NodeServices.layer)
)
NodeRuntime.runMain(main)
