import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { headless } from "./ClaudeStage.ts"
import { approved, askedIn, assignmentOf, complete, eventsIn, repository } from "./Conducted.ts"
import { until } from "./Lab.ts"
import { bash, services } from "./Watched.ts"

const claude = inject("claude")

/** What the implementer does to a task: first, and once its session goes on. */
type Script = (task: string, isAgain: boolean) => string

/** A repository of these files, where the agents that a plan asks for do as scripted. */
const opera = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>, script: Script) {
  const { git, lab } = yield* repository(claude!, files, ({ known, said, toolResult }) => {
    const { role, task, word } = assignmentOf(known)
    if (role === "") return Effect.succeed({ text: "All tests pass. The branch is as it was." })
    if (role !== "Implementation")
      return Effect.succeed(toolResult === undefined ? bash("git log --oneline") : { text: approved(word) })
    const isAgain = said.some((text) => text.includes("It is not done yet:"))
    return Effect.succeed(toolResult === undefined ? bash(script(task, isAgain)) : { text: complete(word) })
  })
  const stage = yield* headless(lab)
  return {
    git,
    lab,
    conduct: (plan: string) => stage.souffleur(["conduct", plan]),
    events: Effect.map(lab.said("conduct", "log", "--json"), eventsIn),
    /** What each launch told its agent. */
    prompts: Effect.map(lab.asked, (all) =>
      all.filter(({ toolResult, turn }) => turn && toolResult === undefined).map(({ said }) => said.join("\n"))
    )
  }
})

const path = "docs/superpowers/plans/2026-11-30-opera.md"
const superpowers = `# Opera Implementation Plan

> **For agentic workers:** REQUIRED SUB-SKILL: Use superpowers:subagent-driven-development (recommended) or
> superpowers:executing-plans to implement this plan task-by-task. Steps use checkbox (\`- [ ]\`) syntax for tracking.

**Goal:** Write an opera in two acts.

**Architecture:** A file for each act.

---

### Task 1: The overture

**Files:**
- Create: \`task-1.txt\`

- [ ] **Step 1: Write the failing test**

\`\`\`sh
test -f task-1.txt
\`\`\`

- [ ] **Step 2: Write the file and commit**

### Task 2: The finale

**Files:**
- Create: \`task-2.txt\`

- [ ] **Step 1: Write the file**
- [ ] **Step 2: Commit**
`

