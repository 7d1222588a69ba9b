import { assert } from "@effect/vitest"
import { Clock, Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import type { Logged } from "../claude/Lab.ts"
import { agentLab, type RealAgent } from "./AgentLab.ts"
import type { Answer, Asked } from "./ModelTalk.ts"

/** A real agent in a role: its settings, its program, and its name there. */
export interface InRole {
  readonly agent: RealAgent
  readonly program: string
  readonly name: string
}

const plan = `workflow_id: play
finish: none
tasks:
  - id: overture
    title: The overture
    acceptance_criteria: it is written
`
const identity = ["-c", "user.name=A", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false"]
/** Each commit adds a line, so that the implementer of a rejected work has something to commit again. */
const works = `echo line >> work.txt && git add work.txt && git ${identity.join(" ")} commit -q -m work && git log --oneline`
/** Looks at the work, and tries to change it. */
const looks = "git log --oneline; cat work.txt; touch forbidden"

const wordBehind = (header: string, { said }: Asked) =>
  new RegExp(`${header} ([0-9a-f]{20})`, "u").exec(said)?.[1] ?? "unknown"

/** The same answers by the schema of the role, with a message before the tool that is not the last one. */
const byForm = (asked: Asked, isReview: boolean, isFirst: boolean): Answer => {
  const word = /`word` is `([0-9a-f]{20})`/u.exec(asked.said)?.[1] ?? "unknown"
  const said = (verdict: string, fields: object) => JSON.stringify({ verdict, word, ...fields })
  const work = { commits: ["HEAD"], files_changed: ["work.txt"], test_file: "", reason: "" }
  const review = { summary: "it is written", blocking: [], minor: [], suggestions: [] }
  if (asked.toolResult === undefined)
    return { text: said("NOT_YET", isReview ? review : work), shell: isReview ? looks : works }
  if (!isReview) return { text: said("IMPLEMENTATION_COMPLETE", work) }
  return isFirst
    ? { text: said("REJECTED", { ...review, summary: "one line is too few", blocking: ["add a line"] }) }
    : { text: said("APPROVED", { ...review, minor: ["a long name"] }) }
}

/** Both agents of one home, in which each finds its own model. */
const together = (one: RealAgent, other: RealAgent): RealAgent => ({
  ...one,
  config: "MAX_EXTERNAL_PERMISSION=bypassPermissions\n",
  files: (url) => ({ ...other.files(url), ...one.files(url) }),
  environment: (url) => ({ ...other.environment(url), ...one.environment(url) })
})

/**
 * Conducts a plan of one task with two real agents. The reviewer rejects the first work. Returns the log of the run, and
 * what the model was asked.
 */
export const conducted = Effect.fn("AgentRoles.conducted")(function* (
  implementer: InRole,
  reviewer: InRole,
  { fallback, inForm = false }: { readonly fallback?: InRole; readonly inForm?: boolean } = {}
) {
  const fs = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const resetsAt = Math.floor((yield* Clock.currentTimeMillis) / 1000) + 7200
  let reviews = 0
  let limits = fallback === undefined ? 0 : 1
  const part = (asked: Asked): Effect.Effect<Answer> =>
    Effect.sync(() => {
      const isReview = asked.said.includes("## Code Review Task")
      const { shell } = (isReview ? reviewer : (fallback ?? implementer)).agent
      if (!isReview && limits > 0) {
        limits -= 1
        return { limitedUntil: resetsAt }
      }
      if (inForm) {
        if (isReview && asked.toolResult !== undefined) reviews += 1
        return { by: shell, ...byForm(asked, isReview, reviews === 1) }
      }
      if (asked.toolResult === undefined) return { shell: isReview ? looks : works, by: shell }
      if (!isReview) {
        const header = `IMPLEMENTATION_COMPLETE ${wordBehind("IMPLEMENTATION_COMPLETE", asked)}`
        return { text: `It is done.\n\n${header}\ncommits: [HEAD]\nfiles_changed: [work.txt]\ntest_file: none` }
      }
      const word = wordBehind("APPROVED", asked)
      reviews += 1
      return reviews === 1
        ? { text: `REJECTED ${word}\nsummary: one line is too few\nissues:\n- add a line` }
        : { text: `APPROVED ${word}\nsummary: it is written` }
    })
  const others = [reviewer, ...(fallback === undefined ? [] : [fallback])]
  const agent = others.reduce((all, other) => together(all, other.agent), implementer.agent)
  const lab = yield* agentLab(
    agent,
    implementer.program,
    part,
    others.map(({ program }) => program)
  )
  const git = (...args: ReadonlyArray<string>) =>
    spawner.string(ChildProcess.make("git", [...identity, ...args], lab.options))
  yield* git("init", "-q", "-b", "main")
  yield* git("config", "user.name", "A")
  yield* git("config", "user.email", "a@localhost")
  yield* fs.writeFileString(`${lab.project}/.gitignore`, ".orchestra_configs\nforbidden\n")
  const chosen = fallback === undefined ? "" : `agents: { implementer: { fallback: { agent: ${fallback.name} } } }\n`
  yield* fs.writeFileString(`${lab.project}/plan.yaml`, `${chosen}${plan}`)
  yield* git("add", "-A")
  yield* git("commit", "-q", "-m", "base")
  const roles = ["--implementer", implementer.name, "--reviewer", reviewer.name]
  const said = yield* lab.said("conduct", "plan.yaml", ...roles, "--permission", "bypassPermissions")
  const log = (yield* lab.said("conduct", "log", "--json"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Logged)
  const text = `${said}\n${log.map((event) => JSON.stringify(event)).join("\n")}`
  return {
    asked: yield* lab.asked,
    log,
    status: yield* lab.said("conduct", "status"),
    text,
    work: yield* lab.read("work.txt"),
    exists: fs.exists(`${lab.project}/forbidden`)
  }
})

/** Checks that the work was rejected, done again in the session that the implementer told, and approved. */
export const wentOn = ({ log, text, work }: Effect.Success<ReturnType<typeof conducted>>): void => {
  const asks = log.filter(({ _tag }) => _tag === "AgentAsked")
  assert.deepStrictEqual(
    asks.map((event) => [event["role"], event["resumed"]]),
    [
      ["implementer", false],
      ["reviewer", false],
      ["implementer", true],
      ["reviewer", false]
    ],
    text
  )
  const found = log.find(({ _tag, ...event }) => _tag === "AgentSessionFound" && event["token"] === "a1")
  assert.deepStrictEqual([asks[0]?.["sessionId"], asks[2]?.["sessionId"]], ["", found?.["sessionId"]], text)
  assert.strictEqual(work, "line\nline\n")
  assert.include(
    log.map(({ _tag }) => _tag),
    "TaskCompleted",
    text
  )
}
