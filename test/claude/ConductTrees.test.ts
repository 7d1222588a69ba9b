import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { inject } from "vitest"
import { approved, assignmentOf, complete, conducted, write } from "./Conducted.ts"
import { bash, services } from "./Watched.ts"

const claude = inject("claude")

const plan = `workflow_id: opera
finish: none
worktrees: true
tasks:
  - {id: act-1, title: Write it, acceptance_criteria: it is written}
  - {id: act-2, title: Write that, acceptance_criteria: it is written}
`

describe.skipIf(claude === null)("behaviour#a-work-tree-a-task", () => {
  it.live(
    "Claude Code works in the tree of its task, with the project's untracked rules, and goes on in its session there",
    () =>
      Effect.gen(function* () {
        const { asked, git, lab } = yield* conducted(claude!, plan, ({ known, said, toolResult }) => {
          const { role, task, word } = assignmentOf(known)
          if (role !== "Implementation")
            return Effect.succeed(toolResult === undefined ? bash("git log --oneline") : { text: approved(word) })
          const isAgain = said.some((text) => text.includes("It is not done yet:"))
          // The first turn of the first act forgets to commit.
          if (task === "act-1" && !isAgain)
            return Effect.succeed(toolResult === undefined ? bash("pwd") : { text: complete(word) })
          return Effect.succeed(toolResult === undefined ? bash(write(task)) : { text: complete(word) })
        })
        assert.deepStrictEqual(asked, [
          "act-1 implementer",
          "act-1 implementer again",
          "act-1 reviewer",
          "act-2 implementer",
          "act-2 reviewer"
        ])
        assert.strictEqual(git("ls-files").trim(), "act-1.txt\nact-2.txt")
        assert.strictEqual(git("log", "--format=%s").trim(), "act-2\nact-1\nbase")
        assert.strictEqual(git("branch", "--format=%(refname:short)").trim(), "main")
        const results = (yield* lab.asked).map(({ toolResult }) => toolResult ?? "")
        assert.isTrue(
          results.some((text) => /\/trees\/[^/\s]+\/act-1"?$/u.test(text.trim())),
          results.join("\n")
        )
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

const many = `workflow_id: opera
branch: auto
finish: merge
worktrees: true
parallel: 2
tasks:
  - {id: act-1, title: Write it, acceptance_criteria: it is written}
  - {id: act-2, title: Write that, acceptance_criteria: it is written}
  - {id: act-3, title: Write more, acceptance_criteria: it is written, depends_on: [act-1, act-2]}
`

describe.skipIf(claude === null)("behaviour#parallel", () => {
  it.live("two of Claude Code are at work at once, each in its tree; all lands, and is merged in the end", () =>
    Effect.gen(function* () {
      const met = yield* Deferred.make<void>()
      const begun = new Set<string>()
      const { asked, events, git } = yield* conducted(
        claude!,
        many,
        ({ known, toolResult }) =>
          Effect.gen(function* () {
            const { role, task, word } = assignmentOf(known)
            if (role !== "Implementation")
              return toolResult === undefined ? bash("git log --oneline") : { text: approved(word) }
            if (toolResult !== undefined) return { text: complete(word) }
            begun.add(task)
            if (begun.size === 2) yield* Deferred.succeed(met, undefined)
            // Neither of the first two is done before the other is at work.
            yield* Deferred.await(met)
            return bash(write(task))
          }),
        { most: 2 }
      )
      assert.deepStrictEqual(asked.slice(0, 2), ["act-1 implementer", "act-2 implementer"])
      assert.deepStrictEqual(asked.slice(-2), ["act-3 implementer", "act-3 reviewer"])
      const tags = events.map(({ _tag }) => _tag)
      const before = tags.slice(0, tags.indexOf("ImplementationCompleted"))
      assert.lengthOf(
        before.filter((tag) => tag === "AgentLaunched"),
        2
      )
      assert.strictEqual(git("ls-files").trim(), "act-1.txt\nact-2.txt\nact-3.txt")
      assert.strictEqual(git("rev-list", "--count", "--merges", "HEAD").trim(), "1")
      assert.strictEqual(git("branch", "--show-current").trim(), "main")
      assert.strictEqual(git("branch", "--format=%(refname:short)", "--no-merged", "main").trim(), "")
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
