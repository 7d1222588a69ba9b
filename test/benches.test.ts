import { assert, it } from "@effect/vitest"
import { type Rows, startRows, storeRows } from "../bench/CommandRows.ts"
import { toolNames } from "../bench/ToolCalls.ts"
import { tools } from "../packages/cli/src/mcp/Tools.ts"
import { commands } from "./Commands.ts"

const paths = commands.map(([path]) => path)
const benches: ReadonlyArray<readonly [bench: string, rows: Rows]> = [
  ["start", startRows],
  ["store", storeRows]
]

it.each(benches)("the bench `%s` measures each command, or says why not", (_, rows) => {
  assert.sameMembers(Object.keys(rows), paths)
  const empty = Object.entries(rows).filter(([, words]) => words.length === 0)
  assert.deepStrictEqual(empty, [])
})
it.each(benches)("a row of the bench `%s` is a line of its command", (_, rows) => {
  const lines = Object.entries(rows).flatMap(([path, words]) =>
    typeof words === "string" ? [] : words.map((line) => [path, line.join(" ")] as const)
  )
  assert.deepStrictEqual(
    lines.filter(([path, line]) => line !== path && !line.startsWith(`${path} `)),
    []
  )
})
it("the bench `store` calls each tool of the agent", () => {
  assert.sameMembers([...toolNames], Object.keys(tools.tools))
})
