import { Agent, SessionNotFound, type TurnState as SessionTurn } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Option } from "effect"
import { PlanContext } from "../src/PlanContext.ts"
import { judgeAgent } from "../src/agent/Judging.ts"
import { freshTask, initialRun, type Run, type Task, type Assignment } from "../src/run/Run.ts"
import type { AgentEnded } from "../src/agent/Assignment.ts"
import { approves as approved, complete as completed, plainWords, planOf, rejects as rejected } from "./PlanStage.ts"

const outline = { id: "t1", title: "Do t1", dependsOn: [] }
const asked: Assignment = {
  token: "a1",
  role: "implementer",
  taskId: "t1",
  attempt: 1,
  sessionId: "s1",
  agent: null,
  choice: {},
  resumed: false,
  nudge: "it has been told so before",
  died: null,
  head: "c0",
  askedAt: 1000,
  fence: 1,
  word: "digest of mine",
  launch: null,
  ending: null
}
/** Puts the word of the launch behind a header. */
const mine = (said: string) =>
  said.replaceAll(/^(?:IMPLEMENTATION_COMPLETE|APPROVED|REJECTED)$/gmu, (header) => `${header} mine`)
const [approves, complete, rejects] = [mine(approved), mine(completed), (n: number) => mine(rejected(n))]

/**
 * Returns the report on an assignment that ended with this print. It is by a list of commits as the repository, and by
 * the session file.
 */
const judged = (given: {
  readonly role?: Assignment["role"]
  readonly printed?: string
  /** The answers in its records; absent: it prints text. */
  readonly said?: string
  readonly code?: number | null
  readonly task?: Partial<Task>
  readonly fence?: number
  readonly commits?: ReadonlyArray<string>
  /** The commits and files since a commit. */
  readonly files?: (base: string | null) => ReadonlyArray<string>
  readonly ended?: AgentEnded
  readonly session?: SessionTurn
  /** The output that alone tells that state; absent: the session file tells it. */
  readonly turnIn?: string
  readonly lazy?: boolean
  /** Why its session file is not found. */
  readonly unfound?: string
  readonly word?: string | null
  /** The session; empty: it was never told. */
  readonly sessionId?: string
  /** True if another agent was chosen, and it alone has the session. */
  readonly chosen?: boolean
  /** A file that the work removed. */
  readonly gone?: string
  readonly command?: boolean
  /** What its session was told is left to do; `null`: nothing yet. */
  readonly nudge?: string | null
  /** Of its session's tools. */
  readonly results?: number
  /** What git says of the work tree now; absent: nothing. */
  readonly status?: { readonly changed?: ReadonlyArray<string>; readonly conflicts?: ReadonlyArray<string> }
  readonly untracked?: ReadonlyArray<string>
}) => {
  const { code = 0, commits = ["c0", "c1"], printed = "", session } = given
  const git = {
    has: (file: string) => Effect.succeed(given.gone !== file),
    head: Effect.succeed(commits.at(-1) ?? null),
    status: Effect.succeed({ changed: [], conflicts: [], branch: "main", ...given.status }),
    untracked: Effect.succeed(given.untracked ?? []),
    since: (base: string | null) =>
      Effect.succeed({
        commits: commits.slice(base === null ? 0 : commits.indexOf(base) + 1),
        files: given.files?.(base) ?? ["a.ts"]
      })
  }
  const run: Run = {
    ...initialRun,
    fence: given.fence ?? 1,
    tasks: [{ ...freshTask(outline), base: "c0", ...given.task }]
  }
  const finishing = given.command === true ? { program: "/finish", args: [], environment: {} } : null
  const agent: Partial<Agent["Service"]> = {
    name: "agent",
    stall: Duration.seconds(361),
    compactPrompt: "/compact",
    isAgent: () => true,
    inPrintMode: () => true,
    outputReader: () => () => Option.none(),
    tags: () => [],
    sessionTag: () => ({ environment: {} }),
    sessions: Effect.succeed([]),
    signs: (_, output) =>
      Effect.succeed(
        Option.map(Option.fromUndefinedOr(session), (turn) => ({
          writtenAt: turn.at,
          turn: given.turnIn === undefined || given.turnIn === output ? turn : undefined,
          context: undefined
        }))
      ),
    usedTools: () => Effect.succeed(given.lazy !== true && given.unfound === undefined),
    toolResults: () => Effect.succeed(given.results ?? 0),
    sessionFile: (sessionId) =>
      given.unfound === undefined
        ? Effect.succeed({ path: "/sessions/s1.jsonl", sessionId })
        : Effect.fail(new SessionNotFound({ sessionId, reason: "missing", message: given.unfound }))
  }
  const joined = { only: (program: string) => (program === "other" ? Option.some(agent) : Option.none()) }
  const world = Layer.mergeAll(
    Layer.succeed(PlanContext, {
      git,
      commitSetting: "it commits where COMMIT is set",
      finishing,
      words: plainWords(),
      plan: planOf("t1")
    } as unknown as PlanContext["Service"]),
    Layer.succeed(
      Agent,
      (given.chosen === true
        ? { ...agent, usedTools: () => Effect.succeed(false), joined }
        : agent) as unknown as Agent["Service"]
    )
  )
  return Effect.provide(
    judgeAgent(
      run,
      {
        ...asked,
        agent: given.chosen === true ? "other" : null,
        nudge: given.nudge === undefined ? asked.nudge : given.nudge,
        sessionId: given.sessionId ?? asked.sessionId,
        role: given.role ?? "implementer",
        word: given.word === undefined ? asked.word : given.word
      },
      given.ended ?? {
        _tag: "Ended",
        printed,
        said: given.said ?? printed,
        end: code === null ? null : { _tag: "Exited", code },
        output: "/out",
        telling: "/err"
      }
    ),
    world
  )
}
const reasonOf = (given: Parameters<typeof judged>[0]) =>
  Effect.map(judged(given), (report) => (report._tag === "Failed" ? report.reason : report._tag))
