import { estimate, trim } from "@souffleur/recovery"
import { border, holds } from "../Border.ts"
import { homeIn } from "../CommandLine.ts"
import { bytes, mangled, run, some, torn, word } from "../Hostile.ts"
import { valueOf } from "../Settle.ts"

const nonce = "0".repeat(32)
const marks = [
  [
    "/compact",
    "compact_boundary",
    "microcompact_boundary",
    "Compacted (",
    "[lethe summary]",
    "```",
    "~~~",
    "> /compact",
    "## User",
    "## Assistant"
  ],
  [
    `<!-- souffleur-export v1 nonce=${nonce} -->`,
    `<!-- souffleur-conversation nonce=${nonce} -->`,
    `<!-- compact_boundary nonce=${nonce} -->`
  ]
].flat()

/** Checks Markdown that an export command made, or a person edited. */
export const exports = border("exports", {
  share: 4,
  draw: (seed) => {
    const body = some(seed, 200, () =>
      seed.chance(0.6) ? seed.pick(marks) : seed.chance(0.8) ? word(seed) : run(seed)
    ).join("\n")
    const own = `<!-- souffleur-export v1 nonce=${nonce} -->\n\n# Session x\n\n<!-- souffleur-conversation nonce=${nonce} -->\n\n${body}`
    return {
      data: seed.pick<() => Uint8Array>([
        () => torn(seed, body),
        () => torn(seed, own),
        () => torn(seed, mangled(seed, own)),
        () => bytes(seed, 20_000)
      ])(),
      most: seed.pick([1, 10, 500, 5000, 800_000])
    }
  },
  checks: {
    "is estimated and trimmed": async ({ data, most }, place) => {
      const file = homeIn(place.folder).write("export.md", data)
      const before = await valueOf(estimate(file))
      holds(
        before === undefined || (Number.isSafeInteger(before.estimated_tokens) && before.estimated_tokens >= 0),
        "an estimate that is no count"
      )
      await valueOf(trim(file, most))
      await valueOf(estimate(file))
    }
  }
})
