import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Cause, Effect, Predicate, Runtime, type Schema } from "effect"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { commands } from "./Commands.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const text = (path: string) => readFileSync(`${root}/${path}`, "utf8")
const sources = execFileSync("git", ["ls-files", "packages/*/src/*.ts"], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n")

interface ErrorClass {
  readonly name: string
  readonly fields: ReadonlyArray<string>
  readonly make: () => Error
}

/** The error classes of one file. `make` fills each text with words. */
const errorsOf = async (path: string): Promise<ReadonlyArray<ErrorClass>> => {
  const names = [...text(path).matchAll(/class (\w+) extends (?:Schema|Data)\.TaggedError/gu)].map(([, name]) => name!)
  if (names.length === 0) return []
  const module: Record<string, unknown> = await import(`${root}/${path}`)
  return names.map((name) => {
    const found = module[name] as
      | (Schema.Top & { readonly fields: Schema.Struct.Fields; new (fields: object): Error })
      | undefined
    if (found === undefined) throw new Error(`${path} does not export ${name}`)
    const words = Object.entries(found.fields).map(([key, field]) => [
      key,
      field.ast._tag === "String"
        ? `words of ${key}`
        : Effect.runSync(
            Arbitrary.sampleEffect(Arbitrary.schema(field as Schema.Schema<unknown>), { count: 1, seed: 1 })
          )[0]
    ])
    return { name, fields: Object.keys(found.fields), make: () => new found(Object.fromEntries(words)) }
  })
}
const errors = (await Promise.all(sources.map(errorsOf))).flat()

/** Returns the texts of a source that make an error, such as `new BadTarget({ message: … })`. */
const madeIn = (source: string): ReadonlyArray<string> => {
  const names = new Set(errors.map(({ name }) => name))
  return [...source.matchAll(/new (\w+)\(\{/gu)].flatMap(({ 1: name, index }) => {
    if (!names.has(name!)) return []
    let depth = 0
    for (let at = index; at < source.length; at++) {
      if (source[at] === "(") depth++
      if (source[at] === ")" && --depth === 0) return [source.slice(index, at)]
    }
    return []
  })
}
/** Errors of souffleur's own roles. They become words of an event, which a person reads. */
const ofEvents = ["EndConductor.ts", "Launch.ts", "Validation.ts"]

/** Exit codes other than 1 (spec: command-line#exit-codes). `Refused` and `Ended` have a code of each instance. */
const codes: Readonly<Record<string, number>> = {
  AgentCommandRefused: 2,
  AgentNotFound: 2,
  AgentUnfit: 2,
  AlreadyWatched: 3,
  BadSetting: 2,
  BadTarget: 2,
  BadUsage: 2,
  DiskFull: 4,
  ClaimFailed: 2,
  CommandRefused: 2,
  CommsUnavailable: 2,
  ConfigUntrusted: 2,
  EstimateFailed: 2,
  Fenced: 3,
  FileRefused: 2,
  GitUnusable: 2,
  GuidanceUnfit: 2,
  AgentSettingsUnusable: 2,
  LaunchFailed: 2,
  LogForked: 3,
  LogOfAnother: 3,
  LogUnusable: 4,
  NoHooks: 2,
  NoOutput: 2,
  NotQuarantined: 3,
  OpenedOtherwise: 2,
  PlanInvalid: 2,
  ProgramsUntrusted: 2,
  ProcessesUnavailable: 2,
  ProjectMissing: 2,
  NotReady: 2,
  RoleUnfit: 2,
  PlanNotFound: 2,
  SessionNotFound: 2,
  SqliteUnusable: 4,
  StateForeign: 2,
  StateMisplaced: 2,
  StillAtWork: 3,
  TrimFailed: 2,
  UnreadableEvent: 4,
  WatchDefect: 70,
  WatchNotFound: 2
}

/** The texts that the fields of an error hold. */
const textFields = (error: Error, fields: ReadonlyArray<string>) =>
  Object.entries(error).flatMap(([key, value]) =>
    key !== "_tag" && fields.includes(key) && typeof value === "string" ? [value] : []
  )

describe("the errors", () => {
  it("all errors are found", () => {
    assert.isAbove(errors.length, 40)
  })
  for (const { fields, make, name } of errors) {
    it(`${name} prints its sentence`, () => {
      const error = make()
      assert.match(error.message, /\w{2}/u)
      assert.include(Cause.pretty(Cause.fail(error)), error.message)
      assert.notMatch(error.message, /undefined|\[object/u)
    })
    it(`${name} has a code as reason, and a sentence of one of two shapes`, () => {
      const error = make()
      for (const other of ["why", "detail", "description"]) assert.notInclude(fields, other)
      // The sentence is a field, or the class writes it: with a subject before `problem`, or of its fields alone.
      if (fields.includes("message")) {
        assert.strictEqual(error.message, "words of message")
        assert.notInclude(fields, "problem")
      } else if (fields.includes("problem")) assert.match(error.message, /^\S.* words of problem/u)
      else assert.isTrue(textFields(error, fields).every((words) => error.message.includes(words)))
      if (Predicate.hasProperty(error, "reason")) assert.notStrictEqual(error.reason, "words of reason")
    })
  }
  it("each error has the exit code of its class, and the table of exit codes has it", () => {
    const found = errors
      .filter(({ name }) => name !== "Refused" && name !== "Ended")
      .map(({ make, name }) => [name, Runtime.getErrorExitCode(make())] as const)
      .filter(([, code]) => code !== 1)
    assert.deepStrictEqual(Object.fromEntries(found), codes)
    const [, table = ""] = /## Exit codes\n([^]*?)\n## /u.exec(text("docs/spec/command-line.md")) ?? []
    const told = [...table.matchAll(/^\| ([\d, ]+) \|/gmu)].flatMap(([, numbers]) => numbers!.split(",").map(Number))
    assert.includeMembers(told, [1, ...Object.values(codes)])
  })
  it("an error of a library has no words of the command line, which adds what to type itself", () => {
    const typed = new RegExp(
      `\\bsouffleur (?:${[...new Set(commands.map(([name]) => name.split(" ")[0]))].join("|")})\\b`,
      "u"
    )
    const libraries = sources.filter(
      (path) => !path.startsWith("packages/cli/") && !ofEvents.some((file) => path.endsWith(`/${file}`))
    )
    const made = libraries.flatMap((path) => madeIn(text(path)).map((error) => ({ path, error })))
    assert.isAbove(made.length, 100)
    assert.deepStrictEqual(
      made.filter(({ error }) => typed.test(error)),
      []
    )
  })
})
