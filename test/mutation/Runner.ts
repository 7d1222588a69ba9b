import { createVitest } from "vitest/node"
import { build } from "../cli/Build.ts"
import { fileAndTitle } from "./Mutant.ts"
import type { Answer, Broken, Question } from "./Trial.ts"

/** To know each that notices, all are run. */
const all = process.env["SOUFFLEUR_ALL"] === "1"

/**
 * The process that runs tests in a tree, and stays. So unchanged files are not transformed again, which takes most of a
 * run's time. `Trial.ts` forks it, asks it and may end it.
 */
const vitest = await createVitest("test", {
  root: process.cwd(),
  watch: false,
  bail: all ? 0 : 1,
  maxWorkers: 1,
  // A machine that does other things besides.
  testTimeout: 1000 * Number(process.env["SOUFFLEUR_PATIENCE"] ?? 30),
  reporters: [{}]
})
await vitest.standalone()

let before: string | undefined

/** Of these files all tests, or those of these titles. */
const run = async (files: ReadonlyArray<string>, titled: ReadonlyArray<string>): Promise<Answer> => {
  if (titled.length === 0) vitest.resetGlobalTestNamePattern()
  else vitest.setGlobalTestNamePattern(new RegExp(titled.map((title) => RegExp.escape(title)).join("|"), "u"))
  const specifications = await vitest.globTestSpecifications([...files])
  // An answer would count as a notice.
  if (specifications.length === 0) throw new Error(`there are no such tests: ${files.join(", ")}`)
  const asked = new Set(specifications.map(({ moduleId }) => moduleId))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  const titles = testModules
    .filter(({ moduleId }) => asked.has(moduleId))
    .flatMap((one) => Array.from(one.children.allTests("failed"), ({ name }) => `${one.relativeModuleId}: ${name}`))
  for (const one of testModules) {
    if (!asked.has(one.moduleId)) continue
    const [failed] = one.children.allTests("failed")
    // A test that hangs in a loop leaves its module without a state of its own: pending, or queued.
    if (failed === undefined && ["passed", "skipped"].includes(one.state())) continue
    // On a machine that is busy that says less than another failure: try it again by itself.
    const late =
      failed?.result().errors?.some(({ message }) => String(message).startsWith("Test timed out")) === true
        ? "(timed out) "
        : ""
    const first = one.errors()[0]?.message?.split("\n", 1)[0] ?? "failed"
    return { noticed: failed === undefined ? `${one.relativeModuleId}: ${first}` : `${late}${failed.name}`, titles }
  }
  // A file whose process had to be ended has no result at all.
  const ended = testModules.filter(({ moduleId }) => asked.has(moduleId)).length
  if (ended < asked.size) return { noticed: "a test that does not end", titles }
  return { noticed: unhandledErrors.length === 0 ? null : "an error that no test awaits", titles }
}

const answer = async ({ changed, tests }: Question): Promise<Answer> => {
  // The one before is again as it was.
  for (const file of [before, changed]) if (file !== undefined) vitest.invalidateFile(file)
  before = changed
  // These run the command as it is published. The build from the start has none of the changes since.
  const built = tests.some((test) => /^test\/(?:cli|fleet|nights)\//u.test(test)) ? build() : undefined
  if (built !== undefined) for (const project of vitest.projects) project.provide("bundle", built.bundle)
  const meant = tests.map(fileAndTitle)
  const whole = meant.flatMap(([file, title]) => (title === undefined ? file : []))
  const single = meant.flatMap(([file, title]) =>
    title === undefined || whole.includes(file) ? [] : [{ file, title }]
  )
  const answers: Array<Answer> = []
  if (whole.length > 0) answers.push(await run(whole, []))
  const [files, titled] = [single.map(({ file }) => file), single.map(({ title }) => title)]
  if (files.length > 0 && (all || answers.every(({ noticed }) => noticed === null)))
    answers.push(await run(files, titled))
  built?.remove()
  return {
    noticed: answers.find(({ noticed }) => noticed !== null)?.noticed ?? null,
    titles: answers.flatMap(({ titles }) => titles)
  }
}

process.on("message", (question: Question) => {
  answer(question).then(
    (one) => process.send!(one),
    (error: unknown) => process.send!({ broken: String(error) } satisfies Broken)
  )
})
process.on("disconnect", () => process.exit())
process.send!({ noticed: null, titles: [] } satisfies Answer)
