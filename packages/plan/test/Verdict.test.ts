import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readVerdict } from "../src/index.ts"
import { implementerPrompt } from "../src/agent/Prompt.ts"
import { reviewerPrompt } from "../src/agent/ReviewPrompt.ts"
import { freshTask } from "../src/run/Run.ts"
import { verdictWords } from "../src/agent/Verdict.ts"
import { verdictSchema } from "../src/agent/VerdictForm.ts"

const complete =
  "IMPLEMENTATION_COMPLETE w0rd\ncommits: [abc1234]\nfiles_changed: [src/a.ts]\ntest_file: test/a.test.ts"
const approved = "APPROVED w0rd\nsummary: it does what it should"
const rejected =
  "REJECTED w0rd\nsummary: not yet\nissues:\n- no error handling\n- no test of an\n  empty input\nsuggestions:\n- handle it"

const ok = (role: "implementer" | "reviewer", text: string) => {
  const { verdict, word } = Result.getOrThrow(readVerdict(role, text))
  assert.strictEqual(word, "w0rd")
  return verdict
}
const causeOf = (role: "implementer" | "reviewer", text: string) =>
  Result.getOrThrow(Result.flip(readVerdict(role, text))).reason

const form = (fields: object) => JSON.stringify({ word: "w0rd", ...fields })
const review = { summary: "not yet", blocking: [], minor: [], suggestions: [] }

describe("behaviour#verdict-by-schema", () => {
  it("each verdict is read from the object that ends what was said", () => {
    const work = { commits: ["abc1234"], files_changed: ["a.ts"], test_file: "", reason: "" }
    assert.deepStrictEqual(ok("implementer", form({ verdict: "IMPLEMENTATION_COMPLETE", ...work })), {
      _tag: "Complete",
      testFile: null
    })
    const blocked = { ...work, verdict: "IMPLEMENTATION_BLOCKED", reason: "no\ndatabase" }
    assert.deepStrictEqual(ok("implementer", form(blocked)), { _tag: "Blocked", message: "no database" })
    const approval = { ...review, verdict: "APPROVED", summary: "fine", minor: ["a long name", 7] }
    assert.deepStrictEqual(ok("reviewer", `I have looked.\n${form(approval)}\n`), {
      _tag: "Approved",
      summary: "fine",
      minor: ["a long name"]
    })
    const rejection = { ...review, verdict: "REJECTED", blocking: ["x".repeat(900)], suggestions: ["handle it"] }
    const said = ok("reviewer", JSON.stringify({ word: "w0rd", ...rejection }, null, 2))
    assert.deepInclude(said, { minor: [] })
    assert.strictEqual(said._tag === "Rejected" ? said.feedback.issues[0]?.length : 0, 500)
  })
  it("an answer by a schema needs what any verdict needs", () => {
    for (const [fields, cause] of [
      [{ ...review, verdict: "APPROVED", blocking: ["broken"] }, "contradictory verdict"],
      [{ ...review, verdict: "REJECTED" }, "contradictory verdict"],
      [{ ...review, verdict: "APPROVED", summary: "" }, "no verdict"],
      [{ ...review, verdict: "APPROVED", word: "" }, "no verdict"],
      [{ ...review, verdict: "NOT_YET" }, "no verdict"],
      [{ ...review, verdict: "IMPLEMENTATION_COMPLETE" }, "no verdict"]
    ] as const)
      assert.strictEqual(causeOf("reviewer", form(fields)), cause, JSON.stringify(fields))
  })
  it("text behind such an answer counts in its place, and so does a verdict as text where there is none", () => {
    const approval = form({ ...review, verdict: "APPROVED" })
    assert.strictEqual(causeOf("reviewer", `${approval}\nthe file ends so`), "no verdict")
    assert.deepInclude(ok("reviewer", `${approval}\n\n${approved}`), { summary: "it does what it should" })
    assert.deepInclude(ok("reviewer", `${approved}\n\n${approval}`), { summary: "not yet" })
    // Two verdicts at once are none, in whatever form. One above an empty line was an earlier one.
    const rejection = "REJECTED w0rd\nsummary: no\nblocking: x"
    assert.strictEqual(causeOf("reviewer", `${rejection}\n${approval}`), "contradictory verdict")
    assert.deepInclude(ok("reviewer", `${rejection}\n\n${approval}`), { summary: "not yet" })
    assert.deepInclude(ok("reviewer", `REJECTED another\n${approval}`), { summary: "not yet" })
    assert.strictEqual(causeOf("reviewer", "{\n".repeat(100_000)), "no verdict")
  })
  it("the schema asks for each field in each answer, has no secret, and an interim message where one must fit", () => {
    for (const role of ["implementer", "reviewer"] as const) {
      const { additionalProperties, properties, required } = JSON.parse(verdictSchema(role, "at the end"))
      assert.deepStrictEqual([required, additionalProperties], [Object.keys(properties), false])
      assert.deepStrictEqual(properties.verdict.enum, verdictWords[role])
      assert.include(verdictSchema(role, "always"), '"NOT_YET"]')
    }
  })
})

