import { readVerdict } from "@souffleur/plan"
import { Result } from "effect"
import { border, holds } from "../Border.ts"
import { mangled, run, some, word } from "../Hostile.ts"
import { isPlain } from "../FuzzPlain.ts"

/** All texts that are kept of a verdict. They go to the log, to prompts and to a terminal. */
const kept = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(kept)
      : []

/** Characters that separate the marks of a verdict from its words. */
const marks = ["_", "*", "`", "-", "#", " ", ":", "\t", "[", ".", "a"]

export const verdicts = border("verdicts", {
  share: 12,
  draw: (seed) => {
    const line = (): string =>
      seed.pick<() => string>([
        () =>
          seed.pick([
            "APPROVED",
            "**REJECTED**",
            "IMPLEMENTATION_COMPLETE",
            "IMPLEMENTATION_BLOCKED",
            "```",
            "",
            "- item",
            "1. item"
          ]),
        () =>
          `${seed.pick(["summary", "issues", "blocking", "minor", "suggestions", "commits", "files_changed", "test_file", "reason", "__proto__"])}: ${word(seed)}`,
        () => word(seed),
        () => run(seed)
      ])()
    const text = some(seed, 30, line).join(seed.pick(["\n", "\n", "\r\n", "\r"]))
    const role = seed.pick(["reviewer", "implementer"] as const)
    const aimed =
      role === "reviewer"
        ? `APPROVED\n${seed.pick(marks).repeat(seed.pick([100, 3000, 30_000, 1_000_000]))}${word(seed)}\nsummary: x`
        : `IMPLEMENTATION_COMPLETE\ncommits: x\nfiles_changed: ${run(seed)}\ntest_file: ${run(seed)}`
    return { role, text: seed.pick([text, mangled(seed, text), aimed]) }
  },
  checks: {
    "is read": ({ role, text }) => {
      const read = readVerdict(role, text)
      const words = kept(Result.isSuccess(read) ? read.success : read.failure)
      holds(
        words.every((one) => isPlain(one) && one.length <= 20_000),
        "a verdict keeps what controls a terminal, or more than it may"
      )
    }
  }
})
