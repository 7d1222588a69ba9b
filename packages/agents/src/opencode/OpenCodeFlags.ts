import type { ModelFlags } from "../kit/command/ChosenModel.ts"
import { permissionFlag, sessionFlag } from "../kit/command/FlagMeanings.ts"
import type { FlagTable } from "../kit/command/FlagTable.ts"
import { wordSet } from "../kit/command/WordSet.ts"

/** Has OpenCode print its records, which name the session. */
export const openCodeRecords = ["--format", "json"]
/** Returns whether the user asked for the records. */
export const asksOpenCodeRecords = (args: ReadonlyArray<string>): boolean =>
  args.some((arg) => arg.split("=", 1)[0] === openCodeRecords[0])

/** Returns whether the user named the agent of OpenCode that takes the prompts. */
export const namesAgent = (args: ReadonlyArray<string>): boolean =>
  args.some((arg) => arg.split("=", 1)[0] === "--agent")

/** A resumed session keeps its model, and no variant. The provider of a model names its variants. */
export const openCodeModelFlags: ModelFlags = {
  model: ["--model", "-m"],
  effort: { words: (effort) => ["--variant", effort] }
}

/** The flags of `opencode run`. */
export const openCodeFlags: FlagTable = {
  kept: {
    one: wordSet("--model -m --agent --variant --log-level --format"),
    none: wordSet("--print-logs --pure --thinking")
  },
  // The one publishes the session, and the other runs in a server that allows what it was told to.
  lifting: wordSet("--share --attach"),
  means: new Map([
    ["--session", sessionFlag("Resume")],
    ["-s", sessionFlag("Resume")],
    ["--auto", permissionFlag("bypassPermissions")]
  ]),
  ours: wordSet(
    "--command --continue -c --dir --file -f --fork --interactive -i --mini --password -p --port --title",
    "--username -u"
  ),
  against: (flag, value) =>
    flag === openCodeRecords[0] && value !== openCodeRecords[1]
      ? "must be json, by which each launch tells its session"
      : undefined,
  inline: true
}