describe("behaviour#verdicts-of-agents", () => {
  describe("a verdict is read:", () => {
    it("an implementation that is complete, and its test file", () => {
      assert.deepStrictEqual(ok("implementer", complete), { _tag: "Complete", testFile: "test/a.test.ts" })
      assert.deepStrictEqual(ok("implementer", complete.replace("test/a.test.ts", "none")), {
        _tag: "Complete",
        testFile: null
      })
    })
    it("a blocker with its reason", () =>
      assert.deepStrictEqual(ok("implementer", "IMPLEMENTATION_BLOCKED w0rd\nreason: no database\nanywhere"), {
        _tag: "Blocked",
        message: "no database anywhere"
      }))
    it("a rejection with its issues and suggestions", () =>
      assert.deepStrictEqual(ok("reviewer", rejected), {
        _tag: "Rejected",
        feedback: {
          summary: "not yet",
          issues: ["no error handling", "no test of an empty input"],
          suggestions: ["handle it"]
        },
        minor: []
      }))
    it("findings that block, and minor ones, in each form of a list", () => {
      const forms = [
        "blocking:\n- no error handling\n- no test of an\n  empty input\nminor:\n- a long name",
        "minor: a long name\nblocking: no error handling\nblocking: no test of an\nempty input",
        "issues:\n- blocking: no error handling\n- minor: a long name\n- blocking: no test of an empty input",
        "blocking:\n1. no error handling\nissues:\n* no test of an empty input\nMinor:\n* a long name"
      ]
      for (const form of forms)
        assert.deepStrictEqual(
          ok("reviewer", `REJECTED w0rd\nsummary: not yet\n${form}`),
          {
            _tag: "Rejected",
            feedback: {
              summary: "not yet",
              issues: ["no error handling", "no test of an empty input"],
              suggestions: []
            },
            minor: ["a long name"]
          },
          form
        )
      for (const none of ["", "\nminor:", "\nminor: none", "\nminor:\n- (none)", "\nblocking: none\nminor: []"])
        assert.deepStrictEqual(ok("reviewer", `${approved}${none}`), {
          _tag: "Approved",
          summary: "it does what it should",
          minor: []
        })
      assert.deepStrictEqual(ok("reviewer", `${approved}\nminor:\n- a long name\n- an old comment`), {
        _tag: "Approved",
        summary: "it does what it should",
        minor: ["a long name", "an old comment"]
      })
    })
    const dressed: ReadonlyArray<readonly [string, (text: string) => string]> = [
      ["prose before it", (text) => `I looked at everything.\n\n${text}\n\n\n`],
      ["a code fence", (text) => `Here:\n\n\`\`\`text\n${text}\n\`\`\`\n\n`],
      ["Windows line ends", (text) => text.replaceAll("\n", "\r\n")],
      ["all of these", (text) => `So:\n\`\`\`\n${text}\n\`\`\`\n`.replaceAll("\n", "\r\n")],
      [
        "marks of Markdown",
        (text) => text.replace(/^([A-Z_]+) w0rd/u, "## **$1** `w0rd`").replace("summary:", "**summary:**")
      ]
    ]
    for (const [how, dress] of dressed) {
      it(`the same through ${how}`, () => {
        assert.strictEqual(ok("implementer", dress(complete))._tag, "Complete")
        assert.deepStrictEqual(ok("reviewer", dress(approved)), {
          _tag: "Approved",
          summary: "it does what it should",
          minor: []
        })
        assert.deepStrictEqual(ok("reviewer", dress(rejected)), ok("reviewer", rejected))
      })
    }
    it("the last thing that was said", () => {
      assert.strictEqual(ok("reviewer", `${approved}\n\nNo, wait.\n\n${rejected}`)._tag, "Rejected")
      assert.strictEqual(ok("reviewer", `${rejected}\n\nAll of it is done by now.\n\n${approved}`)._tag, "Approved")
      assert.strictEqual(ok("reviewer", `REJECTED\n\nor rather:\n\n${approved}`)._tag, "Approved")
    })
    it("texts no longer than a log and a prompt can hold", () => {
      const issues = Array.from({ length: 90 }, (_, n) => `- ${n} ${"x".repeat(3000)}`).join("\n")
      for (const name of ["issues", "blocking"]) {
        const verdict = ok(
          "reviewer",
          `REJECTED w0rd\nsummary: ${"y".repeat(9000)}\n${name}:\n${issues}\nminor:\n${issues}`
        )
        assert.isTrue(verdict._tag === "Rejected" && verdict.feedback.summary.length === 2000)
        for (const found of verdict._tag === "Rejected" ? [verdict.feedback.issues, verdict.minor] : [])
          assert.deepStrictEqual(
            found.map((issue) => issue.length),
            Array.from({ length: 20 }, () => 500)
          )
      }
    })
    it("a list with its name before each of twenty thousand items, in no more than its time", () => {
      const many = Array.from({ length: 20_000 }, (_, n) => `minor: ${n}`).join("\n")
      const verdict = ok("reviewer", `${approved}\n${many}`)
      assert.deepStrictEqual(
        verdict._tag === "Approved" && verdict.minor,
        Array.from({ length: 20 }, (_, n) => `${n}`)
      )
    })
  })

  describe("text without a verdict:", () => {
    it("silence, prose, a word within a sentence, a verdict of the other role", () => {
      for (const text of ["", " \n", "It is good.", "I would say APPROVED.", "summary: fine", complete])
        assert.strictEqual(causeOf("reviewer", text), "no verdict")
      assert.strictEqual(causeOf("implementer", approved), "no verdict")
    })
    it("a word within a sentence, also before a verdict", () =>
      assert.strictEqual(ok("reviewer", `I would not have\nREJECTED this.\n${approved}`)._tag, "Approved"))
    it("a block that any other text follows, however little", () => {
      for (const more of [
        "Thank you.",
        "\n\nThank you.",
        "```\nThank you.",
        "\ntests: 12",
        "NOT APPROVED, I mean",
        "\n> quoted",
        "{}"
      ])
        assert.strictEqual(causeOf("implementer", `${complete}\n\n${more}`), "no verdict", more)
      assert.strictEqual(
        causeOf(
          "reviewer",
          `\`\`\`\n${approved}\n\`\`\`\nI will run the tests. They fail, and I am going to reject th`
        ),
        "no verdict"
      )
    })
    it("a block with other text in it", () =>
      assert.strictEqual(
        causeOf("reviewer", approved.replace("summary", "The tests fail, so it is not\nsummary")),
        "no verdict"
      ))
    it("a block without a word behind its header", () => {
      for (const text of [approved, rejected, complete.replace("COMPLETE", "BLOCKED").replace("commits:", "reason:")])
        assert.strictEqual(
          causeOf(text.startsWith("IMPL") ? "implementer" : "reviewer", text.replace(" w0rd", "")),
          "no verdict"
        )
      assert.strictEqual(causeOf("reviewer", approved.replace(" w0rd", " w0rd of mine")), "no verdict")
    })
    it("a block that lacks what belongs to it", () => {
      for (const text of [
        "APPROVED w0rd",
        "APPROVED w0rd\nsummary:",
        "REJECTED w0rd\nissues:\n- a",
        "APPROVED w0rd\n\nIt is fine."
      ])
        assert.strictEqual(causeOf("reviewer", text), "no verdict")
      for (const text of [
        "IMPLEMENTATION_COMPLETE w0rd",
        "IMPLEMENTATION_COMPLETE w0rd\ncommits: abc",
        "IMPLEMENTATION_BLOCKED w0rd"
      ])
        assert.strictEqual(causeOf("implementer", text), "no verdict")
    })
    it("a prompt that is repeated, with nothing filled in", () => {
      const planned = {
        id: "t",
        title: "T",
        description: "D",
        acceptanceCriteria: "A",
        referenceDocs: [],
        dependsOn: []
      }
      const task = freshTask({ id: "t", title: "T", dependsOn: [] })
      assert.strictEqual(causeOf("implementer", implementerPrompt(planned, task, "w0rd")), "no verdict")
      assert.strictEqual(causeOf("reviewer", reviewerPrompt(planned, task, "w0rd")), "no verdict")
    })
  })

  describe("a contradiction, never an approval:", () => {
    it("two verdicts in one stretch of text", () => {
      assert.strictEqual(causeOf("reviewer", `${approved}\nREJECTED\nsummary: or not`), "contradictory verdict")
      assert.strictEqual(causeOf("reviewer", `REJECTED\nsummary: no\n${approved}`), "contradictory verdict")
    })
    it("another verdict after it, however short", () => {
      assert.strictEqual(causeOf("reviewer", `${approved}\n\nREJECTED`), "no verdict")
      assert.strictEqual(causeOf("reviewer", `${approved}\nREJECTED`), "contradictory verdict")
    })
    it("an approval that names issues, or findings that block", () => {
      for (const name of ["issues", "blocking"])
        assert.strictEqual(causeOf("reviewer", `${approved}\n${name}:\n- nothing works`), "contradictory verdict")
      assert.strictEqual(causeOf("reviewer", `${approved}\nminor: a\nblocking: b`), "contradictory verdict")
    })
    it("a rejection that sorts its findings, and none of them blocks", () => {
      for (const sorted of ["minor:\n- a long name", "blocking: none", "blocking:\nminor: a", "minor:"])
        assert.strictEqual(causeOf("reviewer", `REJECTED w0rd\nsummary: no\n${sorted}`), "contradictory verdict")
      assert.strictEqual(ok("reviewer", "REJECTED w0rd\nsummary: no")._tag, "Rejected")
    })
  })
})

describe("behaviour#plain-words", () => {
  it("characters that control a terminal, or end an argument, are no part of a verdict", () => {
    const verdict = readVerdict(
      "reviewer",
      "REJECTED w0rd\nsummary: \u001B]0;mine\u0007 not yet\u0000\nissues:\n- \u001B[2Jgone\nminor: \u001B[2Jtoo"
    )
    assert.deepStrictEqual(Result.getOrThrow(verdict).verdict, {
      _tag: "Rejected",
      feedback: { summary: "]0;mine  not yet", issues: ["[2Jgone"], suggestions: [] },
      minor: ["[2Jtoo"]
    })
  })
})