describe("behaviour#plan-forms", () => {
  it.live.skipIf(claude === null)(
    "conduct: a plan of superpowers, as it is; boxes that its implementers tick pause nothing",
    () =>
      Effect.gen(function* () {
        const { conduct, events, git, lab, prompts } = yield* opera(
          { [path]: superpowers },
          (task) =>
            `sed -i '/^### Task ${task.slice(-1)}:/,/^### Task 2:/s/- \\[ \\] /- [x] /' ${path} && echo line > ${task}.txt && git add ${task}.txt ${path} && git commit -q -m ${task}`
        )
        const run = yield* conduct(path)
        assert.strictEqual(yield* run.exitCode, 0, yield* run.said)
        const each = ["task-1 implementer", "task-1 reviewer", "task-2 implementer", "task-2 reviewer"]
        assert.deepStrictEqual(askedIn(yield* events), [...each, "null finisher"])
        assert.strictEqual(git("log", "--format=%s"), "task-2\ntask-1\nbase\n")
        assert.strictEqual(git("show", `HEAD:${path}`), superpowers.replaceAll("- [ ] **", "- [x] **"))
        const tags = (yield* events).map(({ _tag }) => _tag)
        for (const none of ["RunPaused", "PlanRevised", "TaskDoneBefore", "AgentNudged", "WorkVerified"])
          assert.notInclude(tags, none)
        const told = yield* prompts
        assert.lengthOf(told, 5)
        assert.include(told[0], "**Goal:** Write an opera in two acts.")
        assert.include(told[0], `Tick its boxes in \`${path}\` in the commit that does the work.`)
        assert.notInclude(told.join("\n"), "REQUIRED SUB-SKILL")
        const status = yield* lab.said("conduct", "status")
        assert.match(status, /task-1 {2}completed {2}The overture {2}\(unverified, 1 attempt, 1 commit\b/u)
        assert.match(status, /task-2 {2}completed {2}The finale {2}\(unverified, 1 attempt, 1 commit\b/u)
        // A run that is over begins nothing, though the plan has each task as done by now.
        assert.strictEqual(yield* (yield* conduct(path)).exitCode, 0)
        assert.lengthOf(yield* prompts, 5)
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

/** A plan that is judged by a program: each part that the score lists must be there. */
const judged = (score: string) => ({
  "plan.yaml": `workflow_id: opera
finish: none
verify: [node, check.mjs]
tasks:
  - { id: overture, title: The overture, acceptance_criteria: it is written }
`,
  "check.mjs": `import { existsSync, readFileSync } from "node:fs"
const missing = readFileSync("score.txt", "utf8").split("\\n").filter((part) => part !== "" && !existsSync(part))
if (missing.length > 0) throw new Error("the score lacks " + missing.join())
`,
  ".gitignore": "parts/\n",
  "score.txt": score
})
const part = "parts/violin.txt"
const gate = "node check.mjs"

describe("behaviour#preflight", () => {
  it.live.skipIf(claude === null)(
    "conduct: a commit that no rule allows is told before the first agent, with the lines that let the run be done",
    () =>
      Effect.gen(function* () {
        const plan = judged("")["plan.yaml"].replace("verify: [node, check.mjs]\n", "questions: true\n")
        const { conduct, events, lab, prompts } = yield* opera(
          { "plan.yaml": plan },
          () => "echo la > a.txt && git add a.txt && git commit -q -m a"
        )
        yield* lab.write(".claude/settings.json", "{}")
        const refused = yield* conduct("plan.yaml")
        assert.strictEqual(yield* refused.exitCode, 2, yield* refused.said)
        const [, lines = ""] = /settings\.local\.json takes (\{.*\}), and/u.exec(yield* refused.said) ?? []
        assert.lengthOf(yield* prompts, 0)
        assert.strictEqual((yield* lab.agents).all.size, 0, "no agent was launched")
        yield* lab.write(".claude/settings.local.json", lines)
        const run = yield* conduct("plan.yaml")
        assert.strictEqual(yield* run.exitCode, 0, yield* run.said)
        assert.deepStrictEqual(askedIn(yield* events), ["null reviewer", "overture implementer", "overture reviewer"])
        const questioned = (yield* events).find(({ _tag }) => _tag === "PlanQuestioned")
        assert.deepInclude(questioned, { questions: [], message: null })
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

/** What became of the run and its task, in the order of the log. */
const milestones = (log: ReturnType<typeof eventsIn>) =>
  log
    .map(({ _tag }) => _tag)
    .filter((tag) =>
      /^(?:Baseline|Task|Work|Implementation|Review|RedAllowed|RunPaused|RunResumed|AgentNudged)/u.test(tag)
    )

describe("behaviour#gate", () => {
  it.live.skipIf(claude === null)(
    "conduct: the gate sees that no commit has a file, and the same session adds it before any review",
    () =>
      Effect.gen(function* () {
        // git ignores the file, so in the work tree nothing is amiss.
        const { conduct, events, git, lab, prompts } = yield* opera(judged(""), (_, isAgain) =>
          isAgain
            ? `git add --force ${part} && git commit -q -m part`
            : `mkdir parts && echo la > ${part} && echo ${part} > score.txt && ${gate} && git commit -q -a -m score`
        )
        assert.include(yield* lab.said("conduct", "plan", "plan.yaml", "--trust"), "check.mjs")
        const run = yield* conduct("plan.yaml")
        assert.strictEqual(yield* run.exitCode, 0, yield* run.said)
        const log = yield* events
        assert.deepStrictEqual(askedIn(log), [
          "overture implementer",
          "overture implementer again",
          "overture reviewer"
        ])
        assert.deepStrictEqual(milestones(log), [
          "BaselineVerified",
          "TaskStarted",
          "ImplementationCompleted",
          "WorkRefused",
          "ImplementationCompleted",
          "WorkVerified",
          "ReviewApproved",
          "TaskCompleted"
        ])
        assert.strictEqual(git("log", "--format=%s"), "part\nscore\nbase\n")
        const refused = log.find(({ _tag }) => _tag === "WorkRefused")
        assert.deepInclude(refused, { program: gate, code: 1, head: git("rev-parse", "HEAD~1").trim() })
        const sessions = log.filter(({ _tag }) => _tag === "AgentAsked").map(({ sessionId }) => sessionId)
        assert.deepStrictEqual([sessions[0] === sessions[1], sessions[1] === sessions[2]], [true, false])
        const told = yield* prompts
        assert.lengthOf(told, 3)
        assert.match(
          told[1]!,
          /It is not done yet: .* refused by `node check\.mjs`, which ended with 1\..*\n~~~\n.*Error: the score lacks parts\/violin\.txt\n.*~~~\n/su
        )
        assert.include(told[2], `**Gate:** in a clean checkout of the last commit these ended with 0: \`${gate}\``)
        const [task] = JSON.parse(yield* lab.read("state.json")).tasks
        assert.deepInclude(task, { status: "completed", attempts: 1, verified: true })
        assert.match(
          yield* lab.said("conduct", "status"),
          /overture {2}completed {2}The overture {2}\(verified, 1 attempt/u
        )
        assert.lengthOf(git("worktree", "list").trim().split("\n"), 1, "the checkout of the gate is gone")
      }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live.skipIf(claude === null)(
    "conduct: a refused commit is told before the first agent, and --allow-red lets the run begin from it",
    () =>
      Effect.gen(function* () {
        const { conduct, events, git, lab, prompts } = yield* opera(
          judged(`${part}\n`),
          () => `mkdir parts && echo la > ${part} && git add --force ${part} && git commit -q -m part`
        )
        yield* lab.said("conduct", "plan", "plan.yaml", "--trust")
        const paused = yield* conduct("plan.yaml")
        const at = `${gate} at ${git("rev-parse", "HEAD").slice(0, 12)}`
        yield* until(
          "the words of a pause",
          Effect.map(paused.said, (said) => said.includes("--allow-red") && said.includes(at)),
          paused.said
        )
        assert.strictEqual(yield* paused.exitCode, 1)
        assert.lengthOf(yield* prompts, 0)
        assert.strictEqual((yield* lab.agents).all.size, 0, "no agent was launched")
        assert.include(yield* lab.said("conduct", "status"), "next: souffleur conduct answer --allow-red; then")
        assert.include(yield* lab.said("conduct", "why"), `Error: the score lacks ${part}`)
        yield* lab.said("conduct", "answer", "--allow-red")
        const run = yield* conduct("plan.yaml")
        assert.strictEqual(yield* run.exitCode, 0, yield* run.said)
        const log = yield* events
        assert.deepStrictEqual(askedIn(log), ["overture implementer", "overture reviewer"])
        assert.deepStrictEqual(milestones(log), [
          "BaselineRefused",
          "RunPaused",
          "RedAllowed",
          "RunResumed",
          "TaskStarted",
          "ImplementationCompleted",
          "WorkVerified",
          "ReviewApproved",
          "TaskCompleted"
        ])
        assert.deepInclude(
          log.find(({ _tag }) => _tag === "BaselineRefused"),
          { program: gate, code: 1 }
        )
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