const limit: SessionTurn = { _tag: "Failed", at: 1000, reason: "usage-limit", resetsAt: 9000 }

describe("behaviour#verdicts-of-agents", () => {
  it.effect("an implementer is heard by the turn in its output, where only that tells it", () =>
    Effect.gen(function* () {
      const finished: SessionTurn = { _tag: "Finished", at: 1000 }
      const ended = { printed: complete, code: null, session: finished }
      assert.strictEqual(yield* reasonOf({ ...ended, turnIn: "/out" }), "Completed")
      assert.strictEqual(yield* reasonOf({ ...ended, turnIn: "/another" }), "no verdict")
      assert.strictEqual(yield* reasonOf({ code: 1, session: limit, turnIn: "/out" }), "Limited")
    })
  )
  it.effect("an implementer is believed by git: commits that change a file, since the last review", () =>
    Effect.gen(function* () {
      const work = { commits: ["c1"], files: ["a.ts"], testFile: null }
      assert.deepStrictEqual(yield* judged({ printed: complete }), {
        _tag: "Completed",
        head: "c1",
        made: ["c1"],
        work
      })
      assert.strictEqual(yield* reasonOf({ printed: complete, commits: ["c0"] }), "nothing done")
      assert.strictEqual(yield* reasonOf({ printed: complete, commits: [], task: { base: null } }), "nothing done")
      assert.strictEqual(yield* reasonOf({ printed: complete, files: () => [] }), "nothing done")
      const again = { printed: complete, task: { reviewed: "c1" } }
      assert.strictEqual(yield* reasonOf(again), "nothing done")
      const more = yield* judged({ ...again, commits: ["c0", "c1", "c2"] })
      assert.deepInclude(more, { head: "c2", work: { ...work, commits: ["c1", "c2"] } })
      // There is no work since the review, or it was taken back.
      for (const unchanged of ["c0", "c1"]) {
        const files = (base: string | null) => (base === unchanged ? [] : ["a.ts"])
        assert.strictEqual(yield* reasonOf({ ...again, commits: ["c0", "c1", "c2"], files }), "nothing done")
      }
    })
  )
  it.effect(
    "an implementer is heard where it ended as it meant to: by exit code 0, or without a code by a finished turn",
    () =>
      Effect.gen(function* () {
        const finished: SessionTurn = { _tag: "Finished", at: 1000 }
        for (const code of [1, 137])
          assert.strictEqual(yield* reasonOf({ printed: complete, code, session: finished }), "no verdict")
        assert.strictEqual(yield* reasonOf({ printed: complete, code: null, session: finished }), "Completed")
        assert.strictEqual(
          yield* reasonOf({ printed: complete, code: null, session: { ...finished, at: 999 } }),
          "no verdict"
        )
        assert.strictEqual(yield* reasonOf({ printed: complete, code: null, fence: 2 }), "lost")
        assert.strictEqual(yield* reasonOf({ printed: complete, code: 1, session: limit }), "Limited")
      })
  )
  it.effect("an implementer is heard with the word of its own launch", () =>
    Effect.gen(function* () {
      for (const said of [
        completed,
        completed.replace("COMPLETE", "COMPLETE other"),
        completed.replace("COMPLETE", "COMPLETE digest of mine")
      ])
        assert.strictEqual(yield* reasonOf({ printed: said }), "no verdict")
      assert.strictEqual(yield* reasonOf({ printed: complete, word: null }), "no verdict")
      const blocked = "IMPLEMENTATION_BLOCKED\nreason: no key"
      assert.strictEqual(yield* reasonOf({ printed: blocked }), "no verdict")
      assert.strictEqual(yield* reasonOf({ printed: blocked.replace("BLOCKED", "BLOCKED mine") }), "Blocked")
    })
  )

  describe("a reviewer", () => {
    const implemented = { role: "reviewer", task: { implementation: { head: "c1", verified: false } } } as const
    it.effect("a reviewer approves what it looked at, and what is there", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* reasonOf({ ...implemented, printed: approves }), "Approved")
        assert.strictEqual(yield* reasonOf({ ...implemented, printed: approves, lazy: true }), "nothing done")
        assert.strictEqual(
          yield* reasonOf({ ...implemented, printed: approves, commits: ["c0", "c1", "c2"] }),
          "work changed"
        )
        assert.strictEqual(
          yield* reasonOf({ ...implemented, printed: `${rejects(1)}\n${approves}` }),
          "contradictory verdict"
        )
        assert.strictEqual(yield* reasonOf({ ...implemented, printed: rejects(1), lazy: true }), "Rejected")
      })
    )
  })

  describe("a reviewer whose approval does not count", () => {
    const approval = {
      role: "reviewer",
      task: { implementation: { head: "c1", verified: false } },
      printed: approves
    } as const
    const detailOf = (given: Parameters<typeof judged>[0]) =>
      Effect.map(judged(given), (report) => (report._tag === "Failed" ? report.message : report._tag))
    it.effect("the reason is told: it looked at nothing, or its session file is not where it should be", () =>
      Effect.gen(function* () {
        assert.strictEqual(
          yield* detailOf({ ...approval, lazy: true }),
          "the reviewer approved, and looked at nothing, by /sessions/s1.jsonl"
        )
        const unfound = "no session file begins with s1 in /home/u/.claude/projects"
        assert.strictEqual(
          yield* detailOf({ ...approval, unfound }),
          `the reviewer approved, and nothing shows that it looked at anything: ${unfound}`
        )
        assert.strictEqual(
          yield* detailOf({ ...approval, sessionId: "", unfound }),
          "the reviewer approved, and nothing shows that it looked at anything: it never told its session"
        )
      })
    )
  })

  describe("a reviewer is not taken at a word that it quotes:", () => {
    const implemented = { role: "reviewer", task: { implementation: { head: "c1", verified: false } } } as const
    const notes = `NOTES.md, which the commit adds, reads:\n\n\`\`\`\nx\n${approved}\n\`\`\`\n`
    it.effect("killed in the midst of its sentence, or right after the quotation, or gone by itself", () =>
      Effect.gen(function* () {
        const cut = `${notes}\nI will now run the tests. They fail: 12 of 30. I am going to reject th`
        for (const printed of [cut, notes, `${notes}\n${approved}`, `${approves}\n\n${cut}`])
          for (const code of [137, 0])
            assert.strictEqual(yield* reasonOf({ ...implemented, printed, code }), "no verdict")
      })
    )
    it.effect(
      "a quoted rejection does not count: another's words would reach the implementer as a reviewer's feedback",
      () =>
        Effect.gen(function* () {
          assert.strictEqual(yield* reasonOf({ ...implemented, printed: rejected(1) }), "no verdict")
          assert.strictEqual(yield* reasonOf({ ...implemented, printed: rejects(1), code: 1 }), "no verdict")
          assert.strictEqual(yield* reasonOf({ ...implemented, printed: `${notes}\n${rejects(1)}` }), "Rejected")
        })
    )
  })

  describe("the agent of an assignment", () => {
    it.effect("an answer in text may quote a record: its verdict has the word of the launch", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* reasonOf({ printed: complete, said: "a quoted record" }), "Completed")
        assert.strictEqual(yield* reasonOf({ printed: completed, said: "a quoted record" }), "no verdict")
      })
    )
  })
})

