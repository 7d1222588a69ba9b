import { afterAll, assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { blocksOf } from "./Blocks.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const page = "docs/howto/add-an-agent.md"
const named = blocksOf("ts").filter(({ place }) => place.startsWith(`${page}:`))
const folder = fs.mkdtempSync(join(tmpdir(), "souffleur-howto-"))
afterAll(() => fs.rmSync(folder, { recursive: true }))

it("the page of a new agent has an adapter, and its contract", () => {
  assert.deepStrictEqual(
    named.map(({ mark }) => mark),
    ["Scribe.ts", "ScribeContract.ts"]
  )
})

fs.symlinkSync(join(root, "test/node_modules"), join(folder, "node_modules"))
fs.cpSync(join(root, "docs/howto/scribe"), join(folder, "fixtures"), { recursive: true })
for (const { mark, text } of named) fs.writeFileSync(join(folder, mark), text)
// The second block makes a test of each rule, in this file.
await import(pathToFileURL(join(folder, "ScribeContract.ts")).href)
