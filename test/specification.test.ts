import { assert, describe, it } from "@effect/vitest"
import { CommsTables } from "@souffleur/comms"
import { configKeys, programKeys } from "@souffleur/domain"
import { agentKinds } from "../packages/cli/src/agent/Kind.ts"
import { textOf } from "./Pages.ts"

const [behaviour, settings] = [textOf("docs/spec/behaviour.md"), textOf("docs/spec/settings.md")]
/** A part of a page: from its heading to the next one. */
const section = (page: string, title: string): string =>
  page.split(/^#+ /mu).find((part) => part.startsWith(`${title}\n`)) ?? ""
/** The first cells of a table's rows, as code. */
const firstCells = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^\| `([^`]+)`/gmu)].map(([, cell]) => cell!)
const sorted = (words: Iterable<string>): ReadonlyArray<string> => [...new Set(words)].toSorted()

describe("settings#keys", () => {
  it("each key of the config file has a row, and no other key has", () => {
    assert.deepStrictEqual(sorted(firstCells(section(settings, "Keys"))), sorted(configKeys))
  })
})

describe("settings#pinned-keys", () => {
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
})
describe("behaviour#tables-of-comms", () => {
  it("each state and each type of message of comms is in the specification", () => {
    const tables = section(behaviour, "Tables of comms")
    assert.deepStrictEqual(
      [...CommsTables.states, ...CommsTables.messageTypes].filter((word) => !tables.includes(`\`${word}\``)),
      []
    )
  })
})

describe("claude-code#hooks, copilot#hooks, gemini#hooks, qwen#hooks", () => {
  it("each agent is hooked where its session begins and ends, and elsewhere as its page says", () => {
    const hooks = new Map(agentKinds.map((kind) => [kind.program, kind.hooks?.events] as const))
    const claude = hooks.get("claude")!
    for (const events of hooks.values())
      if (events !== undefined) assert.includeMembers([...events], ["SessionStart", "SessionEnd"])
    assert.sameMembers([...hooks.get("qwen")!], [...claude, "PostToolUseFailure"])
    assert.deepStrictEqual(
      hooks.get("copilot")!.filter((event) => !claude.includes(event)),
      []
    )
    assert.notInclude([...hooks.get("copilot")!], "PermissionRequest")
    assert.include([...hooks.get("gemini")!], "PreCompress")
  })
})
