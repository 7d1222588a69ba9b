import { assert, describe, it } from "@effect/vitest"
import { CommsTables } from "@souffleur/comms"
import { configKeys, programKeys } from "@souffleur/domain"
import { agentKinds } from "../packages/cli/src/agent/Kind.ts"
import { commands, flagNames } from "./Commands.ts"
import { textOf } from "./Pages.ts"

const [behaviour, commandLine, settings] = ["behaviour", "command-line", "settings"].map((page) =>
  textOf(`docs/spec/${page}.md`)
) as [string, string, string]
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

it("each command and each of its flags has a row", () => {
  const rows = commandLine.split("\n").filter((line) => line.startsWith("| `souffleur"))
  // A group, such as `hooks`, is named by its commands, in one row.
  const rowOf = (path: string) => {
    const [group, one] = path.split(" ")
    return rows.find((row) =>
      one === undefined
        ? new RegExp(`\`souffleur ${group}\\b|\`souffleur ${group}\``, "u").test(row)
        : row.includes(`souffleur ${path}`) || (row.includes(`souffleur ${group} `) && row.includes(`\`${one}\``))
    )
  }
  assert.deepStrictEqual(
    commands.flatMap(([path, { flags }]) => {
      const row = rowOf(path)
      if (row === undefined) return [path]
      return flags
        .filter((flag) => flag.name !== "project-dir" && !flagNames(flag).some((name) => row.includes(`\`--${name}\``)))
        .map(({ name }) => `${path} --${name}`)
    }),
    []
  )
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

describe("claude-code#hooks, codex#hooks, copilot#hooks, gemini#hooks, qwen#hooks", () => {
  it("the page of an agent names each hook that souffleur installs there", () => {
    const hooksOf = (page: string) => section(textOf(`docs/spec/${page}.md`), "Hooks")
    const ofClaude = hooksOf("claude-code")
    const hooked = agentKinds.filter(({ hooks }) => hooks !== undefined)
    assert.lengthOf(hooked, 5)
    for (const { hooks, program } of hooked) {
      // Those of Qwen Code are told by what they have beside Claude Code's.
      const text = program === "claude" ? ofClaude : `${hooksOf(program)}${program === "qwen" ? ofClaude : ""}`
      assert.deepStrictEqual(
        hooks!.events.filter((event) => !text.includes(`\`${event}\``)),
        [],
        program
      )
    }
  })
})