describe("behaviour#nudges", () => {
  const first = { nudge: null } as const
  const done = { printed: complete }

  it.effect("an agent that has done something and left the rest goes on in its session, once an assignment", () =>
    Effect.gen(function* () {
      for (const given of [
        { printed: "Next I will run the tests." },
        { printed: "IMPLEMENTATION_COMPLETE" },
        { printed: complete.replace("mine", "another") },
        { printed: complete.replace("\ncommits", "\nIMPLEMENTATION_BLOCKED mine\ncommits") },
        { ...done, commits: ["c0"] },
        { ...done, files: () => [] },
        { ...done, status: { changed: ["a.ts"] } },
        { ...done, task: { untracked: ["notes"] }, untracked: ["notes", "b.ts"] }
      ]) {
        const nudged = yield* judged({ ...given, ...first })
        assert.strictEqual(nudged._tag, "Unfinished", JSON.stringify(given))
        assert.notStrictEqual((yield* judged(given))._tag, "Unfinished")
        // A turn that used no tool did nothing, and a session that was never told cannot go on.
        for (const idle of [{ lazy: true }, { sessionId: "" }])
          assert.notStrictEqual((yield* judged({ ...given, ...first, ...idle }))._tag, "Unfinished")
      }
    })
  )
  it.effect("an agent that was cut off is told apart, with what its session had done by then", () =>
    Effect.gen(function* () {
      const killed = { ...done, code: 137, results: 5 }
      for (const [given, reason, cutOffAfter] of [
        [killed, "no verdict", 5],
        [{ ...killed, ...first }, "no verdict", 5],
        [{ ...killed, fence: 2, code: null }, "lost", 5],
        [{ ...killed, sessionId: "" }, "no verdict", 0]
      ] as const)
        assert.deepInclude(yield* judged(given), { _tag: "Failed", reason, cutOffAfter })
      assert.notProperty(yield* judged({ results: 5 }), "cutOffAfter")
      const end = { _tag: "Exited", code: 1 } as const
      const old = { printed: "", said: "", end, output: "/out", telling: "/err", unknownFlag: "--json-schema" }
      assert.deepInclude(yield* judged({ ended: { _tag: "Ended", ...old } }), {
        message: "the implementer ended with exit code 1: its program does not know --json-schema, so update it"
      })
    })
  )
  it.effect(
    "nothing is left where git knows all of it, and a conflict or a refusal of the service is not the agent's",
    () =>
      Effect.gen(function* () {
        for (const given of [
          { untracked: ["notes"] },
          { task: { untracked: ["notes"] }, untracked: ["notes"] },
          { status: { changed: ["a.ts"], conflicts: ["a.ts"] } }
        ])
          assert.strictEqual((yield* judged({ ...done, ...first, ...given }))._tag, "Completed")
        const session = { _tag: "Failed", at: 2000, resetsAt: undefined } as const
        assert.strictEqual((yield* judged({ ...first, session: { ...session, reason: "outage" } }))._tag, "Limited")
        assert.strictEqual((yield* judged({ ...first, session: { ...session, reason: "login" } }))._tag, "Limited")
        assert.strictEqual((yield* judged({ ...first, session: { ...session, reason: "model" } }))._tag, "Failed")
      })
  )
})

