import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FileSystem } from "effect"
import { services } from "./mcp/McpPlace.ts"
import { printedAt } from "./Printed.ts"

const checklist = "# Notes\n\n- [x] A1 Keep notes\n- [ ] A2 List them\n"
const issues = [
  { number: 12, title: "List notes", body: "Newest first.\n\n## Acceptance criteria\n- [ ] sorted\n\nBlocked by #11" },
  { number: 11, title: "Keep notes", body: null }
]

/** A folder with a plan, in which programs are found that print these texts, or end badly. */
const opera = Effect.fnUntraced(function* (
  programs: Readonly<Record<string, string>> = {},
  more: Readonly<Record<string, string>> = {}
) {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-forms-" }))
  yield* fs.makeDirectory(`${home}/bin`)
  yield* fs.writeFileString(`${home}/todo.md`, checklist)
  for (const [program, text] of Object.entries(programs)) {
    yield* fs.writeFileString(`${home}/${program}.said`, text)
    const script = `#!/bin/sh\necho "$0 $*" >> ${home}/asked\n/bin/cat ${home}/${program}.said\n`
    yield* fs.writeFileString(`${home}/bin/${program}`, script, { mode: 0o755 })
  }
  const variables = { HOME: home, PATH: `${home}/bin`, SOUFFLEUR_STATE_DIR: `${home}/state`, ...more }
  const conduct = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const lines: Array<string> = []
    const exit = yield* Effect.exit(printedAt({ cwd: home, variables, interactive: false, lines }, "conduct", ...args))
    return { isDone: Exit.isSuccess(exit), said: lines.join("\n") }
  })
  return { conduct, asked: fs.readFileString(`${home}/asked`), home }
})

describe("behaviour#plan-forms", () => {
  it.layer(services)((it) => {
    it.effect("a plan of another tool is printed as souffleur's own, and conducted from that as well", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { conduct, home } = yield* opera({ claude: "" })
        const { isDone, said } = yield* conduct("plan", "todo.md")
        assert.isTrue(isDone, said)
        assert.include(said, "# Read from todo.md, a task each box of a list.\nworkflow_id: todo\n")
        assert.include(said, "  - id: A1\n    title: Keep notes\n")
        yield* fs.writeFileString(`${home}/plan.yaml`, said)
        for (const [file, line] of [
          ["todo.md", 3],
          ["plan.yaml", "\\d+"]
        ] as const) {
          const run = yield* conduct(file, "--dry-run")
          assert.match(run.said, new RegExp(`1 {2}A1 {2}line ${line} {2,}Keep notes: done, says the plan`, "u"))
        }
      })
    )
    it.effect("issues of GitHub and of beads become a plan for a person to read, by their own programs", () =>
      Effect.gen(function* () {
        const bead = { id: "nt-1", title: "Keep\nnotes", status: "open", description: "x" }
        const { asked, conduct, home } = yield* opera({ gh: JSON.stringify(issues), bd: JSON.stringify([bead]) })
        const github = yield* conduct("plan", "--from-github", "ready")
        assert.isTrue(github.isDone, github.said)
        assert.include(github.said, "\nbranch: auto\nfinish: leave\n")
        assert.match(github.said, /- id: issue-11\n[^]*- id: issue-12\n[^]*- sorted\n[^]*depends_on:\n {6}- issue-11/u)
        const beads = yield* conduct("plan", "--from-beads")
        assert.match(beads.said, /^# Read from beads, a task each issue of beads\.\n[^]*- id: nt-1\n/u)
        assert.strictEqual(
          yield* asked,
          `${home}/bin/gh issue list --label ready --limit 1000 --json number,title,body\n${home}/bin/bd list --limit 0 --json\n`
        )
      })
    )
    it.effect("a plan with programs is conducted once a person trusts them; others need another word", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { conduct, home } = yield* opera({ claude: "" })
        const plan = (program: string) =>
          fs.writeFileString(
            `${home}/gated.yaml`,
            `verify: [${program}, test]\nfinish: none\ntasks:\n  - id: a\n    title: A\n    acceptance_criteria: it is\n`
          )
        yield* plan("npm")
        for (const refused of [yield* conduct("gated.yaml"), yield* conduct("gated.yaml")])
          assert.include(
            refused.said,
            `${home}/gated.yaml has programs that are not trusted yet: npm test: read them, then say "souffleur conduct plan ${home}/gated.yaml --trust"`
          )
        assert.include((yield* conduct("gated.yaml", "--dry-run")).said, "\nits gate: npm test\n")
        const { isDone, said } = yield* conduct("plan", "gated.yaml", "--trust")
        assert.isTrue(isDone, said)
        assert.match(said, /verify:\n {2}- - npm\n {4}- test\n[^]*its programs are trusted from now on$/u)
        // There is no repository: that is the next refusal.
        assert.include((yield* conduct("gated.yaml")).said, "not a git repository")
        yield* plan("make")
        assert.include((yield* conduct("gated.yaml")).said, "not trusted yet: make test")
        // What goes out needs the word as well.
        yield* fs.writeFileString(
          `${home}/out.yaml`,
          "branch: auto\nfinish: pull-request\ntasks:\n  - id: a\n    title: A\n    acceptance_criteria: it is\n"
        )
        assert.include((yield* conduct("out.yaml")).said, "not trusted yet: git push; gh pr create: read them")
        assert.isTrue((yield* conduct("plan", "out.yaml", "--trust")).isDone)
        assert.include((yield* conduct("out.yaml")).said, "not a git repository")
        const agent = yield* opera({ claude: "" }, { CLAUDECODE: "1", SOUFFLEUR_LAUNCH_ID: "x" })
        assert.include((yield* agent.conduct("plan", "todo.md", "--trust")).said, "only a person may use")
      })
    )
    it.effect("one source is named; a tracker that cannot be asked, or names no issue, is an error", () =>
      Effect.gen(function* () {
        const { conduct } = yield* opera({ bd: "[]" })
        for (const [args, why] of [
          [[], /name one source: a file, --from-beads, or --from-github LABEL/u],
          [["todo.md", "--from-beads"], /name one source/u],
          [["--from-beads"], /bd list --limit 0 --json: it names no issue/u],
          [["--from-github", "ready"], /gh issue list --label ready .*: there is no program gh in PATH/u],
          [["none.md"], /none\.md: it is not there/u]
        ] as const) {
          const { isDone, said } = yield* conduct("plan", ...args)
          assert.isFalse(isDone)
          assert.match(said, why)
        }
      })
    )
  })
})
