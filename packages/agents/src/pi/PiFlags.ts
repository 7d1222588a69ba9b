import type { ModelFlags } from "../kit/command/ChosenModel.ts"
import { printFlag, sessionFlag } from "../kit/command/FlagMeanings.ts"
import type { FlagTable } from "../kit/command/FlagTable.ts"
import { wordSet } from "../kit/command/WordSet.ts"

/** It passes over an effort that it does not know. */
export const piModelFlags: ModelFlags = {
  model: ["--model"],
  effort: {
    words: (effort) => ["--thinking", effort],
    levels: ["off", "minimal", "low", "medium", "high", "xhigh", "max"]
  }
}

/** The flags of `pi`. It reads no `--flag=value`. */
export const piFlags: FlagTable = {
  kept: {
    one: wordSet(
      "--provider --model --thinking --append-system-prompt --system-prompt --skill --prompt-template",
      "--tools -t --exclude-tools -xt --mode"
    ),
    none: wordSet(
      "--no-tools -nt --no-builtin-tools -nbt --no-extensions -ne --no-skills -ns --no-prompt-templates -np",
      "--no-context-files -nc --no-approve -na --no-mcp --offline --verbose"
    )
  },
  // A tool is taken out by `-NAME`.
  dashed: wordSet("--tools -t"),
  lifting: wordSet("--approve -a --extension -e"),
  means: new Map([
    ["--print", printFlag],
    ["-p", printFlag],
    ["--session-id", sessionFlag("Fresh")],
    ["--session", sessionFlag("Resume")]
  ]),
  ours: wordSet("--continue -c --export --fork --no-session --resume -r --session-dir"),
  against: (flag, value) =>
    flag === "--mode" && value !== "json" && value !== "text" ? "must be json or text" : undefined,
  inline: false
}