describe("behaviour#fallback", () => {
  it.effect("a model that the service refuses is told apart, and no other failure is", () =>
    Effect.gen(function* () {
      const session = { _tag: "Failed", at: 2000, resetsAt: undefined } as const
      const refused = yield* judged({ session: { ...session, reason: "model" } })
      assert.deepInclude(refused, { _tag: "Failed", reason: "no verdict", refused: "model" })
      assert.notProperty(yield* judged({ session: { ...session, reason: "cap" } }), "refused")
    })
  )
})

describe("behaviour#answers", () => {
  it.effect("an assignment without a commit hands on the setting that lets the agent commit", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* judged({ printed: complete, commits: ["c0"] }), {
        hint: "it commits where COMMIT is set"
      })
      assert.notProperty(yield* judged({ printed: complete, files: () => [] }), "hint")
    })
  )
})

describe("behaviour#agents-of-a-run", () => {
  it.effect("an implementer's test file is a file of git's that its work changed and left there", () =>
    Effect.gen(function* () {
      const files = () => ["a.ts", "pkg/a.test.ts"]
      const named = Effect.fnUntraced(function* (testFile: string, gone?: string) {
        const printed = complete.replace("test_file: none", `test_file: ${testFile}`)
        const report = yield* judged({ printed, files, ...(gone === undefined ? {} : { gone }) })
        return report._tag === "Completed" ? report.work.testFile : report
      })
      assert.strictEqual(yield* named("pkg/a.test.ts"), "pkg/a.test.ts")
      assert.strictEqual(yield* named("`./a.test.ts`"), "pkg/a.test.ts")
      for (const word of ["b.test.ts", "a.test.ts, and all is well", ".ts", "none"]) assert.isNull(yield* named(word))
      assert.isNull(yield* named("pkg/a.test.ts", "pkg/a.test.ts"))
    })
  )
  it.effect("an implementer that took too long is judged by that alone", () =>
    Effect.gen(function* () {
      for (const role of ["implementer", "reviewer", "finisher"] as const) {
        const ended = { _tag: "Failed", reason: "timeout", message: "too long" } as const
        assert.deepStrictEqual(yield* judged({ role, ended }), ended)
      }
    })
  )

  describe("the agent of an assignment", () => {
    it.effect("it is judged by its own records, whatever the configured agent has", () =>
      Effect.gen(function* () {
        const given = {
          role: "reviewer",
          task: { implementation: { head: "c1", verified: false } },
          printed: approves
        } as const
        assert.strictEqual(yield* reasonOf({ ...given, chosen: true }), "Approved")
      })
    )
  })
})

