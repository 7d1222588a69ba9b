import { assert, describe, it } from "@effect/vitest"
import { claudeCode } from "@souffleur/agents"
import { Option, Result } from "effect"
import * as fs from "node:fs"
import { inject } from "vitest"
import { literalFlags } from "../../packages/agents/src/claude/command/ClaudeFlags.ts"
import type { Takes } from "../../packages/agents/src/kit/command/FlagTable.ts"

const claude = inject("claude")
const agentFlags = new Map(
  (["one", "many", "maybe", "none"] as const).flatMap((takes) =>
    Array.from(literalFlags.kept[takes] ?? [], (flag) => [flag, takes] as const)
  )
)

/** A flag as the program declares it to its parser, such as `"-d, --debug [filter]"`, in its help or hidden. */
const declared = /(?:\.option|new [\w$]+)\("(?:-[a-zA-Z], )?(?:--[\w-]+, )*--[\w-]+(?: <[^>"]+>| \[[^\]"]+\])?"/gu

/** Characters of a declaration at most. It may lie on both sides of where two pieces of the program meet. */
const maxDeclaration = 200

/** The flags of the program, each with what it takes wherever it is declared: subcommands have flags of their own. */
const flagsOf = async (program: string) => {
  const flags = new Map<string, Set<Takes>>()
  let before = ""
  for await (const piece of fs.createReadStream(program, { encoding: "latin1", highWaterMark: 1 << 24 })) {
    const text = before + String(piece)
    for (const [found] of text.matchAll(declared)) {
      const [, names = "", value = ""] = /"((?:-{1,2}[\w-]+(?:, )?)+)(.*)"/u.exec(found) ?? []
      const takes = value === "" ? "none" : value.startsWith(" [") ? "maybe" : value.includes("...>") ? "many" : "one"
      for (const name of names.trim().split(", ")) flags.set(name, (flags.get(name) ?? new Set()).add(takes))
    }
    before = text.slice(-maxDeclaration)
  }
  return flags
}

/** Flags that each launch sets itself, or that name a session or the permission of the first one. */
const read = new Set(["-p", "--print", "--session-id", "--resume", "-r", "--dangerously-skip-permissions"])

describe("claude-code#flags", () => {
  it.skipIf(claude === null)(
    "the program's flags are as souffleur reads them, and every other one is refused",
    async () => {
      const flags = await flagsOf(claude!)
      // Hidden ones of this version: the search finds them.
      for (const hidden of ["--plugin-dir-no-mcp", "--rc", "--sdk-url", "--enable-auto-mode", "--max-turns"])
        assert.isTrue(flags.has(hidden), hidden)
      for (const [flag, takes] of agentFlags) assert.isTrue(flags.get(flag)?.has(takes), `${flag} takes ${takes}`)
      const kept = (words: ReadonlyArray<string>) =>
        Result.match(claudeCode.takeApart(["claude", ...words, "--", "do it"], { program: "claude", args: [] }), {
          onFailure: () => false,
          onSuccess: Option.isSome
        })
      const others = [...flags.keys()].filter((flag) => !agentFlags.has(flag) && !read.has(flag))
      assert.isAbove(others.length, 150)
      assert.deepStrictEqual(
        others.filter((flag) => [[flag], [flag, "auto"], [`${flag}=auto`]].some(kept)),
        []
      )
    }
  )
})
