import { argumentsOfProgram } from "../../kit/command/CommandFront.ts"
import { isFlag, splitFlag } from "../../kit/command/FlagWord.ts"
import { maySubcommand } from "../../kit/command/WithoutCeiling.ts"
import { wordSet } from "../../kit/command/WordSet.ts"

/** Flags that Codex takes in front of a subcommand too. A value follows the first ones. */
const valued = wordSet(
  "--add-dir -a --ask-for-approval -C --cd -c --config --disable --enable --local-provider -m --model",
  "-p --profile --remote --remote-auth-token-env -s --sandbox"
)
const alone = wordSet(
  "--approve-for-me --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust --full-auto",
  "--no-alt-screen --no-daemon --oss --search --strict-config --worktree --yolo"
)

/**
 * Returns the first word behind the flags: a subcommand, or a prompt. Empty: there is none. `undefined`: a flag in
 * front of it is not known, and so neither is the word.
 */
const verbOf = (words: ReadonlyArray<string>): string | undefined => {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!
    if (word === "--") return ""
    if (!isFlag(word)) return word
    const [flag, value] = splitFlag(word)
    if (valued.has(flag)) at += value === undefined ? 1 : 0
    else if (!alone.has(flag)) return undefined
  }
  return ""
}

/** Recognises Codex's program, by its name or within its package. */
export const isCodex = (word = ""): boolean => /(?:^|\/)codex(?:\.exe)?$|(?:^|\/)@openai\/codex(?:[/@]|$)/u.test(word)

/** Recognises the word that runs one turn without a terminal. */
export const isExec = (word: string | undefined): boolean => word === "exec" || word === "e"

/** Recognises a word that begins an errand or a server, and no conversation. */
export const isOtherVerb = (verb: string): boolean => maySubcommand(verb) && !isExec(verb) && verb !== "resume"

/** Recognises a Codex that works through turns in its own process. */
export const runsCodex = (words: ReadonlyArray<string>): boolean => {
  const args = argumentsOfProgram(isCodex, words)
  const verb = args === undefined ? undefined : verbOf(args)
  return verb !== undefined && !isOtherVerb(verb)
}

/** Returns whether a process waits for a Codex, which then has the same arguments. */
export const launchesCodex = (launcher: ReadonlyArray<string>, words: ReadonlyArray<string>): boolean => {
  const [one, other] = [launcher, words].map((all) => argumentsOfProgram(isCodex, all))
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other)
}

/** Returns whether a process with these arguments ends after its turn. */
export const codexInPrintMode = (args: ReadonlyArray<string>): boolean =>
  isExec(verbOf(argumentsOfProgram(isCodex, args) ?? args))
