import { assert, describe, it } from "@effect/vitest"
import { statuses } from "@souffleur/agents"
import { CommsTables } from "@souffleur/comms"
import { configKeys, type EndWord, paceKeys, programKeys } from "@souffleur/domain"
import { agentKinds } from "../packages/cli/src/agent/Kind.ts"
import { textOf } from "./Pages.ts"

const [behaviour, reasons, settings] = [
  textOf("docs/spec/behaviour.md"),
  textOf("docs/spec/reasons.md"),
  textOf("docs/spec/settings.md")
]
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
    assert.deepStrictEqual(sorted(named), sorted(["MAX_EXTERNAL_PERMISSION", "QUIET_HOURS", "ROUNDS", ...programKeys]))
    const rows = [...section(settings, "Keys").matchAll(/^\| `([A-Z_]+)` \| (?:duration|wait|hours) \|/gmu)]
    assert.deepStrictEqual(
      sorted(rows.map(([, key]) => key!)),
      sorted(["MAX_TIME", ...paceKeys.filter((key) => key !== "ROUNDS")])
    )
  })
  it("the table of keys marks the keys that are pinned", () => {
    const rows = section(settings, "Keys")
      .split("\n")
      .filter((line) => line.startsWith("| `"))
    const pinned = rows.filter((row) => /\bpinned \|/u.test(row)).map((row) => row.split("`")[1]!)
    assert.deepStrictEqual(sorted(pinned), sorted(["MAX_EXTERNAL_PERMISSION", "ROUNDS", ...programKeys]))
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

describe("reasons#by-status, reasons#claude-code, reasons#codex, reasons#copilot-cli, reasons#gemini-cli, reasons#opencode, reasons#pi, reasons#qwen-code", () => {
  const inWords: Readonly<Record<EndWord, string>> = {
    ended: "finished",
    asks: "asked again",
    "usage-limit": "usage limit",
    outage: "outage",
    "prompt-too-long": "full window",
    login: "login",
    account: "account",
    model: "model",
    cap: "cap",
    cut: "cut off",
    other: "any other",
    status: "by its status"
  }
  /** The rows of a table, without its head. */
  const rowsOf = (text: string) =>
    [...text.matchAll(/^\| (?!word|status|reason|---)(.+?) \| (.+?) \|/gmu)].map(
      ([, one, other]) => [one!, other!] as const
    )
  const rowsBy = (words: Readonly<Record<string, EndWord>>, before = "") =>
    Object.entries(words).map(([word, end]) => [`${before}\`${word}\``, inWords[end]] as const)

  it("each word and exit code by which an agent ends is on the page, with the reason that it is taken for", () => {
    for (const { ends, title } of agentKinds) {
      const rows = [...rowsBy(ends?.words ?? {}), ...rowsBy(ends?.exits ?? {}, "exit code ")]
      assert.sameDeepMembers(rowsOf(section(reasons, title)), rows, title)
    }
  })
  it("each status that has a reason is on the page", () =>
    assert.sameDeepMembers(rowsOf(section(reasons, "By status")), [
      ...rowsBy(statuses),
      ["`5xx`", inWords.outage],
      ["any other", inWords.other]
    ]))
  it("each reason has a row that says what follows", () => {
    const told = rowsOf(section(behaviour, "What no launch mends")).map(([reason]) => reason)
    const { status: _, ...all } = inWords
    assert.sameMembers(told, Object.values(all))
  })
})
