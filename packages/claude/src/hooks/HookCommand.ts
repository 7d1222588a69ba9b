import type { HookProgram } from "@souffleur/process"
import { Option } from "effect"

/**
 * Quotes a text as one word for a shell of the Bourne kind. The agent runs a hook with `/bin/sh -c` (spec:
 * claude-code#hooks).
 */
const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

const [before, after] = ["SOUFFLEUR_STATE_DIR=", " hook 2>/dev/null || true"]

/**
 * Makes the command line for the settings. It names the state folder, because the agent's environment may lack it. It
 * succeeds even if souffleur is gone, so that the agent is not disturbed.
 */
export const hookCommand = ({ self, stateDir }: HookProgram): string =>
  `${before}${[stateDir, ...self].map(quoted).join(" ")}${after}`

/** Returns the program of a line that is ours, wherever it was installed from. `None`: the line is not ours. */
export const hookProgram = (line: string): Option.Option<HookProgram> => {
  if (!line.startsWith(before) || !line.endsWith(after)) return Option.none()
  const words = line.slice(before.length, -after.length)
  const word = /'[^']*'(?:\\''[^']*')*/gs
  const [stateDir, program, ...args] = [...words.matchAll(word)].map(([text]) =>
    text.slice(1, -1).replaceAll("'\\''", "'")
  )
  if (stateDir === undefined || program === undefined) return Option.none()
  const found: HookProgram = { stateDir, self: [program, ...args] }
  return hookCommand(found) === line ? Option.some(found) : Option.none()
}
