import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { type Running, stage, until } from "./CliStage.ts"

export const first = `workflow_id: play
finish: none
tasks:
  - id: task-001
    title: The first scene
    acceptance_criteria: it is written
`
export const plan = `${first}  - id: task-002
    title: The second scene
    acceptance_criteria: it is written
    depends_on: [task-001]
`
/** Words that a shell would take for more than words. */
const hostile = ["two words", "$(touch pwned)", "`touch pwned`", `'"; touch pwned; #`, "*"]
/** A finishing command that keeps what it was given, a line a run, and fails the first time. */
const finishing = (file: string) => {
  const script =
    'const fs = require("node:fs"); fs.appendFileSync(process.argv[1], JSON.stringify(process.argv.slice(2)) + "\\n"); console.error("I cannot bow"); process.exit(fs.readFileSync(process.argv[1], "utf8").split("\\n").length > 2 ? 0 : 3)'
  return `finish: ${JSON.stringify({ command: [process.execPath, "-e", script, file, ...hostile] })}`
}
export const linesOf = (file: string): ReadonlyArray<string> =>
  fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").slice(0, -1) : []

export const git = (project: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-C", project, "-c", "user.name=A", "-c", "user.email=a@localhost", ...args], {
    encoding: "utf8"
  })

/** A repository with a plan, and what its agents do. */
export const theatre = Effect.fnUntraced(function* (craft: object, text = plan) {
  const the = yield* stage([])
  git(the.project, "init", "-q", "-b", "main")
  git(the.project, "commit", "-q", "--allow-empty", "-m", "base")
  const bow = join(the.home, "bow")
  fs.writeFileSync(
    join(the.project, "plan.yaml"),
    text.replace("finish: command", () => finishing(bow))
  )
  fs.writeFileSync(join(the.project, "craft.json"), JSON.stringify(craft))
  const state = () => JSON.parse(fs.readFileSync(join(the.project, "state.json"), "utf8"))
  /** How many assignments agents of a role took in a task. */
  const assignments = (task: string, role: string) => {
    const file = join(the.home, "claude", "craft", `${task}.${role}`)
    return fs.existsSync(file) ? fs.readFileSync(file, "utf8").length : 0
  }
  const prints = (conductor: Running, tag: string, nth = 1) =>
    until(
      Effect.sync(() => conductor.lines.map((line) => JSON.parse(line)).filter(({ _tag }) => _tag === tag)),
      (found) => found.length >= nth
    )
  /** How often the finishing command ran; each time with its words as they stand in the plan. */
  const bows = () => {
    for (const line of linesOf(bow)) assert.deepStrictEqual(JSON.parse(line), hostile)
    assert.isFalse(fs.existsSync(join(the.project, "pwned")))
    return linesOf(bow).length
  }
  return { ...the, state, assignments, prints, bows }
})
