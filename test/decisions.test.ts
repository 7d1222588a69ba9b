import { assert, it } from "@effect/vitest"
import { table } from "./decisions.ts"
import { textOf } from "./Pages.ts"

it("the table of decisions in architecture.md is the one that the decider gives", () => {
  assert.include(textOf("docs/architecture.md"), `\`\`\`text\n${table().join("\n")}\n\`\`\``)
})
