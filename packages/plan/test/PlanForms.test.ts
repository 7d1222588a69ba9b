import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Path, Schema } from "effect"
import { loadPlan, type PlanChoice, type Plan, planText, termsOf } from "../src/index.ts"

/** Reads a plan in a project that has it, with other files beside it. */
const load = Effect.fnUntraced(function* (
  name: string,
  text: string,
  { choice, others = [] }: { readonly choice?: PlanChoice; readonly others?: ReadonlyArray<string> } = {}
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const project = yield* fs.makeTempDirectoryScoped()
  for (const [file, content] of [[name, text], ...others.map((other) => [other, "words"])] as const) {
    yield* fs.makeDirectory(path.dirname(path.join(project, file)), { recursive: true })
    yield* fs.writeFileString(path.join(project, file), content)
  }
  return yield* loadPlan(path.join(project, name), project, choice)
}, Effect.scoped)
const refused = (name: string, text: string, choice: PlanChoice = {}) =>
  Effect.map(Effect.flip(load(name, text, { choice })), (error) =>
    error._tag === "PlanInvalid" ? error.problems.join("\n") : error._tag
  )
const reads = <E>(what: string, test: () => Effect.Effect<void, E, HostServices.HostServices>) =>
  it.effect(what, () => Effect.provide(test(), HostServices.layer))
const outline = ({ tasks }: Plan) =>
  tasks.map(({ dependsOn, done = false, id, title }) => [id, title, dependsOn.join(), done] as const)

const superpowers = `# Notes Implementation Plan

> **For agentic workers:** REQUIRED SUB-SKILL: Use superpowers:subagent-driven-development

**Goal:** Keep notes in a file.

## Global Constraints
- No dependency.

---

### Task 1: Note store

**Files:**
- Create: \`src/store.js\`

**Interfaces:**
- Produces: \`add(text: string): number\`

- [x] **Step 1: Write the failing test**
\`\`\`js
### Task 9: none
- [ ] no step
\`\`\`
- [x] **Step 2: Commit**

<!--
### Task 8: none either
-->
### Task 2: List them

- [x] **Step 1: Write the failing test**
- [ ] **Step 2: Commit**

## Notes

By hand.
`
const ralphex = `# Plan: Notes
## Validation Commands
- \`npm test\`
- \`npm run lint\`
### Task 1: Store
- [ ] Add the store
- [ ] Add tests
`
const speckit = `# Tasks: Notes
**Input**: Design documents from \`/specs/001-notes/\`
## Phase 1: Setup (Shared Infrastructure)
- [x] T001 Create project structure
- [X] T002 [P] Configure linting in package.json
## Phase 3: User Story 1 - Add a note (Priority: P1) 🎯 MVP
**Goal**: A note is kept.
**Independent Test**: \`npm test -- store\`
- [ ] T003 [P] [US1] Create the store in src/store.js
- [ ] T004 [US1] Add the command in src/cli.js (depends on T003)
**Checkpoint**: User Story 1 works.
`
const openspec = `## 1. Index
- [ ] 1.1 Add an index file
- [ ] 1.2 Rebuild it when a note changes
## 2. Verification
- [ ] 2.1 Run the whole suite
## 3. Archive the change
- [ ] 3.1 Run openspec archive
`
const master = {
  master: {
    tasks: [
      { id: 1, title: "Store", description: "Keep notes.", status: "done", dependencies: [], details: "src/store.js" },
      {
        id: 2,
        title: "List",
        description: "List notes.",
        status: "pending",
        dependencies: [1, "3.2"],
        testStrategy: "npm test -- list",
        subtasks: [{ id: 1, title: "CLI", status: "pending", dependencies: [] }]
      },
      { id: 3, title: "Sync", status: "cancelled", dependencies: [] }
    ],
    metadata: { created: "2026-11-28T00:00:00Z" }
  }
}
const beads = [
  { id: "nt-1", title: "All", status: "open", issue_type: "epic" },
  {
    id: "nt-a1b2",
    title: "Store",
    description: "Keep notes.",
    acceptance_criteria: "`add` is tested",
    status: "closed"
  },
  {
    id: "nt-9f00",
    title: "List",
    status: "open",
    issue_type: "task",
    dependencies: [
      { issue_id: "nt-9f00", depends_on_id: "nt-a1b2", type: "blocks" },
      { issue_id: "nt-9f00", depends_on_id: "nt-1", type: "parent-child" }
    ]
  }
]

