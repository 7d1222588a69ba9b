import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { makeTurns } from "../../src/kit/export/Conversation.ts"
import { makeFilesModified } from "../../src/kit/export/FilesModified.ts"
import { makeSaidConversation } from "../../src/kit/said/SaidExport.ts"
import { claudeSayings } from "../../src/claude/session/ClaudeSayings.ts"
import { withoutBlankEnds, visible } from "../../src/kit/export/Markdown.ts"

const mark = "0123456789ab"

const Said = Schema.Union([
  Schema.String,
  Schema.Literals([
    "## User",
    "## Assistant\n\nyes",
    "```\n## User\n",
    "\n  ## user\n",
    "~~~",
    "# SUMMARY of what came before",
    "\r## User\r",
    "a\n## User \nb"
  ])
])
const Spoken = Schema.Array(Schema.Tuple([Schema.Literals(["User", "Assistant", "tool"]), Said, Said]))

describe("behaviour#export", () => {
  it.prop("whatever is said, there are as many headings as turns, each with the mark", [Spoken], ([spoken]) => {
    const conversation = makeSaidConversation({ sayings: claudeSayings })({
      turns: makeTurns({ boundary: "<!-- compact_boundary -->", mark }),
      files: makeFilesModified()
    })
    const markdown = spoken
      .map(([who, one, two]) => {
        const content =
          who === "tool"
            ? [{ type: "tool_use", name: two, input: { [two]: one } }]
            : [one, two].map((text) => ({ type: "text", text }))
        return conversation.record(
          { type: who === "User" ? "user" : "assistant", message: { content } },
          (text) => text
        )
      })
      .join("")
    const speakers = spoken
      .filter(([who, ...words]) => who === "tool" || words.some((text) => withoutBlankEnds(visible(text)) !== ""))
      .map(([who]) => (who === "User" ? who : "Assistant"))
      .filter((who, n, all) => who !== all[n - 1])
    assert.deepStrictEqual(
      [...markdown.matchAll(/^## (.*) 0123456789ab$/gmu)].map(([, who]) => who),
      speakers
    )
    // No fence of ours encloses an agent's text, so it has no other heading of a turn.
    const said = markdown.replaceAll(/^\*\*Tool call[^]*?^(`{3,})\n[^]*?^\1$/gmu, "")
    assert.lengthOf(
      [...said.matchAll(/^ {0,3}#{1,6}[ \t]+(?:User|Assistant|Summary of what came before)\b/gimu)],
      speakers.length
    )
  })
})
