import { assert, it } from "@effect/vitest"
import { CommsTables } from "@souffleur/comms"
import { configKeys, programKeys } from "@souffleur/domain"
import { textOf } from "./Pages.ts"

const [behaviour, settings] = [textOf("docs/spec/behaviour.md"), textOf("docs/spec/settings.md")]
/** A part of a page: from its heading to the next one. */
const section = (page: string, title: string): string =>
  page.split(/^#+ /mu).find((part) => part.startsWith(`${title}\n`)) ?? ""
/** The first cells of a table's rows, as code. */
const firstCells = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^\| `([^`]+)`/gmu)].map(([, cell]) => cell!)
const sorted = (words: Iterable<string>): ReadonlyArray<string> => [...new Set(words)].toSorted()

it("each key of the config file has a row, and no other key has", () => {
  assert.deepStrictEqual(sorted(firstCells(section(settings, "Keys"))), sorted(configKeys))
})
it("the specification names the keys that are pinned", () => {
  const named = [...section(settings, "Pinned keys").matchAll(/`([A-Z_]+)`/gu)].map(([, key]) => key!)
  assert.deepStrictEqual(sorted(named), sorted(["MAX_EXTERNAL_PERMISSION", ...programKeys]))
})
it("the table of keys marks the keys that are pinned", () => {
  const rows = section(settings, "Keys")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
  const pinned = rows.filter((row) => /\bpinned \|/u.test(row)).map((row) => row.split("`")[1]!)
  assert.deepStrictEqual(sorted(pinned), sorted(["MAX_EXTERNAL_PERMISSION", ...programKeys]))
})
it("each state and each type of message of comms is in the specification", () => {
  const tables = section(behaviour, "Tables of comms")
  assert.deepStrictEqual(
    [...CommsTables.states, ...CommsTables.messageTypes].filter((word) => !tables.includes(`\`${word}\``)),
    []
  )
})
