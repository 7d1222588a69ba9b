import type { HookProgram } from "@souffleur/process"
import { Option } from "effect"

/** One word to every shell of the Bourne kind: the agent runs a hook with `/bin/sh -c` (spec: claude-code#hooks). */
const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

const [before, after] = ["SOUFFLEUR_STATE_DIR=", " hook 2>/dev/null || true"]

/**
 * The line of the settings. It names the state folder, as the agent's environment may not; and a souffleur that is gone
 * must not disturb an agent that goes on.
 */
export const hookCommand = ({ self, stateDir }: HookProgram): string =>
  `${before}${[stateDir, ...self].map(quoted).join(" ")}${after}`

/** The program of a line that is ours, wherever it was installed from; `None` for any other. */
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
