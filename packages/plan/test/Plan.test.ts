import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Path } from "effect"
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { outlineOf } from "../src/formats/Outline.ts"
import { describedIn } from "../src/formats/ReadPlan.ts"
import { finisherPrompt, implementerPrompt, initialRun, loadPlan, reviewerPrompt } from "../src/index.ts"
import { freshTask } from "../src/run/Run.ts"

const load = Effect.fnUntraced(function* (name: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const project = yield* fs.makeTempDirectoryScoped()
  yield* fs.writeFileString(path.join(project, "spec.md"), "the spec")
  yield* fs.writeFileString(path.join(project, name), text)
  return yield* loadPlan(path.join(project, name), project)
}, Effect.scoped)
const problems = (text: string, name = "plan.yaml") =>
  Effect.map(Effect.flip(load(name, text)), (error) => (error._tag === "PlanInvalid" ? error.problems : []))

const yaml = `workflow_id: feature-auth
reference_docs: [spec.md]
finish: none
tasks:
  - id: task-001
    title: Create user model
    description: |
      A model of a user.

      With a name.
    acceptance_criteria:
      - it has a name
      - it is tested
  - id: task-002
    title: Use it
    acceptance_criteria: it is used
    depends_on: [task-001]
`

describe("behaviour#plan", () => {
  describe("a plan", () => {
    it.effect("a plan of YAML", () =>
      Effect.gen(function* () {
        const { digest, plan } = yield* load("plan.yaml", yaml)
        assert.strictEqual(digest.length, 64)
        assert.deepInclude(plan, { workflowId: "feature-auth", finish: { _tag: "None" } })
        assert.deepStrictEqual(plan.tasks[0], {
          id: "task-001",
          title: "Create user model",
          description: "A model of a user.\n\nWith a name.",
          acceptanceCriteria: "- it has a name\n- it is tested",
          referenceDocs: [{ path: "spec.md", description: "read it first" }],
          dependsOn: []
        })
        assert.deepInclude(plan.tasks[1], { description: "Use it", dependsOn: ["task-001"] })
      }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect("each circle of dependencies is named apart, without the tasks that only wait for one", () =>
      Effect.gen(function* () {
        const of = (tasks: Readonly<Record<string, string>>) =>
          `tasks:\n${Object.entries(tasks)
            .map(
              ([id, others]) => `  - id: ${id}\n    title: T\n    acceptance_criteria: A\n    depends_on: [${others}]\n`
            )
            .join("")}`
        assert.deepStrictEqual(
          yield* problems(
            of({ late: "b, y", a: "c", b: "a, first", c: "b", x: "y, a", y: "x", self: "self", first: "" })
          ),
          [
            "tasks[1].depends_on: a, b, c wait for one another: take one depends_on away (line 9)",
            "tasks[4].depends_on: x, y wait for one another: take one depends_on away (line 21)",
            "tasks[6].depends_on: self waits for itself: take that away (line 29)"
          ]
        )
        // Six thousand tasks are in a row, and the last of them waits for the first.
        const row = Object.fromEntries(Array.from({ length: 6000 }, (_, n) => [`t${n}`, `t${(n + 1) % 6000}`]))
        assert.lengthOf(yield* problems(of(row)), 1)
      }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect("one id is a list of it; the plan's name comes from the file's, in letters that an id may have", () =>
      Effect.gen(function* () {
        const { plan } = yield* load(
          "(Plan) Ünï .yaml",
          yaml.replace("[task-001]", "task-001").replace("workflow_id: feature-auth\n", "")
        )
        assert.deepStrictEqual(plan.tasks[1]?.dependsOn, ["task-001"])
        assert.strictEqual(plan.workflowId, "Plan-Uni")
        assert.match(
          (yield* problems(yaml.replace("[task-001]", "task-009"))).join(),
          /^tasks\[1\]\.depends_on: there is no task "task-009"/u
        )
      }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect("a plan of Markdown: front matter, and the text under a task's heading", () =>
      Effect.gen(function* () {
        const text = `---\ntasks:\n  - id: one\n    title: One\n    acceptance_criteria: done\n---\n# Plan\n\nProse.\n\n## one: the first\n\nDo it.\n\n### How\n\nWell.\n\n## Other\nno\n`
        const { plan } = yield* load("my plan.md", text.replaceAll("\n", "\r\n"))
        assert.strictEqual(plan.workflowId, "my-plan")
        assert.strictEqual(plan.tasks[0]?.description, "Do it.\n\n### How\n\nWell.")
        assert.strictEqual(plan.finish._tag, "Prompt")
        assert.match(JSON.stringify(plan.finish), /No person can be asked: do not merge, push/u)
      }).pipe(Effect.provide(HostServices.layer))
    )
    it("headings in a code fence or a comment are none", () => {
      const found = describedIn(outlineOf("## a\ntext\n```sh\n# b\n```\nmore\n<!--\n## d\n-->\n## c\nlast"))
      assert.deepStrictEqual(
        [...found],
        [
          ["c", "last"],
          ["a", "text\n```sh\n# b\n```\nmore"]
        ]
      )
    })
  })

  describe("all problems of a plan are told at once, with their places", () => {
    const rows: ReadonlyArray<readonly [string, string, RegExp]> = [
      [
        "an id twice",
        yaml.replace("id: task-002", "id: task-001"),
        /^tasks\[1\]\.id: "task-001" is the id of tasks\[0\] too/u
      ],
      [
        "a circle",
        yaml.replace("title: Create user model", "title: C\n    depends_on: [task-002]"),
        /^tasks\[0\]\.depends_on: task-001, task-002 wait for one another/u
      ],
      [
        "a task that waits for itself",
        yaml.replace("[task-001]", "[task-002]"),
        /^tasks\[1\]\.depends_on: task-002 waits for itself/u
      ],
      [
        "a dependency that is not there",
        yaml.replace("[task-001]", "[task-009]"),
        /^tasks\[1\]\.depends_on: there is no task "task-009"/u
      ],
      [
        "a document that is not there",
        yaml.replace("[spec.md]", "[nowhere.md]"),
        /^reference_docs: there is no nowhere\.md/u
      ],
      [
        "an id that comms has for others",
        yaml.replace("id: task-002", "id: task-00"),
        /^tasks\[1\]\.id: "task-00" has a meaning of its own/u
      ],
      [
        "no acceptance criteria",
        yaml.replace("acceptance_criteria: it is used", "notes: x"),
        /^tasks\[1\]\.acceptance_criteria: it must be there/u
      ],
      ["a key that nobody knows", yaml.replace("depends_on", "depend_on"), /^tasks\[1\]\.depend_on: /u],
      ["no tasks", "workflow_id: a\ntasks: []\n", /^tasks/u],
      ["too much text", yaml.replace("it is used", "x".repeat(33_000)), /^tasks\[1\]: \d+ bytes of text/u],
      [
        "too long a finish",
        yaml.replace(/^finish: .*$/mu, `finish: { prompt: ${"x".repeat(33_000)} }\n`),
        /^finish: \d+ bytes of text/u
      ],
      [
        "a finish that no program can be given",
        yaml.replace(/^finish: .*$/mu, 'finish: { command: ["a", "b\\0"] }\n'),
        /^finish/u
      ],
      [
        "a finishing skill that is no name",
        yaml.replace(/^finish: .*$/mu, "finish: { skill: take the bow }\n"),
        /^finish.*must be the name of a skill/u
      ],
      ...[
        "-x",
        "a..b",
        "two words",
        "refs/heads/main",
        "HEAD",
        "a/",
        "/a",
        "a//b",
        ".a",
        "a.lock",
        "a.",
        "a~1",
        "@{-1}"
      ].map(
        (name) =>
          [
            `a branch ${name}`,
            yaml.replace("finish:", `branch: ${JSON.stringify(name)}\nfinish:`),
            /^branch: must be auto, or the name of a branch, such as feature\/auth: .* \(line 3\)$/u
          ] as const
      ),
      ...["merge", "pull-request"].map(
        (finish) =>
          [
            `${finish} without a branch of its own`,
            yaml.replace("finish: none", `finish: ${finish}`),
            new RegExp(`^finish: ${finish} needs a branch of the run's own: add branch: auto .* \\(line 3\\)$`, "u")
          ] as const
      ),
      [
        "a setup of nothing",
        yaml.replace("finish:", "setup: [npm, ci]\nfinish:"),
        /^setup: nothing is made ready by it: add verify for a gate, or worktrees: true \(line 3\)$/u
      ],
      [
        "going on beside a stuck task without work trees",
        yaml.replace("finish:", "on_escalation: continue\nfinish:"),
        /^on_escalation: each task needs a work tree of its own: add worktrees: true to the plan \(line 3\)$/u
      ],
      [
        "another way to go on",
        yaml.replace("finish:", "worktrees: true\non_escalation: skip\nfinish:"),
        /^on_escalation: .*continue.*\(line 4\)$/u
      ],
      [
        "tasks at once without work trees",
        yaml.replace("finish:", "parallel: 2\nfinish:"),
        /^parallel: each task needs a work tree of its own: add worktrees: true to the plan \(line 3\)$/u
      ],
      [
        "no count of tasks at once",
        yaml.replace("finish:", "worktrees: true\nparallel: 0\nfinish:"),
        /^parallel: .*1 to 16 \(line 4\)$/u
      ],
      ...["/etc/**", "../other/*", "src/../../x", "!src"].map(
        (glob) =>
          [
            `files outside of the project: ${glob}`,
            yaml.replace("title:", `touches: "${glob}"\n    title:`),
            /touches.*from the project on/u
          ] as const
      ),
      ["a finish that nobody knows", yaml.replace("finish: none", "finish: push"), /^finish: .*leave.*merge/u],
      ["no YAML", "tasks: [", /^it is no YAML/u]
    ]
    for (const [what, text, problem] of rows) {
      it.effect(what, () =>
        Effect.gen(function* () {
          const found = yield* problems(text)
          assert.isTrue(
            found.some((one) => problem.test(one)),
            found.join("; ")
          )
        }).pipe(Effect.provide(HostServices.layer))
      )
    }
    it.effect("an unknown key, with the likely one or with all that are possible there; each with its line", () =>
      Effect.gen(function* () {
        const text = `workflow: a
refrence_docs: [spec.md]
finish:
  comand: [a]
tasks:
- id: t1
  "titel": One
  notes: |
    id: no key of a plan
  acceptance criteria: A

# One more.
- title: Two
  id: t2
  description: |
    dependsOn: no key of a plan
  criteria:
    - it is
  dependsOn: t1
  reference_docs:
    - path: spec.md
      descripton: it
    - nowhere.md
`
        const known = "id, title, description, acceptance_criteria, reference_docs, depends_on, touches, verify, done"
        const found = yield* problems(text)
        for (const one of [
          "workflow: there is no such key: did you mean workflow_id? (line 1)",
          "refrence_docs: there is no such key: did you mean reference_docs? (line 2)",
          "tasks[0].titel: there is no such key: did you mean title? (line 7)",
          `tasks[0].notes: there is no such key: those here are ${known} (line 8)`,
          "tasks[0].title: it must be there (line 6)",
          "tasks[1].criteria: there is no such key: did you mean acceptance_criteria? (line 17)",
          "tasks[1].dependsOn: there is no such key: did you mean depends_on? (line 19)",
          "tasks[1].acceptance_criteria: it must be there (line 13)"
        ])
          assert.include(found, one)
        // A line break within a message would be shown as a sign.
        assert.strictEqual((yield* Effect.flip(load("plan.yaml", text))).message.split("\n").length, 1)
        assert.isTrue(
          found.some((one) => one.startsWith("finish") && one.endsWith("(line 4)")),
          found.join("\n")
        )
        assert.isTrue(
          found.some((one) => one.startsWith("tasks[1].reference_docs") && /\(line (?:20|21|22)\)$/u.test(one)),
          found.join("\n")
        )
        // Lines of a Markdown plan count from the beginning of the file.
        assert.include(yield* problems(`---\n${text}---\n`, "plan.md"), "tasks[0].title: it must be there (line 7)")
        assert.match(
          (yield* problems("---\ntasks: 1\ntasks: 2\n---\n", "plan.md")).join(),
          /Map keys must be unique \(line 3\)$/u
        )
        assert.include(
          yield* problems("tasks: [{ id: a, title: A },\n {id: b, titel: B }]\n"),
          "tasks[1].titel: there is no such key: did you mean title? (line 2)"
        )
      }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect("missing documents, whatever else is wrong with the plan", () =>
      Effect.gen(function* () {
        const none = yaml
          .replace("[spec.md]", "[spec.md, no.md]")
          .replace("depends_on: [task-001]", "reference_docs: [{ path: not.md, description: D }]")
        const folder = / in \S+ \(line \d+\)$/u
        const told = Effect.fnUntraced(function* (text: string) {
          return (yield* problems(text)).map((one) => one.replace(folder, ""))
        })
        const documents = ["reference_docs: there is no no.md", "tasks[1].reference_docs: there is no not.md"]
        assert.deepStrictEqual(yield* told(none), documents)
        for (const wrong of [
          none.replace("id: task-002", "id: task-001"),
          none.replace("title: Use it", "titel: Use it")
        ]) {
          const found = yield* told(wrong)
          assert.includeMembers([...found], documents)
          assert.isAbove(found.length, documents.length)
        }
      }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect("the first hundred, and how many more", () =>
      Effect.gen(function* () {
        const found = yield* problems(`tasks:\n${"- id: a b\n".repeat(5000)}`)
        assert.lengthOf(found, 101)
        assert.match(found.at(-1)!, /^the plan: \d{4,5} more are wrong$/u)
      }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect("several at once, no front matter, another kind of file", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* problems(yaml.replace("[task-001]", "[x, y]"))).length, 2)
        assert.match(
          (yield* problems("# Plan\n", "plan.md"))[0]!,
          /there are no tasks in it: a plan has front matter .* with tasks:, or a heading “Task 1/u
        )
        // What YAML takes for a date, a number or nothing.
        const odd = yaml.replace("title: Use it", "title: 1.10").replace("- it is tested", "- ~")
        const texts = yield* problems(odd)
        assert.lengthOf(texts, 2)
        for (const one of texts) assert.match(one, /must be a text: put it in quotes \(line \d+\)$/u)
        assert.match((yield* problems(yaml, "plan.txt"))[0]!, /a plan is \.yaml/u)
      }).pipe(Effect.provide(HostServices.layer))
    )
  })
})

describe("behaviour#files-of-others", () => {
  it.effect("a plan is read from no link, pipe or folder, and from no file that anybody may write", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const project = yield* fs.makeTempDirectoryScoped()
      const at = (name: string) => path.join(project, name)
      yield* fs.writeFileString(at("spec.md"), "the spec")
      yield* fs.writeFileString(at("plan.yaml"), yaml)
      yield* fs.chmod(at("plan.yaml"), 0o664)
      assert.strictEqual((yield* loadPlan(at("plan.yaml"), project)).plan.tasks.length, 2)
      yield* fs.symlink(at("plan.yaml"), at("link.yaml"))
      execFileSync("mkfifo", [at("pipe.yaml")])
      yield* fs.makeDirectory(at("folder.yaml"))
      yield* fs.writeFileString(at("open.yaml"), yaml)
      yield* fs.chmod(at("open.yaml"), 0o666)
      yield* fs.writeFileString(at("large.yaml"), "")
      yield* fs.truncate(at("large.yaml"), 1_000_001)
      for (const [name, why] of [
        ["link.yaml", "it is a link, which is not followed: put there what it leads to"],
        ["pipe.yaml", "it is no regular file"],
        ["folder.yaml", "it is no regular file"],
        ["open.yaml", "others may write to it (mode 0666): chmod o-w it"],
        ["large.yaml", "it is larger than 1000000 bytes"],
        ["none.yaml", "it is not there"]
      ] as const) {
        const error = yield* Effect.flip(loadPlan(at(name), project))
        assert.deepStrictEqual(error._tag === "PlanInvalid" ? error.problems : [], [why])
      }
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  // Of a parser that takes quadratic time these would not end.
  it.effect("a megabyte is read in time, whatever it is", () =>
    Effect.gen(function* () {
      const bracket = `tasks: [中${"```\n".repeat(240_000)}`
      for (const [text, name] of [[bracket], [`---\n${bracket}\n---\n`, "plan.md"]] as const)
        assert.match((yield* problems(text, name)).join(), /it is no YAML that can be read: .* \(line \d+\)$/u)
      const body = `\n## task-002\n\n${"x".repeat(20_000)}\n\n## Notes\n\n${"x".repeat(900_000)}\n`
      assert.strictEqual((yield* load("plan.md", `---\n${yaml}---\n${body}`)).plan.tasks.length, 2)
    }).pipe(Effect.provide(HostServices.layer))
  )
})

describe("behaviour#agents-of-a-run", () => {
  describe("a prompt", () => {
    const planned = {
      id: "t",
      title: "T",
      description: "D",
      acceptanceCriteria: "- A",
      referenceDocs: [{ path: "spec.md", description: "the spec" }],
      dependsOn: []
    }
    const fresh = freshTask({ id: "t", title: "T", dependsOn: [] })
    it("an implementer's prompt has the task, its documents, all feedback, a person's guidance, and the form of the answer", () => {
      const feedback = [
        { attempt: 1, summary: "S1", issues: ["I1"], suggestions: [] },
        { attempt: 2, summary: "S2", issues: [], suggestions: ["G2"] }
      ]
      const text = implementerPrompt(planned, { ...fresh, feedback, guidance: ["be brave"] }, "w0rd")
      for (const part of [
        "**Task ID:** t",
        "**Acceptance Criteria:**\n- A",
        "- `spec.md`: the spec",
        "**Attempt 1 Feedback:**\nS1",
        "- I1",
        "**Attempt 2 Feedback:**\nS2",
        "- G2",
        "be brave",
        "```\nIMPLEMENTATION_COMPLETE w0rd\ncommits: [list of commit hashes]",
        "```\nIMPLEMENTATION_BLOCKED w0rd\n"
      ])
        assert.include(text, part)
      assert.notInclude(implementerPrompt(planned, fresh, "w0rd"), "Previous Attempts")
    })
    it.effect("prompts are word by word what they were: each change of one is seen", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const told = {
          ...fresh,
          feedback: [{ attempt: 1, summary: "S1", issues: ["I1"], suggestions: ["G1"] }],
          guidance: ["be brave"],
          lastFailure: "it slept",
          work: { commits: ["c1", "c2"], files: ["a.ts", "a.test.ts"], testFile: "a.test.ts" }
        }
        const again = { ...told, reviewed: "c1", implementation: { head: "c2", verified: false }, minor: ["M1"] }
        for (const [name, text] of [
          ["implementer", implementerPrompt(planned, told, "w0rd")],
          ["reviewer", reviewerPrompt(planned, { ...told, feedback: [] }, "w0rd")],
          ["re-reviewer", reviewerPrompt(planned, again, "w0rd", { since: { commits: ["c2"], files: ["a\n.ts"] } })]
        ] as const) {
          const file = fileURLToPath(new URL(`fixtures/prompts/${name}.md`, import.meta.url))
          assert.strictEqual(text, yield* fs.readFileString(file))
        }
      }).pipe(Effect.provide(HostServices.layer))
    )
    it("a prompt is one argument of a program, however much there is to tell: the newest of it is told", () => {
      const long = "\u{1F3AD}".repeat(32_000 / 4)
      const words = (many: number) => Array.from({ length: 20 }, () => "\u{1F3AD}".repeat(many))
      const feedback = [1, 2, 3, 4, 5].map((attempt) => ({
        attempt,
        summary: `S${attempt} ${"x".repeat(2000)}`,
        issues: words(500),
        suggestions: words(500)
      }))
      const files = Array.from({ length: 5000 }, (_, n) => `${"f".repeat(4000)}${n}.ts`)
      const task = {
        ...fresh,
        feedback,
        guidance: [1, 2, 3, 4, 5].map((n) => `G${n} ${"\u{1F3AD}".repeat(4000)}`),
        work: { commits: Array.from({ length: 5000 }, () => "c".repeat(40)), files, testFile: "t" }
      }
      const wide = { ...planned, description: long }
      const [implementer, reviewer] = [
        implementerPrompt(wide, task, "w0rd"),
        reviewerPrompt(wide, { ...task, reviewed: "c", minor: words(500) }, "w0rd", {
          since: { commits: ["c"], files }
        })
      ]
      for (const prompt of [implementer, reviewer]) assert.isBelow(Buffer.byteLength(prompt), 131_072)
      for (const part of ["**Attempt 5 Feedback:**\nS5", "G5 "]) assert.include(implementer, part)
      assert.match(reviewer, /- and 49\d\d more, in the commits/u)
      assert.include(reviewer, "G5 ")
    })
    it("a reviewer's prompt has the task, its documents, git's account and a person's guidance, and no words of the implementer", () => {
      const task = {
        ...fresh,
        guidance: ["be brave"],
        lastFailure: "it slept",
        work: { commits: ["c1", "c2"], files: ["a.ts"], testFile: "a.test.ts" }
      }
      const text = reviewerPrompt(planned, task, "w0rd")
      for (const part of [
        "**Commits:** c1, c2",
        '- "a.ts"',
        '**Test File:** "a.test.ts"',
        "```\nAPPROVED w0rd\n",
        "```\nREJECTED w0rd\n"
      ])
        assert.include(text, part)
      for (const part of ["- `spec.md`: the spec", "before reviewing", "### Guidance of the User", "be brave"])
        assert.include(text, part)
      assert.notInclude(text, "it slept")
      assert.notInclude(reviewerPrompt(planned, { ...task, guidance: [] }, "w0rd"), "Guidance")
    })
  })
})

describe("behaviour#finishing-step", () => {
  it.effect(
    "a finishing skill begins its prompt, and is told that no person can be asked; a prompt is told as it is",
    () =>
      Effect.gen(function* () {
        const finishedBy = Effect.fnUntraced(function* (finish: string) {
          const { plan } = yield* load("plan.yaml", yaml.replace(/^finish: .*$/mu, `finish: ${finish}`))
          return finisherPrompt({ ...initialRun }, plan.finish, "/the-bow")
        })
        const skill = yield* finishedBy("{ skill: the-bow }")
        assert.match(skill, /^\/the-bow ## Implementation Complete\n/u)
        assert.match(skill, /No person can be asked\./u)
        const prompt = yield* finishedBy("{ prompt: Take the bow }")
        assert.match(prompt, /^## Implementation Complete\n[^]*\n\nTake the bow\n$/u)
      }).pipe(Effect.provide(HostServices.layer))
  )
})
