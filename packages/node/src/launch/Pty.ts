import { LaunchFailed } from "@souffleur/domain"
import { Effect } from "effect"
import type { Start } from "../own/Detached.ts"
import { pathOf } from "./HostPrograms.ts"

const missing = new LaunchFailed({
  message:
    'the command needs a terminal, and the program "script", which gives it one, is not in PATH: install util-linux'
})

/** Whether this machine can give a command a terminal. */
export const hasPty = Effect.sync(() => pathOf("script") !== undefined)

/** The variable with one word of the command line. */
const wordName = (index: number) => `SOUFFLEUR_WORD_${index}`

/**
 * Returns a start with a terminal of its own, of 80 columns and 24 rows. `script` of util-linux makes it, and copies
 * what is printed. It ends with the command's exit code, or with 128 and the number of a signal. Its shell reads a
 * fixed text alone: the words of the command line are variables. Fails with `LaunchFailed` where there is no `script`.
 */
export const inPty = Effect.fn("inPty")(function* ({ environment, line }: Start) {
  const script = pathOf("script")
  if (script === undefined) return yield* missing
  const words = line.map((_, index) => ` "$${wordName(index)}"`).join("")
  return {
    line: [script, "--quiet", "--return", "--flush", "--command", `stty rows 24 cols 80; exec${words}`, "/dev/null"],
    environment: {
      ...environment,
      PATH: "/usr/local/bin:/usr/bin:/bin",
      SHELL: "/bin/sh",
      ...Object.fromEntries(line.map((word, index) => [wordName(index), word]))
    }
  } satisfies Start
})