describe("behaviour#ladder", () => {
  it.effect(
    "an implementer without a verdict is to blame, unless its conductor was gone; a contradiction always is",
    () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* reasonOf({}), "no verdict")
        assert.strictEqual(yield* reasonOf({ fence: 2 }), "lost")
        const both = `${complete}\nIMPLEMENTATION_BLOCKED\nreason: no key`
        for (const fence of [1, 2])
          assert.strictEqual(yield* reasonOf({ printed: both, fence }), "contradictory verdict")
      })
  )
})

describe("behaviour#limits-in-a-run", () => {
  it.effect(
    "an implementer that the service refused in this very assignment is not to blame; an older refusal does not count",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* judged({ session: limit }), {
          _tag: "Limited",
          kind: "usage-limit",
          resetsAt: 9000
        })
        assert.strictEqual(yield* reasonOf({ session: { ...limit, at: 999 } }), "no verdict")
        assert.strictEqual(yield* reasonOf({ session: { _tag: "Asked", at: 1000 } }), "no verdict")
        // The agent's own verdict comes before a refusal of the service.
        assert.strictEqual(yield* reasonOf({ printed: complete, session: limit }), "Completed")
      })
  )
})

describe("behaviour#finishing-step", () => {
  describe("a finishing step", () => {
    it.effect(
      "a finishing step is done by exit code 0; another code is a failure, unless the service refused the agent",
      () =>
        Effect.gen(function* () {
          for (const command of [true, false]) {
            const step = { role: "finisher", command } as const
            assert.strictEqual(yield* reasonOf({ ...step, code: 0 }), "Approved")
            assert.strictEqual(yield* reasonOf({ ...step, code: 3 }), "lost")
            assert.strictEqual(yield* reasonOf({ ...step, code: 1, session: limit }), command ? "lost" : "Limited")
          }
        })
    )
    it.effect(
      "a finishing step with an unseen end is done where an agent's session says so, and never for a command",
      () =>
        Effect.gen(function* () {
          const finished: SessionTurn = { _tag: "Finished", at: 1000 }
          for (const command of [true, false]) {
            const step = { role: "finisher", command, code: null } as const
            assert.strictEqual(yield* reasonOf({ ...step, session: finished }), command ? "lost" : "Approved")
            assert.strictEqual(yield* reasonOf({ ...step, session: { ...finished, at: 999 } }), "lost")
            assert.strictEqual(yield* reasonOf(step), "lost")
          }
        })
    )
  })
})