describe("behaviour#plan-forms", () => {
  describe("a plan in the form of another tool", () => {
    reads("superpowers: a task below each heading, without fences, comments and notes to its own agent", () =>
      Effect.gen(function* () {
        const { plan, understood } = yield* load("docs/plans/2026-notes.md", superpowers)
        assert.strictEqual(plan.workflowId, "2026-notes")
        assert.deepStrictEqual(outline(plan), [
          ["task-1", "Note store", "", true],
          ["task-2", "List them", "task-1", false]
        ])
        const [first] = plan.tasks
        assert.strictEqual(
          first?.constraints,
          "**Goal:** Keep notes in a file.\n\n## Global Constraints\n\n- No dependency."
        )
        assert.strictEqual(first!.acceptanceCriteria, "- Each of its steps is done")
        assert.match(first!.description, /^\*\*Files:\*\*\n- Create: `src\/store\.js`\n\n\*\*Interfaces:\*\*/u)
        assert.match(first!.description, /```js\n### Task 9: none\n/u)
        assert.match(first!.description, /\n\nTick its boxes in `docs\/plans\/2026-notes\.md` in the commit/u)
        assert.deepStrictEqual(understood.lines, [12, 30])
        assert.deepStrictEqual(understood.leftOut, [
          "Notes (line 35): it belongs to no task",
          "Task 9: none (line 22): it stands in a code fence or a comment",
          "Task 8: none either (line 28): it stands in a code fence or a comment"
        ])
        assert.match(understood.form ?? "", /superpowers/u)
      })
    )
    reads("ralphex: its commands are criteria", () =>
      Effect.gen(function* () {
        const { plan } = yield* load("notes.md", ralphex)
        assert.strictEqual(
          plan.tasks[0]?.acceptanceCriteria,
          "- Each of its steps is done\n- `npm test` ends with 0\n- `npm run lint` ends with 0"
        )
        assert.strictEqual(plan.tasks[0]?.constraints, undefined)
      })
    )
    reads("spec-kit: a phase a task, with the documents beside it; or a line", () =>
      Effect.gen(function* () {
        const others = ["specs/001-notes/spec.md", "specs/001-notes/contracts/api.md", "specs/001-notes/notes.md"]
        const { plan } = yield* load("specs/001-notes/tasks.md", speckit, { others })
        assert.strictEqual(plan.workflowId, "001-notes")
        assert.deepStrictEqual(outline(plan), [
          ["phase-1", "Setup (Shared Infrastructure)", "", true],
          ["phase-3", "User Story 1 - Add a note (Priority: P1) 🎯 MVP", "phase-1", false]
        ])
        assert.deepStrictEqual(
          plan.tasks[1]?.referenceDocs.map(({ path }) => path),
          ["specs/001-notes/contracts", "specs/001-notes/spec.md"]
        )
        assert.strictEqual(
          plan.tasks[1]?.acceptanceCriteria,
          "- Each of its steps is done\n- A note is kept.\n- `npm test -- store`\n- User Story 1 works."
        )
        const each = yield* load("tasks.md", speckit, { choice: { each: true } })
        assert.deepStrictEqual(outline(each.plan), [
          ["T001", "Create project structure", "", true],
          ["T002", "Configure linting in package.json", "", true],
          ["T003", "Create the store in src/store.js", "", false],
          ["T004", "Add the command in src/cli.js (depends on T003)", "T003", false]
        ])
        assert.match(each.plan.tasks[2]!.description, /phase “User Story 1.*\nIts phase: A note is kept\./su)
        assert.deepStrictEqual(each.understood.lines, [4, 5, 9, 10])
      })
    )
    reads("OpenSpec: a group a task; a person archives the change", () =>
      Effect.gen(function* () {
        const name = "openspec/changes/add-search/tasks.md"
        const others = ["openspec/changes/add-search/proposal.md"]
        const { plan, understood } = yield* load(name, openspec, { others })
        assert.strictEqual(plan.workflowId, "add-search")
        assert.deepStrictEqual(outline(plan), [
          ["task-1", "Index", "", false],
          ["task-2", "Verification", "task-1", false]
        ])
        assert.deepStrictEqual(understood.leftOut, ["Archive the change (line 6): a change is archived by a person"])
      })
    )
    reads("a list of boxes: the author's ids where each box has one, and conditions below it", () =>
      Effect.gen(function* () {
        const named = yield* load("todo.md", "# TODO\n- [x] T1.1 first\n- [~] T1.2 second\n- [ ] F5 third ✅\n")
        assert.deepStrictEqual(outline(named.plan), [
          ["T1.1", "first", "", true],
          ["T1.2", "second", "", false],
          ["F5", "third ✅", "", false]
        ])
        const text = "## Server\n- [ ] **1. Store.** Keep it\n  - Verify: npm test\n- [ ] S3 upload\n  over two lines\n"
        const { plan } = yield* load("todo.md", text)
        assert.deepStrictEqual(outline(plan), [
          ["task-1", "Store. Keep it", "", false],
          ["S3", "upload", "", false]
        ])
        assert.strictEqual(plan.tasks[0]?.acceptanceCriteria, "- npm test")
        assert.match(plan.tasks[1]!.description, /^S3 upload\nover two lines\n\nIt stands below “Server”\./u)
        const plainly = yield* load("todo.md", "- [ ] S3 upload\n- [ ] write docs\n\n1. [ ] at last\n")
        assert.deepStrictEqual(outline(plainly.plan), [
          ["task-1", "S3 upload", "", false],
          ["task-2", "write docs", "", false],
          ["task-3", "at last", "", false]
        ])
      })
    )
    reads("task-master: the list of a tag, and what is cancelled is left out", () =>
      Effect.gen(function* () {
        const { plan, understood } = yield* load(".taskmaster/tasks/tasks.json", JSON.stringify(master))
        assert.strictEqual(plan.workflowId, "master")
        assert.deepStrictEqual(outline(plan), [
          ["1", "Store", "", true],
          ["2", "List", "1", false]
        ])
        assert.strictEqual(plan.tasks[1]?.acceptanceCriteria, "- npm test -- list")
        assert.deepStrictEqual(understood.leftOut, [
          "3 Sync: its status is cancelled",
          "3, for which 2 waits: it is no task here"
        ])
        const two = JSON.stringify({ a: master.master, b: master.master })
        assert.match(yield* refused("tasks.json", two), /it has several lists: name one of a, b by --tag/u)
        assert.strictEqual((yield* load("tasks.json", two, { choice: { tag: "b" } })).plan.workflowId, "b")
        assert.strictEqual((yield* load("tasks.json", JSON.stringify(master.master))).plan.tasks.length, 2)
      })
    )
    reads("beads: the issues that block one another, without epics", () =>
      Effect.gen(function* () {
        for (const list of [beads, { schema_version: 1, data: beads }]) {
          const { plan, understood } = yield* load("beads.json", JSON.stringify(list))
          assert.deepStrictEqual(outline(plan), [
            ["nt-a1b2", "Store", "", true],
            ["nt-9f00", "List", "nt-a1b2", false]
          ])
          assert.deepStrictEqual(understood.leftOut, ["nt-1 All: it is of the kind epic"])
        }
      })
    )
    reads("JSON may have souffleur's own form, whose keys are judged", () =>
      Effect.gen(function* () {
        const own = { workflow_id: "w", tasks: [{ id: "t1", title: "One", acceptance_criteria: ["a"] }] }
        assert.deepStrictEqual(outline((yield* load("p.json", JSON.stringify(own))).plan), [["t1", "One", "", false]])
        assert.match(yield* refused("p.json", JSON.stringify({ ...own, task: [] })), /task: there is no such key/u)
      })
    )
    reads("front matter that has no tasks says nothing of them", () =>
      Effect.gen(function* () {
        const { plan, understood } = yield* load(
          "p.md",
          `---\r\ntitle: Notes\r\n---\r\n${ralphex.replaceAll("\n", "\r\n")}`
        )
        assert.deepStrictEqual(outline(plan), [["task-1", "Store", "", false]])
        assert.deepStrictEqual(understood.lines, [8])
      })
    )
  })

  /** What is read of a text: its tasks in short, what is left out, or why it is refused. */
  const short = (name: string, text: string, choice: PlanChoice = {}) =>
    Effect.match(load(name, text, { choice }), {
      onFailure: (error) => (error._tag === "PlanInvalid" ? error.problems.join("\n") : error._tag),
      onSuccess: ({ plan, understood }) =>
        [
          ...plan.tasks.map(({ done = false, id, title }) => `${id} ${title}${done ? ", done" : ""}`),
          ...understood.leftOut
        ].join("; ")
    })
  const rows: ReadonlyArray<readonly [string, string, string, RegExp]> = [
    [
      "a box is done with those below it",
      "p.md",
      "- [x] a\n  - [ ] b\n- [x] c\n  - [x] d\n",
      /^task-1 a; task-2 c, done$/u
    ],
    [
      "a task heading in a task is a step",
      "p.md",
      "## Task 1: A\n### Task 1.1: B\n- [ ] b\n## Task 2: C\n",
      /^task-1 A; task-2 C$/u
    ],
    [
      "headings as people type them",
      "p.md",
      "### ✅ Task 1 (optional): A\n### **Task 2: B**\n### Task #3 - C\n### Task 4\n### Task 5b E\n",
      /^task-1 A; task-2 B; task-3 C; task-4 Task 4; task-5b E$/u
    ],
    [
      "a lone carriage return is a line end",
      "p.md",
      "### Task 1: A\r- [x] a\r### Task 2: B\r- [ ] b\r",
      /^task-1 A, done; task-2 B$/u
    ],
    [
      "a line across the page is no front matter",
      "p.md",
      "---\n# Plan\n\n### Task 1: A\n---\n### Task 2: B\n",
      /^task-1 A; task-2 B$/u
    ],
    [
      "keys of front matter count in any form",
      "p.md",
      "---\nworkflow_id: mine\nfinsh: none\n---\n### Task 1: A\n",
      /^finsh: there is no such key: did you mean finish\? \(line 3\)$/u
    ],
    [
      "a key of front matter counts where it stands alone",
      "p.md",
      "---\nfinal_review: maybe\n---\n### Task 1: A\n",
      /^final_review: /u
    ],
    [
      "agents of roles in front matter count in any form",
      "p.md",
      "---\nagents: { implementor: { agent: pi } }\n---\n- [ ] b\n",
      /^agents\.implementor: there is no such key: did you mean implementer\? \(line 2\)$/u
    ],
    [
      "agents of another tool in front matter say nothing",
      "p.md",
      "---\nagents: [frontend]\nowner: me\n---\n### Task 1: A\n- [ ] a\n",
      /^task-1 A$/u
    ],
    ["front matter with a likely tasks:", "p.md", "---\ntaks:\n  - id: a\n---\n- [ ] b\n", /did you mean tasks\?$/u],
    [
      "boxes below a plain item",
      "p.md",
      "- Server\n  - [ ] a\n- [ ] b\n- [-] c\n",
      /^task-1 a; task-2 b; c \(line 4\): its mark is \[-\]$/u
    ],
    [
      "a footnote is no box, and a number no id",
      "p.md",
      "- [1] Knuth\n- [ ] 3 retries on failure\n",
      /^task-1 3 retries on failure$/u
    ],
    [
      "each group with boxes is a task, and the rest is named",
      "p.md",
      "## 1. A\n- [ ] 1.1 a\n## 2. Archive Runtime Inputs\n- [ ] do\n## Prerequisites\n- [ ] 0.1 p\n## 3. Archive change\n- [ ] openspec archive x\n",
      /^task-1 A; task-2 Archive Runtime Inputs; Prerequisites \(line 5\): it belongs to no task; Archive change \(line 7\): a change/u
    ],
    [
      "each phase is a task, and the rest is named",
      "p.md",
      "## Phase 1: A\n- [ ] T001 a\n## PHASE 2: QA\n- [ ] ask ops\n## Notes\nn\n",
      /^phase-1 A; phase-2 QA; Notes \(line 5\)/u
    ],
    [
      "own JSON is judged as such",
      "p.json",
      '{"workflow_id":"w","tasks":[{"id":"a","title":"A","depends_on":[]}]}',
      /^tasks\[0\]\.acceptance_criteria: it must be there/u
    ],
    [
      "JSON without any mark is souffleur's own",
      "p.json",
      '{"tasks":[{"id":"a","title":"A"}]}',
      /acceptance_criteria: it must be there/u
    ],
    [
      "no other tag is taken",
      "p.json",
      '{"master":{"tasks":[{"id":1,"title":"A","status":5}]},"old":{"tasks":[{"id":2,"title":"B","status":"x"}]}}',
      /^the tag master\.tasks\[0\]\.status: /u
    ],
    [
      "several tags and no master",
      "p.json",
      '{"a":{"tasks":[{"id":1,"title":"A","status":"x"}]},"b":{"tasks":[]}}',
      /it has several lists: name one of a, b by --tag/u
    ],
    [
      "states of task-master",
      "p.json",
      '{"tasks":[{"id":1,"title":"A","status":"completed"},{"id":2,"title":"B","status":"review"},{"id":3,"title":"C","subtasks":[{"id":1,"title":"s","dependencies":["1.2"]}]}]}',
      /^1 A, done; 3 C; 2 B: its status is review$/u
    ],
    [
      "an epic is done with its children",
      "p.json",
      '[{"id":"e","title":"E","status":"open","issue_type":"epic"},{"id":"n","title":"N","status":"open","dependencies":[{"depends_on_id":"e","type":"blocks"},{"depends_on_id":"gone","type":"blocks"}]},{"id":"c","title":"C","status":"open","dependencies":[{"depends_on_id":"e","type":"parent-child"}]},{"id":"p","title":"P","status":"pinned"}]',
      /^n N; c C; e E: it is of the kind epic; p P: its status is pinned; gone, for which n waits/u
    ],
    ["more tasks than anybody conducts", "p.md", "- [ ] a\n".repeat(1001), /^tasks: 1001 tasks, more than 1000$/u]
  ]
  describe("what is read, line by line", () => {
    for (const [what, name, text, right] of rows)
      reads(what, () => Effect.map(short(name, text), (found) => assert.match(found, right)))
    reads("a choice is for the form that has it", () =>
      Effect.gen(function* () {
        assert.match(yield* short("p.md", "- [ ] a\n", { each: true }), /--each is for the phases of spec-kit/u)
        assert.match(yield* short("p.md", "- [ ] a\n", { tag: "x" }), /--tag is for the lists of task-master/u)
        assert.match(
          yield* short("p.md", "## Phase 1: A\n- [ ] **T001** [P] a\n- [ ] T002: b\n- [ ] c\n", { each: true }),
          /^T001 a; T002 b; c \(line 4\): it has no id such as T001$/u
        )
      })
    )
    reads("a line of spec-kit without [P] has the run to itself, also in the plan that is printed", () =>
      Effect.gen(function* () {
        const { plan } = yield* load("p.md", "## Phase 1: A\n- [ ] T001 [P] [US1] a\n- [ ] T002 [US1] b\n", {
          choice: { each: true }
        })
        assert.deepStrictEqual(
          plan.tasks.map(({ touches }) => touches),
          [undefined, ["**"]]
        )
        const parallel: Plan = { ...plan, worktrees: true, parallel: 2 }
        const again = yield* load("p.yaml", yield* planText(parallel))
        assert.deepStrictEqual(again.plan.tasks, plan.tasks)
        assert.strictEqual(again.plan.parallel, 2)
      })
    )
    reads("validation commands: of a list or a fence, of the plan or a task; what needs a shell is a criterion", () =>
      Effect.gen(function* () {
        const text =
          "## Validation Commands:\n```bash\nnpm test\n$ npm run lint\n```\n- make all\n- `a | b`\n- `npm test` in `x`\n### Task 1: A\n#### Validation Commands\n- `cargo test`\n### Task 2: B\n"
        const { plan } = yield* load("p.md", text)
        assert.deepStrictEqual(
          plan.tasks.map(({ gate }) => gate?.verify.map((words) => words.join(" "))),
          [
            ["npm test", "npm run lint", "make all", "cargo test"],
            ["npm test", "npm run lint", "make all"]
          ]
        )
        assert.match(plan.tasks[1]!.acceptanceCriteria, /- `a \| b` ends with 0\n- `npm test` in `x`$/u)
      })
    )
    reads("what is ticked while a run lasts changes nothing", () =>
      Effect.gen(function* () {
        const terms = (name: string, text: string) =>
          Effect.flatMap(load(name, text), ({ plan }) => Effect.map(termsOf(plan), ({ tasks }) => tasks))
        const text = "# P\n- [ ] pre\n> - [ ] quoted\n### Task 1: A\n- [~] a\n  - [ ] b\n"
        assert.deepStrictEqual(yield* terms("p.md", text), yield* terms("p.md", text.replaceAll(/\[[ ~]\]/gu, "[x]")))
        const master = (status: string) =>
          JSON.stringify({ tasks: [{ id: 1, title: "A", status, subtasks: [{ id: 1, title: "s", status }] }] })
        assert.deepStrictEqual(yield* terms("t.json", master("pending")), yield* terms("t.json", master("done")))
      })
    )
  })
  // Each of these took minutes, or was no answer at all.
  reads("a long text in any form is read in time", () =>
    Effect.gen(function* () {
      const much = (unit: string) => unit.repeat(Math.floor(200_000 / unit.length))
      for (const text of [
        `- [ ] a\n\n${much("  b\n")}`,
        `- [ ] a\n${much("  - Verify:\n")}`,
        much("- [ ] a\n"),
        much("# Task 1: a\n"),
        much("# Phase 1: a\n- [ ] T001 a\n"),
        `# Phase 1: a\n- [ ] T001 ${much("(depends on ")}`,
        much("- a\n  - [ ] b\n"),
        `- [ ] a\n\`\`\`\n${"\n".repeat(400_000)}`
      ])
        for (const each of [false, true]) assert.isString(yield* short("p.md", text, { each }))
    })
  )

  reads("a plan in two forms is refused with both, and so is one in none", () =>
    Effect.gen(function* () {
      assert.match(
        yield* refused("p.md", `${superpowers}\n${speckit}`),
        /can be read in 2 ways, a task below each heading “Task N”.* \(lines 12, 30\); and a task a phase.* \(lines 41, 44\): leave one/u
      )
      for (const none of ["# Plan\n\n1. Do it\n2. And that\n", "", "```\n- [ ] in a fence\n```\n"])
        assert.match(yield* refused("p.md", none), /there are no tasks in it/u)
      assert.match(yield* refused("p.json", "[]"), /it names no issue/u)
    })
  )

  reads("a plan is written as YAML that is read as the same plan", () =>
    Effect.gen(function* () {
      const other = [
        ["p.md", superpowers],
        ["tasks.md", speckit],
        ["b.json", JSON.stringify(beads)]
      ] as const
      const ends = ["none", "leave", "merge", "pull-request"].map(
        (finish) =>
          [
            `${finish}.yaml`,
            `branch: feature/auth\nfinish: ${finish}\ntasks: [{ id: a, title: A, acceptance_criteria: it is }]\n`
          ] as const
      )
      for (const [name, text] of [...other, ...ends]) {
        const { plan } = yield* load(name, text)
        const again = yield* load("again.yaml", yield* planText(plan))
        assert.deepStrictEqual(again.plan, plan)
      }
    })
  )
  it.effect.prop("so is one with any text", [Schema.NonEmptyString], ([text]) => {
    const said = text.trim() === "" ? "x" : text
    const task = { id: "t", title: said, description: `a\n${said}\n b`, acceptance_criteria: [said, "b"] }
    return Effect.gen(function* () {
      const { plan } = yield* load("p.json", JSON.stringify({ constraints: said, tasks: [task] }))
      const again = yield* load("again.yaml", yield* planText(plan))
      assert.deepStrictEqual(again.plan, { ...plan, workflowId: "p" })
    }).pipe(Effect.provide(HostServices.layer))
  })
})
